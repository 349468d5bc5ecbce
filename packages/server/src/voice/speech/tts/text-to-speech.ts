import type { Audio } from "../../audio/audio.ts";
import type { ProviderRequest } from "../provider-request.ts";
import type { CallerVoice } from "../speech.ts";

/** The text to speak, and how to speak it. There is no volume, because the service scales the sound itself. */
export type SpeechOrder = Omit<CallerVoice, "provider" | "volume"> & { text: string };

export type TextToSpeech = {
  charactersMax: number;
  /** Returns the default voice for a persona that names no voice; undefined when the provider has no default voice. */
  usualVoice?: (model: string) => string | undefined;
  /** Returns why the provider cannot fulfill an order, as a message with a remedy; undefined when it can. */
  problem?: (order: Omit<SpeechOrder, "text">) => string | undefined;
  request: (order: SpeechOrder) => ProviderRequest;
  /** Throws when the answer does not have the requested form. */
  read: (body: Buffer) => Audio;
};

/** Returns mono sound from headerless 16-bit samples, least significant byte first. */
export function rawSound(bytes: Buffer, rate: number): Audio {
  const samples = new Int16Array(bytes.length >> 1);
  for (let at = 0; at < samples.length; at++) samples[at] = bytes.readInt16LE(at * 2);
  return { samples, rate };
}
