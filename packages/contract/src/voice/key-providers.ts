/**
 * Speech providers whose keys the service stores. It uses them for speech synthesis, for speech recognition, or to list the voices
 * of an account. `form` describes a key of the provider. `regional` is true when a key works in only one region. Providers with a
 * public list of voices need no key.
 */
export const KEY_PROVIDERS = {
  openai: { regional: false, form: "an API key" },
  cartesia: { regional: false, form: "an API key" },
  elevenlabs: { regional: false, form: "an API key that may read voices" },
  deepgram: { regional: false, form: "an API key" },
  minimax: { regional: false, form: "an API key" },
  inworld: { regional: false, form: "the Base64 form of an API key, as the portal shows it" },
  hume: { regional: false, form: "an API key" },
  lmnt: { regional: false, form: "an API key" },
  azure: { regional: true, form: "a key of a Speech resource" },
  google: { regional: false, form: "an API key that may use Text-to-Speech" },
  polly: { regional: true, form: "an access key id and its secret access key, joined by a colon" },
} as const satisfies Record<string, { regional: boolean; form: string }>;
/** Speech provider whose keys the service stores. */
export type KeyProvider = keyof typeof KEY_PROVIDERS;

/** Pattern of a cloud region, such as `westeurope` or `eu-central-1`. It is strict because a region becomes part of a host name. */
export const REGION_PATTERN = /^[a-z][a-z0-9-]{1,30}[a-z0-9]$/;

/** Returns why a key is invalid for its provider, as a sentence with the fix; undefined for a valid key. */
export function providerKeyProblem(
  provider: KeyProvider,
  { apiKey, region }: { apiKey: string; region?: string | undefined },
): string | undefined {
  const { regional, form } = KEY_PROVIDERS[provider];
  if (regional && region === undefined) return `A key for ${provider} needs a region. Add its region.`;
  if (!regional && region !== undefined) return `A key for ${provider} has no region. Omit the region.`;
  if (provider === "polly" && !/^[^:]+:[^:]+$/.test(apiKey)) return `A key for polly is ${form}.`;
  return undefined;
}
