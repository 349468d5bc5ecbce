import { describe, expect, test } from "vitest";
import { decide, parseCheck } from "../../packages/server/src/grading/checks/table.ts";
import { evidenceFrom, type Sketch } from "../support/labelled-behaviors.ts";

/** These behaviors pass on the conversation below only because the agent did not do something. Each form has at least one. */
const ABSENT = [
  'never says "guarantee"',
  'says "hello" at most once',
  'says "hello" once',
  "never repeats back 4711",
  "never calls refund",
  "calls find_slot once",
  "calls find_slot no more than twice",
  "never calls refund with amount=100",
  "calls only find_slot",
  "never calls refund without calling verify first",
  "never calls refund before verify",
  "never calls refund after cancel",
  "never ends the call",
  "never transfers to a human",
  "no silence over 5 s",
  "finishes within 12 turns",
];

const turn = (speaker: "agent" | "caller", at: number, text: string): Sketch["turns"][number] => ({
  speaker,
  from: at * 2_000,
  to: at * 2_000 + 1_500,
  text,
});

const whole: Sketch = {
  about: "",
  modality: "voice",
  scenario: null,
  persona: null,
  ending: { reason: "persona_concluded", by: "caller" },
  turns: [
    turn("agent", 0, "Hello, this is the clinic."),
    turn("caller", 1, "Is there a free slot? My code is 4711."),
    turn("agent", 2, "There is one at nine."),
    turn("caller", 3, "Thanks, goodbye."),
  ],
  toolCalls: [{ name: "find_slot", arguments: {}, result: { slots: ["9:00"] }, failed: false, turn: 2, at: 4_000 }],
};

const verdictIn = (behavior: string, changes: Partial<Sketch>) =>
  decide(parseCheck(behavior)!, evidenceFrom({ ...whole, ...changes })).verdict;

const ended = (reason: string, by: NonNullable<Sketch["ending"]>["by"]): Partial<Sketch> => ({
  ending: { reason, by },
});
const talkingOn = [
  ...whole.turns.slice(0, 3),
  turn("caller", 3, "And the price?"),
  turn("caller", 5, "Are you there?"),
];

describe("absence", () => {
  test.each(ABSENT)("absence passes %s on a whole conversation", (behavior) => {
    expect(verdictIn(behavior, {})).toBe("passed");
  });

  test.each<[string, Partial<Sketch>]>([
    ["a limit of turns ended", ended("turn_limit", "limit")],
    ["a limit of time ended", ended("time_limit", "limit")],
    ["the service ended", ended("simulator_error", "service")],
    ["the network ended", ended("connection_lost", "outside")],
    ["a person canceled", ended("canceled", "canceled")],
    ["lacks spans", { complete: false }],
    ["the agent left", { turns: talkingOn }],
    ["the agent ended with an error", { ...ended("agent_error", "agent"), turns: talkingOn.slice(0, 4) }],
    ["the agent ended by falling silent", { ...ended("agent_silent", "agent"), turns: talkingOn.slice(0, 4) }],
    ["the agent answered without words", { turns: [...talkingOn.slice(0, 4), turn("agent", 4, "…")] }],
  ])("absence passes nothing on a conversation that %s", (_, changes) => {
    const passing = ABSENT.filter((behavior) => verdictIn(behavior, changes) === "passed");
    expect(passing).toEqual([]);
  });
});

test("absence of a number is decided when the agent said figures alone, which no language changes", () => {
  const turns = [turn("caller", 0, "My bill was $1,250. Please say it back."), turn("agent", 1, "125.")];
  expect(verdictIn("repeats back $1,250", { turns, toolCalls: [] })).toBe("failed");
});
