import { z } from "zod";

/** Any JSON value from a user or an agent; the service passes it on unchanged. */
export const json = z.unknown().meta({ override: {} });

/**
 * Returns whether a JSON value has at most `levels` levels of nesting. Check this before any recursive walk: a few KiB of
 * brackets exhaust the stack.
 */
export const fitsDepth = (value: unknown, levels: number): boolean =>
  value === null ||
  typeof value !== "object" ||
  (levels > 0 && Object.values(value).every((item) => fitsDepth(item, levels - 1)));
