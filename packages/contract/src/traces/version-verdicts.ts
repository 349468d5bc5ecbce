/** The statistics of a measure that are compared. */
export const STATISTICS = ["p50", "p95", "mean"] as const;

/** What a comparison of two versions says about one quantity. */
export const VERSION_VERDICTS = ["worse", "better", "differs", "no_difference_shown", "too_few"] as const;
/** A verdict of `VERSION_VERDICTS`. */
export type VersionVerdict = (typeof VERSION_VERDICTS)[number];

/** The verdicts as words for people. */
export const VERSION_VERDICT_WORDS: Record<VersionVerdict, string> = {
  worse: "worse",
  better: "better",
  differs: "differs",
  no_difference_shown: "no difference shown",
  too_few: "too few",
};
