/** A turn report without any value, to which a vocabulary adds the values that the spans report. */
export const EMPTY_TURN_REPORT = {
  responseLatencyMs: null,
  textResponseMs: null,
  interruptedBy: null,
  endOfUtteranceDelayMs: null,
  transcriptionDelayMs: null,
};
