import { z } from "zod";
import { id } from "../core/ids.ts";
import { count, shareWhenKnown, versionNumber } from "../core/numbers.ts";

/** Returns the schemas of the lower and the upper end of the 95 % Wilson interval of a share. */
const ends = (of: string) => [
  shareWhenKnown(`Lower end of the 95 % Wilson interval of ${of}.`),
  shareWhenKnown(`Upper end of the 95 % Wilson interval of ${of}.`),
];
const [agreementLow, agreementHigh] = ends("`agreement`");
const [falsePassLow, falsePassHigh] = ends("`falsePass`");
const [falseFailLow, falseFailHigh] = ends("`falseFail`");
const [accuracyLow, accuracyHigh] = ["Lower", "Upper"].map((end) =>
  shareWhenKnown(`${end} end of the 95 % interval of \`balancedAccuracy\` (MOVER, Zou and Donner 2008).`),
);
const [sameLow, sameHigh] = ends("`agreement`");
const kappa = (description: string) => z.number().min(-1).max(1).nullable().meta({ description });

/** Agreement of people with each other about the grades of one grader version. Labels `unsure` do not count. */
const PeopleAgreement = z
  .strictObject({
    grades: count(
      "Number of grades that at least two people labeled `passed` or `failed`. When a grade has more than two labels, only the first two count.",
    ),
    agreement: shareWhenKnown("Share of these grades with two equal labels; null with fewer than 20 grades."),
    agreementLow: sameLow!,
    agreementHigh: sameHigh!,
    kappa: kappa(
      "Agreement of two people beyond chance (Scott's pi, for which the order of the two does not matter). Null with fewer than 20 grades, and when all labels are equal.",
    ),
    kappaLow: kappa("Lower end of the 95 % goodness-of-fit interval of `kappa` (Donner and Eliasziw 1992)."),
    kappaHigh: kappa("Upper end of the 95 % interval of `kappa`."),
    missing: z
      .string()
      .nullable()
      .meta({ description: "Why values of this object are null; null when all values are known." }),
  })
  .meta({ id: "PeopleAgreement" });

/**
 * Agreement of one judge's verdicts for one grader version with people's labels. Only labels on grades that the judge passed or
 * failed count.
 *
 * `agreement` and `kappa` need at least 20 labels, `falsePass` needs at least 10 labels `failed`, and `falseFail` needs at least 10
 * labels `passed`. A value without enough labels is null.
 */
export const GraderAgreement = z
  .strictObject({
    versionId: id("grdv"),
    version: versionNumber,
    judge: z
      .strictObject({
        model: z.string(),
        promptVersion: z.string(),
        dialect: z
          .string()
          .nullable()
          .meta({ description: "Form of the requests to the model; null when the grades do not name it." }),
      })
      .nullable()
      .meta({
        description: "The judge: its model and its prompt's version. Null when no judge made a labeled grade.",
      }),
    labels: count("Number of labels on grades that the judge passed or failed. Each person's label counts."),
    undecided: count(
      "Number of labels on grades that the judge neither passed nor failed. No other field counts them.",
    ),
    unsure: count("Number of labels `unsure` on grades by the judge. No other field counts them."),
    judgedByCode: count(
      "Number of labels on grades of this version that no judge decided: code decided them, or nobody did. No other field counts them.",
    ),
    agreement: shareWhenKnown("Share of labels that are equal to the judge's verdict; null with fewer than 20 labels."),
    agreementLow: agreementLow!,
    agreementHigh: agreementHigh!,
    kappa: kappa(
      "Cohen's kappa: agreement beyond chance, (observed − expected) / (1 − expected). Null with fewer than 20 labels, and when the expected agreement is 1.",
    ),
    kappaLow: kappa("Lower end of the 95 % interval of `kappa`, with the expected agreement taken as exact."),
    kappaHigh: kappa("Upper end of the 95 % interval of `kappa`."),
    falsePass: shareWhenKnown(
      "Share of the `failed` labels whose grade is `passed`; null with fewer than 10 such labels.",
    ),
    falsePassLow: falsePassLow!,
    falsePassHigh: falsePassHigh!,
    falseFail: shareWhenKnown(
      "Share of the `passed` labels whose grade is `failed`; null with fewer than 10 such labels.",
    ),
    falseFailLow: falseFailLow!,
    falseFailHigh: falseFailHigh!,
    balancedAccuracy: shareWhenKnown(
      "Mean of two shares: the share of the `passed` labels whose grade is `passed`, and the share of the `failed` labels whose grade is `failed`. A grader that always gives the same verdict has 0.5. Null when one of the shares is null.",
    ),
    balancedAccuracyLow: accuracyLow!,
    balancedAccuracyHigh: accuracyHigh!,
    people: PeopleAgreement.meta({
      description:
        "How far people agree with each other about the grades of this version. The grades of all judges count.",
    }),
    missing: z.string().nullable().meta({
      description:
        "Why values of this object are null, with the number of labels that they need; null when all values are known.",
    }),
  })
  .meta({ id: "GraderAgreement" });
export type GraderAgreement = z.infer<typeof GraderAgreement>;
