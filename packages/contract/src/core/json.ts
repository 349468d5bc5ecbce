import { z } from "zod";

/** Any JSON: a user's or an agent's own, which is passed on as it is. */
export const json = z.unknown().meta({ override: {} });

/**
 * Whether a JSON value nests others at most `levels` deep. Asked before anything walks the value to its end: a few KiB of
 * brackets exhaust the stack.
 */
export const fitsDepth = (value: unknown, levels: number): boolean =>
  value === null ||
  typeof value !== "object" ||
  (levels > 0 && Object.values(value).every((item) => fitsDepth(item, levels - 1)));
