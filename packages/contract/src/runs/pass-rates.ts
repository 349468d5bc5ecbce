import { z } from "zod";
import { id, timestamp } from "../core/ids.ts";
import { count, shareWhenKnown, versionNumber } from "../core/numbers.ts";
import { passHatK, tallyShape } from "./tally.ts";

const ofRun = {
  runId: id("run"),
  runName: z.string().nullable(),
  createdAt: timestamp(),
  ...tallyShape,
  pending: count("Number of simulations without a final verdict. No other number includes them."),
  passRate: shareWhenKnown("`passed` divided by `played`. An undecided simulation counts as not passed."),
  passHatK,
};

/** Result of one test in one run. */
export const TestPassRate = z
  .strictObject({
    ...ofRun,
    agentId: id("agt"),
    agentName: z.string().meta({ description: "Current name of the agent." }),
    testVersionIds: z.array(id("tstv")).meta({ description: "Versions of the test in the run; usually one." }),
    testVersions: z.array(versionNumber).meta({ description: "Numbers of these versions, in the same order." }),
  })
  .meta({ id: "TestPassRate" });
export type TestPassRate = z.infer<typeof TestPassRate>;

/** Result of one run of an agent. */
export const AgentPassRate = z
  .strictObject({
    ...ofRun,
    testCount: count(),
    passRateLow: shareWhenKnown(
      "Lower end of the 95 % bootstrap interval over tests, with a fixed seed; null with fewer than five tests.",
    ),
    passRateHigh: shareWhenKnown(
      "Upper end of the 95 % bootstrap interval over tests; null with fewer than five tests.",
    ),
  })
  .meta({ id: "AgentPassRate" });
export type AgentPassRate = z.infer<typeof AgentPassRate>;
