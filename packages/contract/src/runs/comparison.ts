import { z } from "zod";
import { id } from "../core/ids.ts";
import { count, shareWhenKnown } from "../core/numbers.ts";
import { VERDICTS } from "../graders/verdicts.ts";
import { passHatK, tallyShape } from "./tally.ts";

const FlippedSimulation = z
  .strictObject({
    testId: id("tst"),
    testVersionId: id("tstv"),
    testName: z.string(),
    personaName: z.string(),
    iteration: count("Iteration number, starting at 1."),
    firstSimulationId: id("sim"),
    secondSimulationId: id("sim"),
    firstVerdict: z.enum(VERDICTS),
    secondVerdict: z.enum(VERDICTS),
  })
  .meta({
    id: "FlippedSimulation",
    description:
      "A pair of simulations of the same test version, persona and iteration, one from each run, of which exactly one passed. The other simulation failed or is undecided. A simulation that ended in an error belongs to no such pair.",
  });

/** Difference between the conditions of two runs, besides their agents. */
export const RunDifference = z
  .strictObject({
    kind: z.enum(["judge", "graders", "personas", "caller", "tests", "connection", "mock_tools", "options"]),
    what: z.string().meta({ description: "The difference as words for people." }),
    first: z.string(),
    second: z.string(),
  })
  .meta({ id: "RunDifference" });
export type RunDifference = z.infer<typeof RunDifference>;

const TestSide = z.strictObject({ ...tallyShape, passHatK }).meta({ id: "TestSide" });

const ComparedTest = z
  .strictObject({
    testId: id("tst"),
    testVersionId: id("tstv"),
    testName: z.string(),
    change: z.enum(["broken", "mended", "none"]).meta({
      description:
        "`broken`: the test passes less often in the second run, by more than chance explains. `mended`: it passes more often, by more than chance explains. Both include a correction for the number of tests.",
    }),
    p: z.number().min(0).max(1).meta({
      description:
        "p-value of the exact statistical test for this test alone, without a correction for the number of tests.",
    }),
    canDiffer: z.boolean().meta({
      description:
        "`false`: no outcome with these totals could be significant, for example when every simulation of the test passed.",
    }),
    flaky: z.boolean().meta({
      description:
        "Whether the verdicts of the test version with the second run's agent change without a lasting cause: simulations of one run both passed and failed, or the last runs changed at least twice between passing and failing. A broken or mended test is not flaky.",
    }),
    recentRuns: count("Number of the last runs that `flaky` considers, the second run included: at most 10."),
    first: TestSide,
    second: TestSide,
  })
  .meta({ id: "ComparedTest" });

const NamedTest = z.strictObject({ testId: id("tst"), testVersionId: id("tstv"), testName: z.string() });

const ComparedRun = z
  .strictObject({
    ...tallyShape,
    testCount: count("Number of tests that both runs played."),
    passRate: shareWhenKnown("`passed` divided by `played`. An undecided simulation counts as not passed."),
    passRateLow: shareWhenKnown(
      "Lower end of the 95 % bootstrap interval over tests, with a fixed seed; null with fewer than five tests.",
    ),
    passRateHigh: shareWhenKnown(
      "Upper end of the 95 % bootstrap interval over tests; null with fewer than five tests.",
    ),
    passHatK,
  })
  .meta({ id: "ComparedRun", description: "One run, with the simulations of the tests that both runs played." });

const wholeTest = (description: string) =>
  z.strictObject({ p: z.number().min(0).max(1), differs: z.boolean() }).meta({ description });

/**
 * Comparison of two runs. The results reflect everything that changed between the runs, not only the agent. `differences` names
 * the changes that the service knows.
 *
 * Simulations of the same test version and persona are compared with each other. Undecided simulations count as not passed.
 * Simulations that ended in an error do not count.
 *
 * Statistics of passing: an exact conditional test compares the whole runs, and an exact test compares each test. On average, at
 * most 3 % of the tests that are named as broken or mended are named falsely (step-up procedure for discrete tests). Two runs
 * without a real difference get `passingDiffers` in at most 5 % of comparisons.
 *
 * Statistics of latency: each simulation contributes its median time to answer. A 99 % bootstrap interval over at least ten pairs
 * compares the medians of the two runs. A difference below 50 ms, or below 5 % of the first run's median, counts as no difference.
 */
export const RunComparison = z
  .strictObject({
    firstRunId: id("run").meta({ description: "Id of the first run." }),
    secondRunId: id("run").meta({ description: "Id of the second run." }),
    firstAgentId: id("agt").meta({ description: "Id of the agent of the first run." }),
    secondAgentId: id("agt").meta({ description: "Id of the agent of the second run." }),
    agents: z
      .strictObject({ first: z.string(), second: z.string() })
      .nullable()
      .meta({ description: "The names of the runs' agents when they are different agents; otherwise null." }),
    differences: z.array(RunDifference).meta({
      description:
        "The known differences between the runs besides the agent. With a difference of another kind than `tests`, a difference in the results is no evidence about the agent. Only simulations of the same test version are compared.",
    }),
    attributableToAgent: z.boolean().meta({
      description:
        "Whether `passingDiffers` is true, and the service knows no difference between the runs besides the agent and the tests. A difference in latency alone does not count, because load and network also change the latency.",
    }),
    passingDiffers: z.boolean().meta({
      description:
        "Whether the pass rates, the shares of undecided simulations or any test differ by more than chance explains.",
    }),
    passingSentence: z.string(),
    latencyDiffers: z.boolean(),
    latencySentence: z.string(),
    words: z.array(z.string()).meta({
      description:
        "The result as sentences for people: known differences besides the agent if there are any, passing, latency, then notes.",
    }),
    first: ComparedRun,
    second: ComparedRun,
    passRateDifference: z
      .strictObject({ value: z.number(), low: z.number().nullable(), high: z.number().nullable() })
      .nullable()
      .meta({
        description:
          "Pass rate of the second run minus the pass rate of the first run, with its 95 % bootstrap interval over tests. The ends are null with fewer than five tests.",
      }),
    p: z.number().min(0).max(1).meta({
      description:
        "p-value of the exact test of the pass rates, stratified by test and persona: the probability of a result that is at most as probable as the observed result, if both runs had the same pass rates.",
    }),
    undecided: wholeTest("Result of the same exact test for the shares of undecided simulations."),
    tests: z.array(ComparedTest).meta({
      description:
        "Every test that both runs played: the broken tests first, then the mended tests, the flaky tests and all other tests.",
    }),
    brokenTests: z.array(NamedTest),
    mendedTests: z.array(NamedTest),
    flakyTests: z.array(NamedTest),
    pairs: count("Number of simulations that exist in both runs."),
    unpaired: count("Number of simulations that exist in only one run, for example after an edit of the test."),
    decided: count("Number of pairs in which both sides passed or failed."),
    regressed: z.array(FlippedSimulation).meta({ description: "Pairs that passed only in the first run." }),
    mended: z.array(FlippedSimulation).meta({ description: "Pairs that passed only in the second run." }),
    latency: z
      .strictObject({
        pairs: count("Number of pairs with a time to answer on both sides."),
        firstMs: z.number(),
        secondMs: z.number(),
        differenceMs: z.number().meta({ description: "Median of the second run minus median of the first run." }),
        lowMs: z.number().meta({ description: "Lower end of the 99 % interval of the difference." }),
        highMs: z.number().meta({ description: "Upper end of the 99 % interval of the difference." }),
      })
      .nullable()
      .meta({
        description:
          "Median over the pairs of each simulation's median time to answer, in milliseconds; null with fewer than ten pairs.",
      }),
    distinguishable: z.boolean().meta({ description: "`passingDiffers` or `latencyDiffers`." }),
  })
  .meta({ id: "RunComparison" });
export type RunComparison = z.infer<typeof RunComparison>;
