import { beforeAll, describe, expect, test } from "vitest";
import { FRAME_SAMPLES, joined } from "../../packages/server/src/voice/audio/audio.ts";
import { createCallHearing } from "../../packages/server/src/voice/calls/heard/call-hearing.ts";
import { createTurnTaker } from "../../packages/server/src/voice/calls/media/turn-taking.ts";
import { silence, framesOf } from "../support/audio/tones.ts";
import {
  babble,
  before,
  beep,
  breath,
  chords,
  echoOf,
  pinkNoise,
  together,
  whiteNoise,
} from "../support/calls/agent-side.ts";
import { type GeneratedConversation, generatedConversation } from "../support/calls/generated-conversation.ts";
import { hearRecording } from "../support/calls/hear-recording.ts";
import { spokenSentences } from "../support/calls/spoken-sentences.ts";

let speech: (seed: string) => Int16Array;
let conversation: GeneratedConversation;
let length: number;
beforeAll(async () => {
  speech = await spokenSentences();
  conversation = generatedConversation("noise 3", {
    speech,
    callerDbfs: [-20, -20],
    agentDbfs: [-20, -20],
    agentNoise: [],
    agentSnrDb: [0, 0],
    isCoded: false,
    offset: 0,
    turns: 5,
  });
  length = conversation.agentSound.length;
});

/** Returns the starts of the heard answers, rounded to half a second. */
async function answersWith(...sounds: Int16Array[]): Promise<number[]> {
  const { answers } = await hearRecording(conversation.callerSound, together(conversation.agentSound, ...sounds));
  return answers.map(({ agentStartMs }) => agentStartMs);
}

function expectNear(heard: readonly number[], nearMs = 400): void {
  const truth = conversation.heard.answers.map(({ agentStartMs }) => agentStartMs);
  expect(heard).toHaveLength(truth.length);
  for (const [at, startMs] of truth.entries()) expect(Math.abs(heard[at]! - startMs)).toBeLessThan(nearMs);
}

const starts = () => conversation.agent.map(([startMs]) => startMs);

describe("the agent's answers", () => {
  test("the agent's answers are heard over noise, voices and music, as many as there are", async () => {
    expectNear(await answersWith(pinkNoise(length, -30, "spec")));
    expectNear(await answersWith(babble(length, -30, "spec", speech)));
    expectNear(await answersWith(chords(length, -30)));
  });

  test("the agent's answers are never the echo of the caller, even when its delay jumps", async () => {
    const { callerSound } = conversation;
    expectNear(await answersWith(echoOf(callerSound, -20, { delayMs: 180 })), 100);
    expectNear(await answersWith(echoOf(callerSound, -20, { delayMs: 120, jumpMs: 90 })), 100);
    const echo = echoOf(callerSound, -30, { delayMs: 150 });
    const mute = await hearRecording(callerSound, together(echo, pinkNoise(length, -60, "spec")));
    expect(mute).toMatchObject({ answers: [], firstSoundMs: null, agent: { segments: [], isUnclear: false } });
    expect(mute.deadAir.length).toBeGreaterThan(0);
  });

  test("the agent's answers are those of the agent, not of somebody who talks in the background", async () => {
    const { answers } = await hearRecording(
      conversation.callerSound,
      together(conversation.agentSound, babble(length, -37, "spec", speech, 1)),
    );
    const near = answers.filter(({ agentStartMs }) => starts().some((ms) => Math.abs(ms - agentStartMs) < 500));
    expect(near.length).toBeGreaterThan(conversation.heard.answers.length * 0.85);
    expect(answers.length).toBeLessThan(conversation.heard.answers.length + 2);
  });

  test("the agent's answers start with the voice, not with a beep, a ring or a breath before it", async () => {
    expectNear(await answersWith(before(starts(), 450, length, () => beep([770, 1_336], 150, -20))), 30);
    expectNear(await answersWith(before(starts(), 120, length, () => beep([440, 480], 400, -20))), 30);
    expectNear(await answersWith(before(starts(), 60, length, (at) => breath(350, -42, `spec ${at}`))), 100);
  });
});

test("a noise that may hide speech makes a call unclear, without any fact of its turns", async () => {
  const call = await hearRecording(
    conversation.callerSound,
    together(conversation.agentSound, whiteNoise(length, -20, "spec")),
  );
  expect(call.agent).toMatchObject({ isUnclear: true, segments: [] });
  expect(call).toMatchObject({ firstSoundMs: null, answers: [], interruptions: [], deadAir: [] });
});

test("the caller's speech starts with its words, not with the hum before them in a built-in voice", async () => {
  const spoken = (await spokenSentences(["awb"]))("hum");
  const { segments } = (await hearRecording(joined([silence(1), spoken, silence(1)]), silence(5))).caller;
  expect(segments).toHaveLength(1);
  expect(segments[0]!.startMs).toBeGreaterThan(1_190);
  expect(segments[0]!.startMs).toBeLessThan(1_300);
});

describe("during a call", () => {
  /** Returns the starts of the agent's speech that the caller hears. */
  function startsOf(agent: Int16Array): number[] {
    const hearing = createCallHearing();
    const turns = createTurnTaker({ endOfTurnMs: 400, patienceMs: 1e6, interruptAfterMs: [] }, false);
    const agentFrames = framesOf(agent, FRAME_SAMPLES);
    return framesOf(conversation.callerSound, FRAME_SAMPLES).flatMap((sent, at) => {
      hearing.push({ clean: sent, sent, agent: agentFrames[at]! });
      const events = turns.next(agentFrames[at]!, false, hearing.isEcho);
      return events.flatMap((event) => (event.kind === "agent_started" ? event.atMs : []));
    });
  }

  test("the caller hears the agent's turns over voices, once it has heard them for some seconds", () => {
    const heard = startsOf(together(conversation.agentSound, babble(length, -30, "spec", speech)));
    for (const startMs of starts().filter((ms) => ms > 5_000))
      expect(heard.some((ms) => Math.abs(ms - startMs) < 400)).toBe(true);
    expect(heard.length).toBeLessThan(starts().length + 3);
  });

  test("the caller never hears its own echo as an answer, even when its delay jumps", () => {
    for (const db of [-20, -30]) {
      expect(startsOf(echoOf(conversation.callerSound, db, { delayMs: 160 }))).toEqual([]);
      expect(startsOf(echoOf(conversation.callerSound, db, { delayMs: 120, jumpMs: 90 }))).toEqual([]);
    }
  });

  test("the caller hears the agent, and not somebody who talks in the background, once it has heard both", () => {
    const heard = startsOf(together(conversation.agentSound, babble(length, -37, "spec", speech, 1)));
    const late = heard.filter((ms) => ms > 10_000);
    for (const startMs of starts().filter((ms) => ms > 10_000))
      expect(heard.some((ms) => Math.abs(ms - startMs) < 500)).toBe(true);
    expect(late.length).toBeLessThan(starts().filter((ms) => ms > 10_000).length + 3);
  });
});
