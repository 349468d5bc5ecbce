/** Statistics of a measure in a comparison of two versions. */
export const STATISTICS = ["p50", "p95", "mean"] as const;

/** Verdicts of a comparison of two versions about one quantity. */
export const VERSION_VERDICTS = ["worse", "better", "differs", "no_difference_shown", "too_few"] as const;
/** Verdict of a comparison of two versions about one quantity. */
export type VersionVerdict = (typeof VERSION_VERDICTS)[number];

/** Verdicts of a comparison as words for people. */
export const VERSION_VERDICT_WORDS: Record<VersionVerdict, string> = {
  worse: "worse",
  better: "better",
  differs: "differs",
  no_difference_shown: "no difference shown",
  too_few: "too few",
};
