import type { KeyProvider } from "@svc/contract";
import { azure } from "./sources/azure.ts";
import { cartesia } from "./sources/cartesia.ts";
import { deepgram } from "./sources/deepgram.ts";
import { elevenlabs } from "./sources/elevenlabs.ts";
import { google } from "./sources/google.ts";
import { hume } from "./sources/hume.ts";
import { inworld } from "./sources/inworld.ts";
import { lmnt } from "./sources/lmnt.ts";
import { minimax } from "./sources/minimax.ts";
import { polly } from "./sources/polly.ts";
import { rime } from "./sources/rime.ts";
import type { VoiceSource } from "./voice-source.ts";

export const SOURCES: Record<Exclude<KeyProvider, "openai"> | "rime", VoiceSource> = {
  cartesia,
  elevenlabs,
  deepgram,
  rime,
  minimax,
  inworld,
  hume,
  lmnt,
  azure,
  google,
  polly,
};

export type ListingProvider = keyof typeof SOURCES;

export const lists = (provider: string): provider is ListingProvider => Object.hasOwn(SOURCES, provider);
