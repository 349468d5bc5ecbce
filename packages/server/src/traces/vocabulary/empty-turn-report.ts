/** A turn report without values. A vocabulary adds the values that spans report. */
export const EMPTY_TURN_REPORT = {
  responseLatencyMs: null,
  textResponseMs: null,
  interruptedBy: null,
  endOfUtteranceDelayMs: null,
  transcriptionDelayMs: null,
};
