import { z } from "zod";
import { id } from "../core/ids.ts";
import { count } from "../core/numbers.ts";

const FlippedSimulation = z
  .strictObject({
    testId: id("tst"),
    testVersionId: id("tstv"),
    testName: z.string(),
    personaName: z.string(),
    iteration: count("Iteration number, starting at 1."),
    firstSimulationId: id("sim"),
    secondSimulationId: id("sim"),
  })
  .meta({
    id: "FlippedSimulation",
    description: "A pair of simulations with opposite verdicts: one passed, the other failed.",
  });

/**
 * The differences between two runs. Simulations are paired by test version, persona and iteration. Only pairs in which both
 * sides passed or failed count. The exact McNemar test (two-sided, significance level 5 %) compares the pass rates. A 95 %
 * bootstrap interval over at least ten pairs compares the median response latency; a difference below 5 % of the first run's
 * median counts as no difference.
 */
export const RunComparison = z
  .strictObject({
    firstRunId: id("run"),
    secondRunId: id("run"),
    pairs: count("Number of simulations that exist in both runs."),
    unpaired: count("Number of simulations that exist in only one run, for example after an edit of the test."),
    decided: count("Number of pairs in which both sides passed or failed."),
    regressed: z.array(FlippedSimulation).meta({ description: "Passed in the first run, failed in the second." }),
    mended: z.array(FlippedSimulation).meta({ description: "Failed in the first run, passed in the second." }),
    p: z.number().min(0).max(1).meta({
      description:
        "Probability of a split of the changed pairs at least this uneven, if both runs had the same pass rate.",
    }),
    latency: z
      .strictObject({
        pairs: count("Number of pairs with a response latency on both sides."),
        firstMs: z.number(),
        secondMs: z.number(),
        differenceMs: z.number().meta({ description: "Difference of the medians: second minus first." }),
        lowMs: z.number().meta({ description: "Lower end of the 95 % interval of the difference." }),
        highMs: z.number().meta({ description: "Upper end of the 95 % interval of the difference." }),
      })
      .nullable()
      .meta({ description: "Median response latency in milliseconds; null with fewer than ten pairs." }),
    distinguishable: z
      .boolean()
      .meta({ description: "Whether the pass rates or the latencies differ by more than chance explains." }),
    words: z
      .array(z.string())
      .meta({ description: "The result as sentences for people: first the pass rates, then the latency." }),
  })
  .meta({ id: "RunComparison" });
export type RunComparison = z.infer<typeof RunComparison>;
