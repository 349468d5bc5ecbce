import { z } from "zod";
import { id } from "../core/ids.ts";
import { count, shareWhenKnown, versionNumber } from "../core/numbers.ts";

/**
 * How far the verdicts of one grader version agree with people's labels. Every share counts only labels of grades that passed
 * or failed, and is null without such a label.
 */
export const GraderAgreement = z
  .strictObject({
    versionId: id("grdv"),
    version: versionNumber,
    labels: count("Number of labels on grades that passed or failed. Each person's label counts."),
    undecided: count("Number of labels on inconclusive, errored and not graded grades. No other field counts them."),
    agreement: shareWhenKnown("Share of labels with the grader's verdict."),
    kappa: z.number().min(-1).max(1).nullable().meta({
      description:
        "Cohen's kappa: agreement beyond chance, (observed − expected) / (1 − expected). Null without labels, and when the expected agreement is 1.",
    }),
    falsePass: shareWhenKnown("Share of the `failed` labels whose grade is `passed`."),
    falseFail: shareWhenKnown("Share of the `passed` labels whose grade is `failed`."),
  })
  .meta({ id: "GraderAgreement" });
export type GraderAgreement = z.infer<typeof GraderAgreement>;
