import type { Audio } from "../audio/audio.ts";

/** The voice of a caller. `speed` and `volume` are factors; 1 is the voice's normal value. */
export type CallerVoice = {
  provider: string;
  model: string;
  voiceId: string | null;
  language: string | null;
  accent: string | null;
  emotion: string | null;
  speed: number;
  volume: number;
};

/** Speaks a text at `CALL_RATE`. Rejects with a `SpeechFailure`, whose message contains a remedy. */
export type Synthesizer = (text: string, voice: CallerVoice, signal: AbortSignal) => Promise<Audio>;

/** Returns the words in a sound. Rejects with a `SpeechFailure`. */
export type Recognizer = (audio: Audio, language: string | null, signal: AbortSignal) => Promise<string>;

/**
 * Why speech failed. `wordless`: the text contains no word to speak. `unspeakable`: the voice cannot speak the text. `refused`: a key, a
 * setting or a voice must be changed. `unavailable`: the same request may succeed later.
 */
export type SpeechFault = "wordless" | "unspeakable" | "refused" | "unavailable";

/** Error of speech synthesis or recognition. The message tells what is wrong and what to do. It contains no secret. */
export class SpeechFailure extends Error {
  readonly fault: SpeechFault;

  constructor(fault: SpeechFault, message: string) {
    super(message);
    this.name = "SpeechFailure";
    this.fault = fault;
  }
}
