import { z } from "zod";

/** Schema of any JSON value from a user or an agent. The service forwards the value unchanged. */
export const json = z.unknown().meta({ override: {} });

/**
 * Returns whether a JSON value has at most `levels` levels of nesting. Check this before a recursive walk, because a few KiB of
 * brackets can exhaust the stack.
 */
export const fitsDepth = (value: unknown, levels: number): boolean =>
  value === null ||
  typeof value !== "object" ||
  (levels > 0 && Object.values(value).every((item) => fitsDepth(item, levels - 1)));
