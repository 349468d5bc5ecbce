/** A conversation without an ended root span counts as over after this many minutes without a new span. */
export const IDLE_MINUTES = 10;

/** Maximum number of unmapped keys that a conversation's quality card shows. */
export const UNMAPPED_KEYS_SHOWN = 20;

/** The first characters of an ending that a platform reports, which the list of conversations keeps. */
export const REPORTED_ENDING_CHARACTERS = 80;
