/**
 * Sources of the review queue, with their titles and meanings. A source is the reason why a conversation is in the queue. The
 * service queues a conversation in the transaction that stores the cause, such as the grade or the alert.
 */
export const REVIEW_REASONS = {
  random: {
    title: "Random share",
    meaning:
      "A fixed share of the graded conversations, drawn by chance. Only these labels show how often a grader is right over all conversations.",
  },
  disagreement: {
    title: "Votes differ",
    meaning: "The votes of the judge on one criterion differ.",
  },
  low_confidence: {
    title: "Low confidence",
    meaning: "The judge decided with less confidence than the queue's limit.",
  },
  alert: {
    title: "Alert",
    meaning: "An alert was raised about conversations of its time. They come first.",
  },
  failure_group: {
    title: "Failure group",
    meaning: "A new kind of failure opened a group, or a resolved one came back.",
  },
} as const satisfies Record<string, { title: string; meaning: string }>;

/** Name of a source of the review queue. */
export type ReviewReason = keyof typeof REVIEW_REASONS;

/** Names of the sources of the review queue. */
export const REVIEW_REASON_NAMES = Object.keys(REVIEW_REASONS) as [ReviewReason, ...ReviewReason[]];

/** States of an item of the review queue. */
export const REVIEW_STATES = ["waiting", "open", "done", "skipped"] as const;

/** Settings of a review queue that the project has not changed. Such a queue is off. */
export const REVIEW_DEFAULTS = {
  enabled: false,
  sources: REVIEW_REASON_NAMES,
  randomShare: 0.02,
  confidenceBelow: 0.7,
  scope: "both",
  graderIds: [] as string[],
  secondPersonShare: 0,
} as const;
