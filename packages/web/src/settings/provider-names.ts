import { KEY_PROVIDERS, type KeyProvider } from "@svc/contract/constants";

const NAMES: Record<KeyProvider, string> = {
  openai: "OpenAI",
  cartesia: "Cartesia",
  elevenlabs: "ElevenLabs",
  deepgram: "Deepgram",
  minimax: "MiniMax",
  inworld: "Inworld",
  hume: "Hume",
  lmnt: "LMNT",
  azure: "Azure",
  google: "Google",
  polly: "Amazon Polly",
};

/** The providers whose keys the service stores, by name. */
export const PROVIDERS = (Object.keys(KEY_PROVIDERS) as KeyProvider[])
  .map((provider) => ({ provider, name: NAMES[provider], ...KEY_PROVIDERS[provider] }))
  .toSorted((a, b) => a.name.localeCompare(b.name));

/** A provider whose key the service stores. */
export type Provider = (typeof PROVIDERS)[number];
