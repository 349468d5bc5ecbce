import { z } from "zod";
import { id } from "../core/ids.ts";
import { count } from "../core/numbers.ts";

const FlippedSimulation = z
  .strictObject({
    testId: id("tst"),
    testVersionId: id("tstv"),
    testName: z.string(),
    personaName: z.string(),
    iteration: count("1, 2, 3 …"),
    firstSimulationId: id("sim"),
    secondSimulationId: id("sim"),
  })
  .meta({ id: "FlippedSimulation", description: "A pair of simulations, one passed and one failed." });

/**
 * What changed from one run to another. Simulations are paired by (test version, persona, iteration); what only one run has,
 * and pairs in which a side neither passed nor failed, do not count. Passing is compared by the exact McNemar test (two-sided,
 * 5 %), the median response latency by a bootstrap interval (95 %) over at least ten pairs, and a difference below 5 % of the
 * first run's median is none.
 */
export const RunComparison = z
  .strictObject({
    firstRunId: id("run"),
    secondRunId: id("run"),
    pairs: count("Simulations that both runs have."),
    unpaired: count("Simulations that only one of them has, as after an edit of the test."),
    decided: count("Pairs in which both sides passed or failed."),
    regressed: z.array(FlippedSimulation).meta({ description: "Passed in the first run, failed in the second." }),
    mended: z.array(FlippedSimulation).meta({ description: "Failed in the first run, passed in the second." }),
    p: z.number().min(0).max(1).meta({
      description: "How likely so uneven a split of the changed pairs is, when both runs pass equally often.",
    }),
    latency: z
      .strictObject({
        pairs: count("Pairs with response times on both sides."),
        firstMs: z.number(),
        secondMs: z.number(),
        differenceMs: z.number().meta({ description: "Of the medians, second minus first." }),
        lowMs: z.number(),
        highMs: z.number(),
      })
      .nullable()
      .meta({ description: "Median response latency, in milliseconds; null with fewer than ten pairs." }),
    distinguishable: z
      .boolean()
      .meta({ description: "False: neither passing nor latency differs by more than chance gives." }),
    words: z.array(z.string()).meta({ description: "The same for people: passing, then latency." }),
  })
  .meta({ id: "RunComparison" });
export type RunComparison = z.infer<typeof RunComparison>;
