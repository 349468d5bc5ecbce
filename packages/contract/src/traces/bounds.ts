/** Minutes without a new span after which a conversation counts as over, although its root span has not ended. */
export const IDLE_MINUTES = 10;

/** Maximum number of attribute keys unknown to the service that the data quality of a conversation lists. */
export const UNMAPPED_KEYS_SHOWN = 20;

/** Maximum number of characters that the service stores of a platform's name for the ending of a call. */
export const REPORTED_ENDING_CHARACTERS = 80;
