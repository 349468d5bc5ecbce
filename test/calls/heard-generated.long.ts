import { beforeAll, describe, expect, test } from "vitest";
import { CALL_RATE, FRAME_SAMPLES } from "../../packages/server/src/voice/audio/audio.ts";
import {
  SURROUNDINGS,
  SURROUNDINGS_DBFS,
  createSurroundings,
} from "../../packages/server/src/voice/audio/surroundings/surroundings.ts";
import { levelOf, speechLevelOf } from "../../packages/server/src/voice/audio/level.ts";
import { mixed, noiseFactor, scaled } from "../../packages/server/src/voice/audio/mix.ts";
import { readWav } from "../../packages/server/src/voice/audio/wav.ts";
import { stereoWavOf } from "../../packages/server/src/voice/audio/wav-writing.ts";
import { createCallHearing } from "../../packages/server/src/voice/calls/heard/call-hearing.ts";
import { hearRecording } from "../support/calls/hear-recording.ts";
import { seeded } from "../../packages/server/src/base/seeded.ts";
import {
  type GeneratedConversation,
  generatedConversation,
  type Variety,
} from "../support/calls/generated-conversation.ts";
import { spokenSentences } from "../support/calls/spoken-sentences.ts";
import { speechLike } from "../support/calls/timeline.ts";
import { wrongFactsOf } from "../support/calls/wrong-facts.ts";
import { framesOf } from "../support/audio/tones.ts";

const generated = (seed: string): Int16Array => speechLike(1_200 + seeded(seed)() * 3_000, seed);
let spoken: (seed: string) => Int16Array;
beforeAll(async () => {
  spoken = await spokenSentences();
});

const CLEAN: Variety = {
  speech: generated,
  callerDbfs: [-20, -20],
  agentDbfs: [-20, -20],
  agentNoise: [],
  agentSnrDb: [40, 60],
  isCoded: false,
  offset: 0,
};
const LEVELS = { callerDbfs: [-36, -14], agentDbfs: [-36, -14] } as const;

const factsOf = ({ caller, agent, heard }: GeneratedConversation) => ({ caller, agent, ...heard });

/** Returns the facts of generated conversations that the service measures wrongly on stereo WAV files. */
async function wrongOf(name: string, variety: Variety, count: number): Promise<string[]> {
  const wrong: string[] = [];
  for (let at = 0; at < count; at++) {
    const conversation = generatedConversation(`${name} ${at}`, variety);
    const file = stereoWavOf(conversation.callerSound, conversation.agentSound, CALL_RATE);
    const { channels } = readWav(file);
    const call = await hearRecording(channels[0]!, channels[1]!);
    wrong.push(...wrongFactsOf(call, factsOf(conversation)).map((fact) => `${at}: ${fact}`));
  }
  return wrong;
}

describe("generated conversations", () => {
  test("generated conversations with sound like speech have the times of their truth", async () => {
    expect(await wrongOf("clean", CLEAN, 8)).toEqual([]);
    expect(await wrongOf("levels", { ...CLEAN, ...LEVELS, offset: -900 }, 8)).toEqual([]);
  });

  test("generated conversations with synthesised sentences have the times of their truth", async () => {
    expect(await wrongOf("spoken", { ...CLEAN, speech: spoken }, 8)).toEqual([]);
    expect(await wrongOf("spoken levels", { ...CLEAN, ...LEVELS, speech: spoken }, 8)).toEqual([]);
  });

  test("generated conversations over a telephone line have the times of their truth", async () => {
    const coded: Variety = {
      ...CLEAN,
      agentDbfs: [-30, -14],
      isCoded: true,
      agentNoise: ["line"],
      agentSnrDb: [45, 60],
    };
    expect(await wrongOf("coded", coded, 4)).toEqual([]);
    expect(await wrongOf("spoken coded", { ...coded, speech: spoken }, 4)).toEqual([]);
  });

  test.each(SURROUNDINGS)(
    "generated conversations have the times of their truth with %s around the caller, 10 dB below its speech",
    async (kind) => {
      const conversation = generatedConversation(`around ${kind}`, { ...CLEAN, speech: spoken });
      const { callerSound, agentSound } = conversation;
      const noise = createSurroundings(kind, "around")(callerSound.length);
      const factor = noiseFactor(speechLevelOf(callerSound, CALL_RATE), SURROUNDINGS_DBFS, 10);
      const sent = mixed(callerSound, scaled(noise, factor));
      expect(levelOf(sent.subarray(0, CALL_RATE / 5))).toBeGreaterThan(-50);
      // The service hears the call frame by frame. The caller's side is clean, and the noise is on the agent's side.
      const hearing = createCallHearing();
      const agentFrames = framesOf(agentSound, FRAME_SAMPLES);
      const sentFrames = framesOf(sent, FRAME_SAMPLES);
      for (const [at, clean] of framesOf(callerSound, FRAME_SAMPLES).entries())
        hearing.push({ clean, sent: sentFrames[at]!, agent: agentFrames[at]! });
      expect(wrongFactsOf(await hearing.finish(), factsOf(conversation))).toEqual([]);
    },
  );

  test("generated conversations have the same measures in one piece and in frames", async () => {
    const { callerSound, agentSound } = generatedConversation("pieces", CLEAN);
    const hearing = createCallHearing();
    for (let at = 0; at < callerSound.length; at += 777) {
      const clean = callerSound.subarray(at, at + 777);
      hearing.push({ clean, sent: clean, agent: agentSound.subarray(at, at + 777) });
    }
    expect(await hearing.finish()).toEqual(await hearRecording(callerSound, agentSound));
  });
});
