import { setImmediate as nextTurn } from "node:timers/promises";

const SLICE_MS = 8;

/** Runs the steps. Lets other work of the event loop run between them, at least every `SLICE_MS` milliseconds. */
export async function inSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
  await nextTurn(); // the caller has already used time to read the items
  let sliceEnds = performance.now() + SLICE_MS;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (performance.now() < sliceEnds) continue;
    await nextTurn();
    sliceEnds = performance.now() + SLICE_MS;
  }
}

/** Maps the items with `work`. Lets other work of the event loop run at least every `SLICE_MS` milliseconds. */
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

export function atOnce<Result>(steps: Generator<void, Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
