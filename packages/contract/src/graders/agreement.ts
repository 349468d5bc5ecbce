import { z } from "zod";
import { id } from "../core/ids.ts";
import { count, shareWhenKnown, versionNumber } from "../core/numbers.ts";

/**
 * How a grader version's verdicts agree with what people say. Only labels of grades that passed or failed tell; null where
 * nothing does.
 */
export const GraderAgreement = z
  .strictObject({
    versionId: id("grdv"),
    version: versionNumber,
    labels: count("Labels of grades that passed or failed; each person's counts."),
    undecided: count("Labels of grades that were inconclusive, errored or not graded; they tell nothing here."),
    agreement: shareWhenKnown("Share of labels that say the same as the grader."),
    kappa: z.number().min(-1).max(1).nullable().meta({
      description: "Cohen's kappa: agreement beyond that of chance; null too when chance alone agrees always.",
    }),
    falsePass: shareWhenKnown("Of what people call failed, the share that the grader passed."),
    falseFail: shareWhenKnown("Of what people call passed, the share that the grader failed."),
  })
  .meta({ id: "GraderAgreement" });
export type GraderAgreement = z.infer<typeof GraderAgreement>;
