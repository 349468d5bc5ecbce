/**
 * The verdicts on a behavior or on a whole simulation. Only `passed` and `failed` decide. `inconclusive` means that the
 * evidence does not decide, `errored` that the service or the network failed, and `not_graded` that no grader could decide.
 */
export const VERDICTS = ["passed", "failed", "inconclusive", "errored", "not_graded"] as const;
/** A verdict of `VERDICTS`. */
export type Verdict = (typeof VERDICTS)[number];
