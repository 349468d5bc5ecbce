import { z } from "zod";
import { id } from "../core/ids.ts";
import { count } from "../core/numbers.ts";

/** What a run would do, made without doing it. */
export const RunPlan = z
  .strictObject({
    simulationCount: count(),
    caller: z.enum(["scripted", "model"]),
    concurrency: count(),
    tests: z.array(
      z.strictObject({
        testVersionId: id("tstv"),
        testName: z.string(),
        personas: z.array(z.string()),
        behaviors: count(),
        decidedByCheck: count("Behaviors that code decides."),
        decidedByJudge: count("Behaviors that a model judges."),
        undecided: count("Behaviors that nothing can decide as the service is set up; they will be `not_graded`."),
      }),
    ),
    modelCallsAtMost: count(
      "Requests to a language model that callers and judge may make; one that it does not answer and that is sent again counts once.",
    ),
    warnings: z.array(z.string()),
  })
  .meta({ id: "RunPlan" });
export type RunPlan = z.infer<typeof RunPlan>;
