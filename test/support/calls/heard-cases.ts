import type { HeardCall } from "../../../packages/server/src/voice/calls/call.ts";
import type { Stretch } from "./timeline.ts";

/** A conversation with the facts that a listener hears in it. */
export type HeardCase = {
  name: string;
  totalMs: number;
  caller: Stretch[];
  agent: Stretch[];
  heard: Pick<HeardCall, "firstSoundMs" | "answers" | "interruptions" | "overlapMs" | "deadAir">;
};

const answer = (callerEndMs: number, agentStartMs: number) => ({
  callerEndMs,
  agentStartMs,
  responseMs: agentStartMs - callerEndMs,
});

const QUIET = { firstSoundMs: null, answers: [], interruptions: [], overlapMs: 0, deadAir: [] };

export const HEARD_CASES: HeardCase[] = [
  {
    name: "a greeting is no answer, and an answer has the time since the caller's end",
    totalMs: 9_000,
    agent: [
      [400, 2_000],
      [5_200, 8_000],
    ],
    caller: [[2_600, 4_400]],
    heard: { ...QUIET, firstSoundMs: 400, answers: [answer(4_400, 5_200)] },
  },
  {
    name: "two answers in a row of turns",
    totalMs: 12_000,
    agent: [
      [300, 1_500],
      [4_100, 6_000],
      [9_500, 11_500],
    ],
    caller: [
      [2_000, 3_500],
      [6_500, 8_000],
    ],
    heard: { ...QUIET, firstSoundMs: 300, answers: [answer(3_500, 4_100), answer(8_000, 9_500)] },
  },
  {
    name: "a silent agent gives no answer, and the silence after the caller's words is dead air",
    totalMs: 8_000,
    agent: [],
    caller: [[1_000, 2_500]],
    heard: { ...QUIET, deadAir: [{ startMs: 2_500, endMs: 8_000 }] },
  },
  {
    name: "nobody speaks",
    totalMs: 5_000,
    agent: [],
    caller: [],
    heard: { ...QUIET, deadAir: [{ startMs: 0, endMs: 5_000 }] },
  },
  {
    name: "an agent that starts before the caller ends has a negative response time",
    totalMs: 7_000,
    agent: [[3_100, 6_000]],
    caller: [[500, 3_500]],
    heard: { ...QUIET, firstSoundMs: 3_100, answers: [answer(3_500, 3_100)], overlapMs: 400, deadAir: [] },
  },
  {
    name: "an agent that yields stops after the start of the interruption",
    totalMs: 11_000,
    agent: [
      [500, 4_350],
      [6_500, 9_000],
    ],
    caller: [[4_000, 5_700]],
    heard: {
      ...QUIET,
      firstSoundMs: 500,
      answers: [answer(5_700, 6_500)],
      interruptions: [{ atMs: 4_000, yieldMs: 350, keptSpeakingMs: 350 }],
      overlapMs: 350,
    },
  },
  {
    name: "an agent that does not yield speaks on after the caller's words",
    totalMs: 10_000,
    agent: [[500, 9_000]],
    caller: [[3_000, 4_500]],
    heard: {
      ...QUIET,
      firstSoundMs: 500,
      interruptions: [{ atMs: 3_000, yieldMs: null, keptSpeakingMs: 6_000 }],
      overlapMs: 1_500,
    },
  },
  {
    name: "an agent that yields late after a short interruption still yields",
    totalMs: 9_000,
    agent: [
      [500, 4_300],
      [5_500, 7_500],
    ],
    caller: [[3_000, 3_600]],
    heard: {
      ...QUIET,
      firstSoundMs: 500,
      answers: [answer(3_600, 5_500)],
      interruptions: [{ atMs: 3_000, yieldMs: 1_300, keptSpeakingMs: 1_300 }],
      overlapMs: 600,
    },
  },
  {
    name: "a pause of the caller does not end its turn",
    totalMs: 9_000,
    agent: [[5_000, 7_000]],
    caller: [
      [500, 2_000],
      [2_600, 4_200],
    ],
    heard: { ...QUIET, firstSoundMs: 5_000, answers: [answer(4_200, 5_000)] },
  },
  {
    name: "a pause of the agent makes no second answer",
    totalMs: 9_000,
    agent: [
      [3_000, 4_500],
      [5_000, 7_000],
    ],
    caller: [[500, 2_000]],
    heard: { ...QUIET, firstSoundMs: 3_000, answers: [answer(2_000, 3_000)] },
  },
  {
    name: "an agent that goes on after a pause, while the caller speaks, is interrupted and does not answer early",
    totalMs: 10_000,
    agent: [
      [500, 3_000],
      [3_500, 7_000],
    ],
    caller: [[3_200, 4_800]],
    heard: {
      ...QUIET,
      firstSoundMs: 500,
      interruptions: [{ atMs: 3_200, yieldMs: null, keptSpeakingMs: 3_800 }],
      overlapMs: 1_300,
    },
  },
  {
    name: "an agent that pauses in an interruption and goes on has not yielded at the pause",
    totalMs: 10_000,
    agent: [
      [500, 3_400],
      [3_900, 8_000],
    ],
    caller: [[3_000, 5_000]],
    heard: {
      ...QUIET,
      firstSoundMs: 500,
      interruptions: [{ atMs: 3_000, yieldMs: null, keptSpeakingMs: 5_000 }],
      overlapMs: 1_500,
    },
  },
  {
    name: "a word of the agent inside the caller's speech is no answer",
    totalMs: 8_000,
    agent: [
      [1_500, 1_800],
      [4_300, 6_500],
    ],
    caller: [[500, 3_600]],
    heard: { ...QUIET, firstSoundMs: 1_500, answers: [answer(3_600, 4_300)], overlapMs: 300 },
  },
  {
    name: "a caller that asks again after a silence has an unanswered turn and an answered one",
    totalMs: 14_000,
    agent: [
      [300, 1_500],
      [11_000, 13_000],
    ],
    caller: [
      [2_000, 3_500],
      [9_000, 10_000],
    ],
    heard: {
      ...QUIET,
      firstSoundMs: 300,
      answers: [answer(10_000, 11_000)],
      deadAir: [{ startMs: 3_500, endMs: 9_000 }],
    },
  },
  {
    name: "a slow answer is dead air, and silence after the agent's last word is not",
    totalMs: 14_000,
    agent: [
      [2_500, 4_000],
      [8_500, 10_500],
    ],
    caller: [[4_500, 6_000]],
    heard: {
      ...QUIET,
      firstSoundMs: 2_500,
      answers: [answer(6_000, 8_500)],
      deadAir: [
        { startMs: 0, endMs: 2_500 },
        { startMs: 6_000, endMs: 8_500 },
      ],
    },
  },
  {
    name: "a pause of the caller after the agent's words is no dead air, and a pause of the agent is",
    totalMs: 18_000,
    agent: [
      [300, 1_500],
      [7_000, 8_500],
      [11_500, 13_000],
    ],
    caller: [
      [4_600, 6_000],
      [16_000, 17_500],
    ],
    heard: {
      ...QUIET,
      firstSoundMs: 300,
      answers: [answer(6_000, 7_000)],
      deadAir: [{ startMs: 8_500, endMs: 11_500 }],
    },
  },
  {
    name: "parties that start together interrupt each other in neither direction",
    totalMs: 8_000,
    agent: [
      [1_000, 1_900],
      [4_000, 6_000],
    ],
    caller: [[1_100, 3_000]],
    heard: { ...QUIET, firstSoundMs: 1_000, answers: [answer(3_000, 4_000)], overlapMs: 800 },
  },
  {
    name: "an agent that the end of the call cuts off in an interruption has not yielded",
    totalMs: 6_000,
    agent: [[500, 6_000]],
    caller: [[4_500, 6_000]],
    heard: {
      ...QUIET,
      firstSoundMs: 500,
      interruptions: [{ atMs: 4_500, yieldMs: null, keptSpeakingMs: 1_500 }],
      overlapMs: 1_500,
    },
  },
  {
    name: "each interruption of one speech has its time",
    totalMs: 12_000,
    agent: [[500, 9_500]],
    caller: [
      [2_000, 2_800],
      [6_000, 7_000],
    ],
    heard: {
      ...QUIET,
      firstSoundMs: 500,
      interruptions: [
        { atMs: 2_000, yieldMs: null, keptSpeakingMs: 7_500 },
        { atMs: 6_000, yieldMs: null, keptSpeakingMs: 3_500 },
      ],
      overlapMs: 1_800,
    },
  },
];
