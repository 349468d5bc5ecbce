import { z } from "zod";
import { id } from "../core/ids.ts";
import { count, versionNumber } from "../core/numbers.ts";
import { GradeEvidence } from "../graders/grades.ts";
import { VERDICTS } from "../graders/verdicts.ts";

/** Grades of one criterion of one test in a run: counts by verdict, and an example. */
export const RunBehavior = z
  .strictObject({
    testId: id("tst"),
    testVersionId: id("tstv"),
    testVersion: versionNumber,
    testName: z.string(),
    graderId: z.string(),
    graderName: z.string(),
    criterion: z.string().meta({ description: "The expected behavior, or the grader's criterion." }),
    decidedBy: z
      .enum(["check", "judge", "built_in", "veto", "none"])
      .meta({ description: "Who decided the grade of `example`; without an example, who decided the first grade." }),
    counts: z
      .boolean()
      .meta({ description: "`false`: the grades are shown but do not influence the simulations' verdicts." }),
    passed: count(),
    failed: count(),
    inconclusive: count(),
    notGraded: count(),
    errored: count(),
    example: z
      .strictObject({
        simulationId: id("sim"),
        personaName: z.string(),
        iteration: count("Iteration number, starting at 1."),
        verdict: z.enum(VERDICTS),
        reason: z.string(),
        evidence: GradeEvidence.nullable().meta({
          description: "The first evidence with a quote; null without a quote.",
        }),
      })
      .nullable()
      .meta({
        description:
          "The first grade with the verdict `failed`, or else the first grade that is not `passed`; null when every grade is `passed`.",
      }),
  })
  .meta({ id: "RunBehavior" });
export type RunBehavior = z.infer<typeof RunBehavior>;
