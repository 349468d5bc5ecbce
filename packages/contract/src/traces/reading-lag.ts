/**
 * Response header that says how late the service derives the turns and measures of conversations: the seconds since the
 * conversation that waits longest became due.
 */
export const READING_LAG_HEADER = "Reading-Lag";

/** Headers of the answers that contain derived turns and measures. */
export const readingLag = {
  [READING_LAG_HEADER]:
    "How late the service derives turns and measures from spans: the seconds since the conversation that waits longest became due. Turns, measures and texts that are not derived yet are missing in lists, search and metrics. A conversation that gets new spans is due when nothing was derived from it yet, when its number of spans has doubled, when it has ended, or after ten seconds without new spans.",
};
