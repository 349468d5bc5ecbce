import { CALL_RATE } from "../../audio/audio.ts";
import { resample } from "../../audio/resample.ts";
import type { CallOrder } from "../../calls/call.ts";
import type { Calls } from "../../calls/open.ts";
import type { Recordings } from "../../recordings/open.ts";
import { type CallerVoice, SpeechFailure, type Synthesizer } from "../../speech/speech.ts";
import type { Telephone } from "../lines/call-line.ts";
import { LineFailure } from "../lines/line.ts";

/** How a persona sounds and behaves on the telephone. */
export type TelephoneManner = Pick<CallOrder, "surroundings"> & {
  voice: CallerVoice;
  patienceMs: number;
  interruptAfterMs: CallOrder["turnTaking"]["interruptAfterMs"];
};

/** Silence after which an agent's turn has ended: longer than a pause between two sentences. */
const END_OF_TURN_MS = 700;

type Needs = { calls: Calls; recordings: Recordings; speak: Synthesizer; recognize: Telephone["recognize"] };

/** Creates the telephone of one simulation. */
export function createTelephone(
  { calls, recordings, speak, recognize }: Needs,
  { voice, surroundings, patienceMs, interruptAfterMs }: TelephoneManner,
  callId: string,
): Telephone {
  return {
    async place(line, onEvent) {
      const recordingFile = recordings.newFile();
      const turnTaking = { endOfTurnMs: END_OF_TURN_MS, patienceMs, interruptAfterMs };
      const order: CallOrder = {
        callId,
        line,
        turnTaking,
        surroundings,
        recordingFile,
        sendsAgentSound: recognize !== null,
        seed: callId,
      };
      return { ...calls.place(order, onEvent), recordingFile };
    },

    async speak(text, signal) {
      try {
        return resample(await speak(text, voice, signal), CALL_RATE).samples;
      } catch (error) {
        if (!(error instanceof SpeechFailure)) throw error;
        throw new LineFailure("simulator_error", `The caller could not speak. ${error.message}`);
      }
    },

    recognize,
  };
}
