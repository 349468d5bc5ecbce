import { expect, test } from "vitest";
import { createSpeechTimes } from "../../packages/worker-helper/src/speech-times.ts";

function timesOf(...changes: number[]) {
  const times = createSpeechTimes();
  changes.forEach((atMs, index) => times.changed(index % 2 === 0, atMs));
  return times;
}

test("words that arrive late get the periods of speech in order", () => {
  const times = timesOf(1000, 2000, 4000, 5000);
  expect(times.take(5100)).toEqual({ startMs: 1000, endMs: 2000 });
  expect(times.take(5200)).toEqual({ startMs: 4000, endMs: 5000 });
  expect(times.take(5300)).toEqual({ startMs: 5300, endMs: 5300 });
});

test("a short pause does not end a turn", () => {
  expect(timesOf(1000, 2000, 2500, 3000).take(3100)).toEqual({ startMs: 1000, endMs: 3000 });
});

test("when words arrive while the user still speaks, the speech of these words ends at their arrival", () => {
  expect(timesOf(1000).take(1800)).toEqual({ startMs: 1000, endMs: 1800 });
});

test("a noise without words does not move the times of later words", () => {
  expect(timesOf(1000, 2000, 20_000, 21_000).take(21_500)).toEqual({ startMs: 20_000, endMs: 21_000 });
});

test("the start that the model states counts, and chooses the period", () => {
  const times = timesOf(1000, 2000, 4000, 5000);
  expect(times.take(9000, 3900)).toEqual({ startMs: 3900, endMs: 5000 });
  expect(times.take(9000)).toEqual({ startMs: 9000, endMs: 9000 });
  expect(timesOf().take(9000, 3900)).toEqual({ startMs: 3900, endMs: 3900 });
});
