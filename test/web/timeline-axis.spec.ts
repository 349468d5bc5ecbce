import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  answerRange,
  callRange,
  callTime,
  pan,
  ticksOf,
  zoom,
} from "../../packages/web/src/conversations/timeline/axis.ts";

const range = fc
  .record({ fromMs: fc.integer({ min: -5_000, max: 3_600_000 }), lengthMs: fc.integer({ min: 20, max: 7_200_000 }) })
  .map(({ fromMs, lengthMs }) => ({ fromMs, untilMs: fromMs + lengthMs }));

describe("the axis of the timeline", () => {
  test("the call axis ends at the first line behind the end of the call", () => {
    expect(callRange(14_622)).toEqual({ fromMs: 0, untilMs: 15_000 });
    expect(callRange(44_111)).toEqual({ fromMs: 0, untilMs: 45_000 });
    expect(callRange(0).untilMs).toBeGreaterThan(0);
  });

  test("the answer axis shows one second before and two and a half seconds after, and more for slower answers", () => {
    expect(answerRange(959)).toEqual({ fromMs: -1_000, untilMs: 2_500 });
    expect(answerRange(4_000)).toEqual({ fromMs: -1_000, untilMs: 5_000 });
  });

  test("labels name whole steps of the range", () => {
    const texts = (fromMs: number, untilMs: number, axis: "call" | "answer" = "call") =>
      ticksOf({ fromMs, untilMs }, axis).labels.map(({ text }) => text);
    expect(texts(0, 15_000)).toEqual(["0 s", "3 s", "6 s", "9 s", "12 s"]);
    expect(texts(-1_000, 2_500, "answer")).toEqual(["−1 s", "0 s", "+1 s", "+2 s"]);
    expect(texts(0, 150)).toEqual(["0 ms", "30 ms", "60 ms", "90 ms", "120 ms"]);
    expect(texts(0, 1_440_000)).toEqual(["0:00", "4:00", "8:00", "12:00", "16:00", "20:00"]);
  });

  test("every range has at most 16 lines and 6 labels, all inside the range and different", () => {
    fc.assert(
      fc.property(range, (shown) => {
        const { lineStep, lineOffset, labels } = ticksOf(shown, "call");
        expect(Math.ceil(1 / lineStep)).toBeLessThanOrEqual(17);
        expect(lineOffset).toBeGreaterThanOrEqual(0);
        expect(labels.length).toBeLessThanOrEqual(7);
        expect(new Set(labels.map(({ at }) => at)).size).toBe(labels.length);
        for (const { at } of labels) expect(at >= 0 && at < 1).toBe(true);
      }),
    );
  });

  test("zooming and panning stay inside the whole range, and a zoom keeps the time under the hand", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(range, share, fc.double({ min: 0.1, max: 10, noNaN: true }), (whole, at, factor) => {
        const near = zoom(whole, whole, at, Math.min(1, factor));
        const timeAt = (shown: typeof whole) => shown.fromMs + at * (shown.untilMs - shown.fromMs);
        expect(timeAt(near)).toBeCloseTo(timeAt(whole), 3);
        for (const shown of [
          near,
          zoom(near, whole, at, factor),
          pan(near, whole, factor),
          pan(near, whole, -factor),
        ]) {
          expect(shown.fromMs).toBeGreaterThanOrEqual(whole.fromMs - 1e-6);
          expect(shown.untilMs).toBeLessThanOrEqual(whole.untilMs + 1e-6);
          expect(shown.untilMs).toBeGreaterThan(shown.fromMs);
        }
      }),
    );
  });

  test("a time of the call has minutes and tenths of seconds", () => {
    expect(callTime(3_248)).toBe("0:03.2");
    expect(callTime(3_723_000)).toBe("1:02:03.0");
  });
});
