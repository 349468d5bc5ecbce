import { CALL_RATE } from "../../voice/audio/audio.ts";
import type { CallOrder } from "../../voice/calls/call.ts";
import type { Calls } from "../../voice/calls/open.ts";
import type { PersonaStore } from "../../authoring/personas/store.ts";
import type { Recordings } from "../../voice/recordings/open.ts";
import type { Speech } from "../../voice/speech/open.ts";
import { helloOf, reminderOf } from "../../voice/speech/reminders.ts";
import { SpeechFailure } from "../../voice/speech/speech.ts";
import type { CallerAudio } from "../lines/call-line.ts";
import { LineFailure } from "../lines/line.ts";
import type { FrozenVoice } from "../plan/check-sounds.ts";
import { conditionOf } from "../lines/line-type.ts";
import { type RunRow, type SimulationRow, snapshotOf } from "../rules.ts";

export type CallerAudioOf = (simulation: SimulationRow, run: RunRow) => Promise<CallerAudio>;

/** Silence that ends an agent's turn. It is longer than a pause between two sentences. */
export const END_OF_TURN_MS = 700;

type Needs = {
  calls: Calls;
  speech: Speech;
  recordings: Pick<Recordings, "newFile">;
  personas: PersonaStore;
  organizationOf: (projectId: string) => Promise<string>;
};

export function createCallerAudio({ calls, speech, recordings, personas, organizationOf }: Needs): CallerAudioOf {
  return async (simulation, run) => {
    const { persona_id: id, persona_version_id, test_name, persona_name, iteration } = simulation;
    const organizationId = await organizationOf(run.project_id);
    const { version } = await personas.getVersion(run.project_id, persona_version_id);
    // The seed contains names instead of ids, so that another service plays the same test in the same way.
    const seed = [test_name, persona_name, iteration].join(" ");
    const voices: Record<string, FrozenVoice> = run.voices === null ? {} : JSON.parse(run.voices);
    const { traits, models } = version.content;
    const voiceId = voices[persona_version_id]?.voiceId ?? models.voiceId;
    const persona = { id, traits, models: { ...models, ...(voiceId !== undefined && { voiceId }) } };
    const sound = await explained(speech.findPersonaSound(organizationId, persona, seed));
    const { voice, surroundings, patienceMs, interruptAfterMs } = sound;
    const synthesize = speech.synthesizerOf(organizationId);
    const recognizer = speech.recognizerOf(organizationId, sound.hearing);

    return {
      place(line, onEvent) {
        const recordingFile = recordings.newFile();
        const order: CallOrder = {
          callId: `${simulation.id}_${simulation.attempt}`,
          line,
          turnTaking: { endOfTurnMs: END_OF_TURN_MS, patienceMs, interruptAfterMs },
          surroundings,
          condition: conditionOf(snapshotOf(run).config),
          recordingFile,
          sendsAgentSound: recognizer !== undefined,
          seed,
        };
        return { ...calls.place(order, onEvent), recordingFile };
      },

      speak: (text, signal) => explained(synthesize(text, voice, signal).then(({ samples }) => samples, silenceOf)),

      recognize: recognizer
        ? (samples, signal) => recognizer({ samples, rate: CALL_RATE }, voice.language, signal)
        : null,

      reminder: reminderOf(voice),
      hello: helloOf(voice),
    };
  };
}

function silenceOf(error: unknown): Int16Array {
  if (error instanceof SpeechFailure && error.fault === "wordless") return new Int16Array();
  throw error;
}

async function explained<T>(speech: Promise<T>): Promise<T> {
  try {
    return await speech;
  } catch (error) {
    if (!(error instanceof SpeechFailure)) throw error;
    throw new LineFailure("simulator_error", `The caller could not speak. ${error.message}`);
  }
}
