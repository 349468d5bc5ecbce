/** Returns a sentence that says how long a project's conversations are kept. */
export const retentionText = (days: number | null): string =>
  days === null
    ? "Its conversations stay as long as the service keeps conversations."
    : `Its conversations are erased after ${days} ${days === 1 ? "day" : "days"}, or earlier when the service keeps none as long.`;
