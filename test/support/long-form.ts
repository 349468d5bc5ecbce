import { random } from "./livekit-request.ts";
import { seed } from "./property-seed.ts";

/** Whether the specs run in their long form: `npm run test:long`. */
export const IS_LONG = process.env.SPEC_FORM === "long";

/** Returns a function that returns all cases in the long form, and otherwise `count` of them that the seed draws. */
export function drawsOfCases() {
  const next = random(Number(seed ?? Date.now() % 1_000_000));
  return function casesOf<T>(cases: readonly T[], count: number): T[] {
    if (IS_LONG) return [...cases];
    const rest = [...cases];
    return Array.from({ length: Math.min(count, rest.length) }, () => {
      return rest.splice(Math.floor(next() * rest.length), 1)[0]!;
    });
  };
}
