/** Topics of the notes about the data quality of a conversation. */
export const QUALITY_TOPICS = [
  "vocabulary",
  "generation",
  "units",
  "content",
  "root",
  "late_spans",
  "stalls",
  "call_timing",
  "earlier_attempts",
  "credentials",
  "lost_content",
  "times",
  "unmapped_keys",
  "truncated",
] as const;
