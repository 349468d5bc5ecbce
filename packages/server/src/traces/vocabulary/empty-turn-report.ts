export const EMPTY_TURN_REPORT = {
  responseLatencyMs: null,
  textResponseMs: null,
  interruptedBy: null,
  endOfUtteranceDelayMs: null,
  transcriptionDelayMs: null,
};
