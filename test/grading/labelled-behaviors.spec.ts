import { describe, expect, test } from "vitest";
import { decide, FORMS, parseCheck } from "../../packages/server/src/grading/checks/table.ts";
import { labelledBehaviors } from "../support/labelled-behaviors.ts";

const labelled = labelledBehaviors();
const ofChecks = labelled.filter(({ by }) => by === "check");

describe("the labelled behaviors", () => {
  test("the labelled behaviors are at least 60, and each verdict of a check occurs", () => {
    expect(ofChecks.length).toBeGreaterThanOrEqual(60);
    for (const verdict of ["passed", "failed", "inconclusive"])
      expect(ofChecks.filter(({ expected }) => expected === verdict).length, verdict).toBeGreaterThanOrEqual(15);
  });

  test("the labelled behaviors belong to a check when they have a form, and to the judge otherwise", () => {
    const wrong = labelled.filter(({ behavior, by }) => (parseCheck(behavior) === undefined) !== (by === "judge"));
    expect(wrong.map(({ file, behavior }) => `${file}: ${behavior}`)).toEqual([]);
  });

  test.each(FORMS.map(({ name }) => name))(
    "the labelled behaviors have a passed and a failed behavior of the form %s",
    (name) => {
      const verdicts = ofChecks
        .filter(({ behavior }) => parseCheck(behavior)!.form === name)
        .map(({ expected }) => expected);
      expect(verdicts, "add behaviors of the form to test/fixtures/labelled-behaviors").toEqual(
        expect.arrayContaining(["passed", "failed"]),
      );
    },
  );

  test("the labelled behaviors get from each check the verdict that people gave", () => {
    const wrong = ofChecks.flatMap(({ file, behavior, expected, evidence }) => {
      const { verdict, reason } = decide(parseCheck(behavior)!, evidence);
      return verdict === expected ? [] : [`${file}: ${behavior}: ${verdict}, not ${expected}: ${reason}`];
    });
    expect(wrong).toEqual([]);
  });

  test("the labelled behaviors get evidence that quotes the turn exactly and names calls that exist", () => {
    const wrong = ofChecks.filter(({ behavior, evidence }) =>
      decide(parseCheck(behavior)!, evidence).evidence.some((proof) =>
        "toolCall" in proof
          ? evidence.toolCalls[proof.toolCall] === undefined
          : proof.quote !== null && !evidence.turns[proof.turn]!.text!.includes(proof.quote),
      ),
    );
    expect(wrong.map(({ behavior }) => behavior)).toEqual([]);
  });
});
