import { describe, expect, test } from "vitest";
import { gapOf } from "../../packages/server/src/grading/judge/transcript.ts";
import { labelledSet } from "../../packages/server/src/grading/judge/labelled-set.ts";

const set = labelledSet();
const all = set.conversations.flatMap((conversation) =>
  conversation.behaviors.map((labelled) => ({ ...labelled, conversation })),
);

describe("the labelled set", () => {
  test("the labelled set has at least 200 behaviors over at least 40 conversations, half failing", () => {
    expect(all.length).toBeGreaterThanOrEqual(200);
    expect(set.conversations.length).toBeGreaterThanOrEqual(40);
    const failing = all.filter(({ label }) => label === "failed").length / all.length;
    expect(Math.abs(failing - 0.5)).toBeLessThan(0.02);
  });

  test("the labelled set has whole records, tool calls in the agent's turns and reasons that name turns of the record", () => {
    for (const { id, evidence, behaviors } of set.conversations) {
      expect(gapOf(evidence), id).toBeNull();
      for (const { turn } of evidence.toolCalls) expect(evidence.turns[turn!]?.speaker, id).toBe("agent");
      for (const { why } of behaviors)
        for (const [, turn] of why.matchAll(/[Tt]urns? (\d+)/g))
          expect(Number(turn), `${id}: ${why}`).toBeLessThan(evidence.turns.length);
    }
  });
});

describe("a pair of the labelled set", () => {
  const pairs = Map.groupBy(
    set.conversations.filter(({ id }) => /^p\d/.test(id)),
    ({ id }) => id.split("-")[0],
  );

  test("a pair of the labelled set is one of at least 20, and has one behavior that holds in one conversation alone", () => {
    expect(pairs.size).toBeGreaterThanOrEqual(20);
    for (const [id, both] of pairs) {
      const behaviors = both.flatMap((conversation) => conversation.behaviors);
      expect(
        behaviors.map(({ label }) => label),
        id,
      ).toEqual(["passed", "failed"]);
      expect(behaviors[0]!.behavior, id).toBe(behaviors[1]!.behavior);
    }
  });

  test("differs in one turn of the agent", () => {
    for (const [id, [one, other]] of pairs) {
      const changed = one!.evidence.turns.filter((turn, index) => turn.text !== other!.evidence.turns[index]!.text);
      expect(
        changed.map(({ speaker }) => speaker),
        id,
      ).toEqual(["agent"]);
      const { turns: _turns, ...same } = one!.evidence;
      expect(other!.evidence, id).toMatchObject(same);
    }
  });
});
