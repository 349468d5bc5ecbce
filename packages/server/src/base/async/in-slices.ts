import { setImmediate as nextTurn } from "node:timers/promises";

const SLICE_MS = 8;

/** Returns the result of a computation, and lets other work run between its steps at least every few milliseconds. */
export async function inSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
  await nextTurn(); // the read of the items was a slice
  let sliceEnds = performance.now() + SLICE_MS;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (performance.now() < sliceEnds) continue;
    await nextTurn();
    sliceEnds = performance.now() + SLICE_MS;
  }
}

/** Returns the result of `work` for each item, and lets other work run at least every few milliseconds. */
export const mapInSlices = <Item, Result>(items: readonly Item[], work: (item: Item) => Result): Promise<Result[]> =>
  inSlices(mapping(items, work));

function* mapping<Item, Result>(items: readonly Item[], work: (item: Item) => Result): Generator<void, Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(work(item));
    yield;
  }
  return results;
}

/** Returns the result of a computation without a pause between its steps. */
export function atOnce<Result>(steps: Generator<void, Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
