import { expect, test } from "vitest";
import { loudestOf, outlineOf, turnAt } from "../../packages/web/src/conversations/sound/waveform.tsx";

test("the waveform's height is the loudest level of both parties, and a quiet call stays quiet", () => {
  expect(loudestOf([{ peaks: [10, 400] }, { peaks: [600] }])).toBe(600);
  expect(loudestOf([{ peaks: [3] }, { peaks: [] }])).toBe(50);
});

test("the waveform of a channel is drawn above or below the middle line, or on both sides of it", () => {
  expect(outlineOf([0, 500], 500, "above")).toBe("M0 100L0 100L1 100L1 0L2 0L2 100Z");
  expect(outlineOf([0, 500], 500, "below")).toBe("M0 100L0 100L1 100L1 200L2 200L2 100Z");
  expect(outlineOf([500], 500, "both")).toBe("M0 100L0 0L1 0L1 100ZM0 100L0 200L1 200L1 100Z");
});

test("the turn that is heard is the one that started last, even when turns overlap", () => {
  const starts = [
    { turn: 0, atMs: 100 },
    { turn: 1, atMs: 2_000 },
    { turn: 2, atMs: 1_500 },
  ];
  expect([50, 100, 1_600, 1_999, 2_000, 90_000].map((ms) => turnAt(starts, ms))).toEqual([undefined, 0, 2, 2, 1, 1]);
});
