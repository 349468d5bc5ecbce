/**
 * The verdicts on a behavior or on a whole simulation. Only `passed` and `failed` decide. `inconclusive` means that the
 * evidence does not decide, `errored` that the service or the network failed, and `not_graded` that no grader could decide.
 */
export const VERDICTS = ["passed", "failed", "inconclusive", "errored", "not_graded"] as const;
/** A verdict of `VERDICTS`. */
export type Verdict = (typeof VERDICTS)[number];

/** What a person can say about a grade: the verdict that is right, or that the conversation does not show it. */
export const LABEL_VERDICTS = ["passed", "failed", "unsure"] as const;
/** A verdict of `LABEL_VERDICTS`. */
export type LabelVerdict = (typeof LABEL_VERDICTS)[number];
