import type { LineCondition } from "@svc/contract";
import { rm } from "node:fs/promises";
import { CALL_RATE } from "../../voice/audio/audio.ts";
import type { Calls } from "../../voice/calls/open.ts";
import { AppError } from "../../base/errors.ts";
import type { Recordings } from "../../voice/recordings/open.ts";
import type { Speech } from "../../voice/speech/open.ts";
import { type CallerVoice, SpeechFailure } from "../../voice/speech/speech.ts";
import type { CallerAudio } from "../lines/call-line.ts";
import { END_OF_TURN_MS } from "../play/caller-audio.ts";

/** Voice of the caller in a try. It is built in, so that a try needs no persona and no API key. */
const VOICE: CallerVoice = {
  provider: "built_in",
  model: "flite",
  voiceId: "slt",
  language: "en",
  accent: null,
  emotion: null,
  speed: 1,
  volume: 1,
};
/** Patience of the caller. The agent counts as silent after three times this time without speech, longer than a slow answer. */
const PATIENCE_MS = 4_000;

export type TryAudio = CallerAudio & {
  connectedAtMs: () => number | null;
  discard: () => Promise<void>;
};

type Needs = {
  calls: Calls;
  speech: Pick<Speech, "synthesizerOf" | "recognizerOf">;
  recordings: Pick<Recordings, "newFile">;
};

type WantedAudio = { organizationId: string; callId: string; message: string; condition: LineCondition };

/**
 * Returns the caller audio of a try, which can only say `message`. Throws `unprocessable` for a message that its voice cannot
 * speak.
 */
export async function createTryAudio(
  { calls, speech, recordings }: Needs,
  { organizationId, callId, message, condition }: WantedAudio,
  signal: AbortSignal,
): Promise<TryAudio> {
  const { samples } = await speech.synthesizerOf(organizationId)(message, VOICE, signal).catch(refuseUnspeakable);
  const recognizer = speech.recognizerOf(organizationId, undefined);
  const recordingFile = recordings.newFile();
  let connectedAtMs: number | null = null;
  return {
    place(line, onEvent) {
      const turnTaking = { endOfTurnMs: END_OF_TURN_MS, patienceMs: PATIENCE_MS, interruptAfterMs: [null] };
      const order = { callId, line, turnTaking, surroundings: null, condition, recordingFile, seed: callId };
      const call = calls.place({ ...order, sendsAgentSound: recognizer !== undefined }, (event) => {
        if (event.kind === "connected") connectedAtMs = event.startedAtMs;
        onEvent(event);
      });
      return { ...call, recordingFile };
    },
    speak: async () => samples,
    recognize: recognizer
      ? (sound, stop) => recognizer({ samples: sound, rate: CALL_RATE }, VOICE.language, stop)
      : null,
    reminder: null,
    hello: null,
    connectedAtMs: () => connectedAtMs,
    discard: () => rm(recordingFile, { force: true }),
  };
}

function refuseUnspeakable(error: unknown): never {
  if (error instanceof SpeechFailure && (error.fault === "unspeakable" || error.fault === "wordless"))
    throw new AppError("unprocessable", `The caller cannot speak the message. ${error.message}`);
  throw error;
}
