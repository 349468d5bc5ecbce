import { relative } from "node:path";
import { afterAll, expect } from "vitest";
import { random } from "./livekit-request.ts";
import { seed } from "./property-seed.ts";

/** Whether the specs run in their long form: `npm run test:long`. */
export const IS_LONG = process.env.SPEC_FORM === "long";

/**
 * Returns a function that returns all cases in the long form, and otherwise `count` cases that the seed draws. At its end, the spec
 * file prints how many cases were drawn, and the seed that draws them again.
 */
export function drawsOfCases() {
  const drawnSeed = Number(seed ?? Date.now() % 1_000_000);
  const next = random(drawnSeed);
  let [drawn, all] = [0, 0];
  if (!IS_LONG) {
    afterAll(() => {
      const file = relative(process.cwd(), expect.getState().testPath ?? "");
      console.log(`${file}: drew ${drawn} of ${all} cases; SPEC_SEED=${drawnSeed} draws them again`);
    });
  }
  return function casesOf<T>(cases: readonly T[], count: number): T[] {
    if (IS_LONG) return [...cases];
    const rest = [...cases];
    const chosen = Array.from({ length: Math.min(count, rest.length) }, () => {
      return rest.splice(Math.floor(next() * rest.length), 1)[0]!;
    });
    drawn += chosen.length;
    all += cases.length;
    return chosen;
  };
}
