/** Minutes without a new span after which a conversation counts as over, although its root span has not ended. */
export const IDLE_MINUTES = 10;

/** Maximum number of unmapped keys that a conversation's quality card shows. */
export const UNMAPPED_KEYS_SHOWN = 20;

/** Maximum number of characters of a platform's reported ending that the service stores for the list of conversations. */
export const REPORTED_ENDING_CHARACTERS = 80;
