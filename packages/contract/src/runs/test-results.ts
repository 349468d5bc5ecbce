import { z } from "zod";
import { id, timestamp } from "../core/ids.ts";
import { versionNumber } from "../core/numbers.ts";
import { tallyShape } from "./tally.ts";

/**
 * Results of a test in its last runs. The newest run with a final verdict of the test determines a version and an agent. Only runs
 * with the same version and agent count.
 */
export const TestResults = z
  .strictObject({
    testId: id("tst"),
    testVersionId: id("tstv").nullable().meta({ description: "Version in these runs; null without a result." }),
    testVersion: versionNumber.nullable().meta({ description: "Number of this version; null without a result." }),
    agentId: id("agt").nullable().meta({ description: "Agent of these runs; null without a result." }),
    agentName: z.string().nullable(),
    flaky: z.boolean().meta({
      description:
        "Whether the verdicts change without a lasting cause: simulations of one run both passed and failed, or the runs changed at least twice between passing and failing.",
    }),
    ...tallyShape,
    runs: z
      .array(
        z.strictObject({ runId: id("run"), runName: z.string().nullable(), createdAt: timestamp(), ...tallyShape }),
      )
      .meta({ description: "The runs, newest first, at most 10. Canceled simulations do not count." }),
  })
  .meta({ id: "TestResults" });
export type TestResults = z.infer<typeof TestResults>;
