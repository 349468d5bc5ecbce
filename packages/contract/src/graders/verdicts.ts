/**
 * Verdicts on a behavior or on a whole simulation. Only `passed` and `failed` are decisions. `inconclusive`: the evidence is not
 * enough for a decision. `errored`: the service or the network failed. `not_graded`: no grader could decide.
 */
export const VERDICTS = ["passed", "failed", "inconclusive", "errored", "not_graded"] as const;
/** Verdict on a behavior or on a whole simulation. */
export type Verdict = (typeof VERDICTS)[number];

/** Verdicts of a person's label: the verdict that is right, or `unsure` when the conversation does not show it. */
export const LABEL_VERDICTS = ["passed", "failed", "unsure"] as const;
/** Verdict of a person's label. */
export type LabelVerdict = (typeof LABEL_VERDICTS)[number];
