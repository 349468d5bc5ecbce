import { z } from "zod";
import { id } from "../core/ids.ts";
import { count, shareWhenKnown, versionNumber } from "../core/numbers.ts";
import { VERDICTS } from "../graders/verdicts.ts";
import { tallyShape } from "./tally.ts";
import { SIMULATION_STATUSES } from "./vocabulary.ts";

const GridSimulation = z
  .strictObject({
    id: id("sim"),
    personaId: z.string(),
    iteration: count("Iteration number, starting at 1."),
    status: z.enum(SIMULATION_STATUSES),
    verdict: z.enum(VERDICTS).nullable().meta({
      description:
        "The final verdict; null before the grading is final, and for a canceled simulation without a verdict.",
    }),
    behaviorsGraded: count("Number of behaviors with the verdict `passed` or `failed`."),
    behaviorCount: count(),
  })
  .meta({ id: "GridSimulation" });

const GridTest = z
  .strictObject({
    testId: id("tst"),
    testVersionId: id("tstv"),
    testVersion: versionNumber,
    testName: z.string(),
    ...tallyShape,
    pending: count("Number of simulations without a final verdict. No other number includes them."),
    passRate: shareWhenKnown("`passed` divided by `played`. An undecided simulation counts as not passed."),
    passRateLow: shareWhenKnown("Lower end of the 95 % Wilson interval of `passRate`."),
    passRateHigh: shareWhenKnown("Upper end of the 95 % Wilson interval of `passRate`."),
    mixed: z
      .boolean()
      .meta({ description: "Whether some simulations of the test passed and others failed in this run." }),
    simulations: z.array(GridSimulation).meta({ description: "Sorted by persona and iteration." }),
  })
  .meta({ id: "GridTest" });

/** All simulations of a run as a grid: a row for each test, a column for each persona. */
export const RunGrid = z
  .strictObject({
    personas: z
      .array(z.strictObject({ personaId: z.string(), personaName: z.string() }))
      .meta({ description: "The columns of the grid, sorted by the name of the persona." }),
    tests: z.array(GridTest).meta({
      description:
        "The rows of the grid: one for each test version, lowest pass rate first, and tests without a pass rate last.",
    }),
  })
  .meta({ id: "RunGrid" });
export type RunGrid = z.infer<typeof RunGrid>;
