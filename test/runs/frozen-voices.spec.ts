import { expect, test } from "vitest";
import type { ProjectPersona } from "../../packages/server/src/authoring/personas/persona.ts";
import type { LineType } from "../../packages/server/src/runs/lines/line-type.ts";
import { createCheckSounds } from "../../packages/server/src/runs/plan/check-sounds.ts";
import { createCallerAudio } from "../../packages/server/src/runs/play/caller-audio.ts";
import type { RunRow, SimulationRow } from "../../packages/server/src/runs/rules.ts";
import type { SpeakingPersona } from "../../packages/server/src/voice/speech/persona-sound.ts";
import { SpeechFailure } from "../../packages/server/src/voice/speech/speech.ts";

const content = { traits: {}, models: { tts: { provider: "elevenlabs", model: "eleven_v3" } } };
const persona = { id: "prs_1", name: "Calm", current: { id: "prsv_1", content } } as unknown as ProjectPersona;
const organizationOf = async () => "org_1";
const never = new AbortController().signal;

/** Returns a fake of the speech part whose provider lists another voice first each time. */
function changingSpeech() {
  const asked: SpeakingPersona[] = [];
  let listed = 0;
  return {
    asked,
    speech: {
      findPersonaSound: async (_organizationId: string, speaking: SpeakingPersona) => {
        asked.push(speaking);
        const voiceId = speaking.models.voiceId ?? `voice ${++listed}`;
        const voice = { provider: "elevenlabs", model: "eleven_v3", voiceId, language: null };
        return { voice, warnings: [], hearing: undefined, surroundings: null, patienceMs: 1, interruptAfterMs: [null] };
      },
      recognizerOf: () => undefined,
      synthesizerOf: () => async (text: string) => {
        if (/\p{L}/u.test(text)) return { samples: new Int16Array(3), rate: 16_000 };
        throw new SpeechFailure("wordless", "The text contains no word to speak.");
      },
    } as never,
  };
}

async function callerAudioOf(voices: string | null) {
  const { asked, speech } = changingSpeech();
  const personas = { getVersion: async () => ({ version: { content } }) } as never;
  const find = createCallerAudio({ calls: {} as never, speech, recordings: {} as never, personas, organizationOf });
  const simulation = { persona_id: "prs_1", persona_version_id: "prsv_1" } as SimulationRow;
  return { asked, callerAudio: await find(simulation, { project_id: "prj_1", voices } as RunRow) };
}

test("a run with sound freezes the voice that a provider lists for a persona, and its calls speak with this voice", async () => {
  const checkSounds = createCheckSounds({ speech: changingSpeech().speech, organizationOf });
  const sounds = await checkSounds("prj_1", { carriesSound: true } as LineType, [persona]);
  expect(sounds!.voices).toEqual({
    prsv_1: { provider: "elevenlabs", model: "eleven_v3", voiceId: "voice 1" },
  });
  const { asked } = await callerAudioOf(
    JSON.stringify({ prsv_1: { ...sounds!.voices["prsv_1"], voiceId: "voice 9" } }),
  );
  expect(asked[0]!.models).toEqual({ ...content.models, voiceId: "voice 9" });
});

test("a run from before voices were frozen speaks with the voice that the provider lists", async () => {
  const { asked } = await callerAudioOf(null);
  expect(asked[0]!.models).toEqual(content.models);
});

test("a chat freezes no voice", async () => {
  const checkSounds = createCheckSounds({ speech: changingSpeech().speech, organizationOf });
  expect(await checkSounds("prj_1", { carriesSound: false } as LineType, [persona])).toBeNull();
});

test("a text without a word is silence in a call", async () => {
  const { callerAudio } = await callerAudioOf(null);
  expect(await callerAudio.speak("🙂 …", never)).toHaveLength(0);
  expect(await callerAudio.speak("Hello.", never)).toHaveLength(3);
});
