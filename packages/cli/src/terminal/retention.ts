/** Null means that only the retention of the service applies. */
export const retentionText = (days: number | null): string =>
  days === null
    ? "Its conversations stay as long as the service keeps conversations."
    : `Its conversations are erased after ${days} ${days === 1 ? "day" : "days"}, or earlier when the service keeps none as long.`;
