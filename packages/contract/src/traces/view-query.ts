/** Lists that a saved view can show. */
export const VIEWED_LISTS = ["conversations", "turns"] as const;

/** Name of a list that a saved view can show. */
export type ViewedList = (typeof VIEWED_LISTS)[number];

/**
 * Returns the query parameters of the list that a saved view shows at a time: `lastHours` becomes `from`. The other parameters have the
 * same names in the view and in the list.
 */
export function listQueryOf<Query extends { list: ViewedList; lastHours?: number | undefined }>(
  { list: _, lastHours, ...filters }: Query,
  nowMs: number,
): Omit<Query, "list" | "lastHours"> & { from?: string } {
  return lastHours === undefined
    ? filters
    : { ...filters, from: new Date(nowMs - lastHours * 3_600_000).toISOString() };
}
