import { expect, test } from "vitest";
import { missingProof } from "../../packages/server/src/grading/judge/proof.ts";
import { evidenceFrom } from "../support/labelled-behaviors.ts";

const evidenceWith = (argument: string) => {
  const evidence = evidenceFrom({
    about: "",
    modality: "text",
    scenario: null,
    persona: null,
    ending: null,
    turns: [{ speaker: "agent", from: 0, to: 5, text: "One moment, please." }],
  });
  const call = {
    name: "send_message",
    arguments: { text: argument },
    result: "sent",
    outcome: "ok",
    turn: 0,
    startMs: 500,
    endMs: 600,
    mocked: null,
  } as const;
  return { ...evidence, partial: null, toolsVisible: true, toolCalls: [call] };
};

const absence = (behavior: string, argument = "short") =>
  missingProof({ behavior, status: "pass" }, [], evidenceWith(argument));

test("an absence is proven by a whole record", () => {
  expect(absence("never sends a card number")).toBeNull();
});

test("an absence is not proven by a record that cuts a value of a tool call", () => {
  expect(absence("never sends a card number", `${"x".repeat(5_000)} 4111`)).not.toBeNull();
});

test.each(["The agent confirms the length of the stay", "The agent reads back the confirmation no. 12"])(
  "a behavior that forbids nothing does not pass by absence: %s",
  (behavior) => {
    expect(absence(behavior)).not.toBeNull();
  },
);
