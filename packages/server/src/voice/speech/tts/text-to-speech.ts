import type { Audio } from "../../audio/audio.ts";
import type { ProviderRequest } from "../provider-request.ts";
import type { CallerVoice } from "../speech.ts";

/** The speech of one text; the voice without its volume, which the service changes itself. */
export type SpeechOrder = Omit<CallerVoice, "provider" | "volume"> & { text: string };

/** How one provider speaks a text. */
export type TextToSpeech = {
  /** The longest text of one request. */
  charactersMax: number;
  /** Returns the voice of a persona that names none; undefined when the provider has no such voice. */
  usualVoice?: (model: string) => string | undefined;
  /** Returns why the provider cannot speak this way here, as a sentence with the remedy. */
  problem?: (order: Omit<SpeechOrder, "text">) => string | undefined;
  request: (order: SpeechOrder) => ProviderRequest;
  /** Returns the sound in an answer; throws when it is not in the requested form. */
  read: (body: Buffer) => Audio;
};

/** Returns mono sound of 16-bit samples, least significant byte first, without a header. */
export function rawSound(bytes: Buffer, rate: number): Audio {
  const samples = new Int16Array(bytes.length >> 1);
  for (let at = 0; at < samples.length; at++) samples[at] = bytes.readInt16LE(at * 2);
  return { samples, rate };
}
