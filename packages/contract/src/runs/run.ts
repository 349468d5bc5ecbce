import { z } from "zod";
import { id, timestamp } from "../core/ids.ts";
import { count, shareWhenKnown } from "../core/numbers.ts";
import { snakeCased } from "../core/snake-case.ts";
import { RUN_STATUSES } from "./vocabulary.ts";

/** Person or API key that started a run or created a schedule. */
export const RunStarter = z.strictObject({
  kind: z.enum(["person", "key"]),
  name: z
    .string()
    .nullable()
    .meta({ description: "Current name; null for a deleted account and for a key without a name." }),
});

const runShape = {
  id: id("run"),
  projectId: id("prj"),
  name: z.string().nullable(),
  status: z
    .enum(RUN_STATUSES)
    .meta({ description: "Execution status. Grading may continue after the run has completed." }),
  stopReason: z.enum(["canceled_by_user", "agent_unreachable"]).nullable().meta({
    description:
      "Why the run was canceled; null otherwise. `agent_unreachable`: three simulations in a row got no answer.",
  }),
  suiteId: id("ste").nullable().meta({
    description:
      "The suite whose tests the run plays; null for a run of test versions, and for runs that an earlier version of the service stored without it.",
  }),
  suiteName: z.string().nullable().meta({ description: "Name of the suite when the run was created." }),
  agentId: id("agt"),
  agentName: z.string().meta({ description: "Current name of the agent." }),
  connectionId: id("con"),
  connectionType: z.string(),
  caller: z.enum(["scripted", "model"]).meta({
    description:
      "`scripted`: the caller says only the lines and facts that the scenario gives it. `model`: a language model plays the caller.",
  }),
  callerModel: z.string().nullable().meta({
    description: "Name of the language model that plays the caller; null for a scripted caller, and when not recorded.",
  }),
  testCount: count("Number of different tests in the run."),
  personaCount: count("Number of different personas in the run."),
  iterations: count(),
  concurrency: count("Maximum number of simulations at the same time."),
  turnLimit: count("Maximum number of turns of one conversation, both sides together."),
  timeLimitSeconds: count("Maximum length of one conversation in seconds."),
  maxCost: z
    .number()
    .min(0)
    .nullable()
    .meta({ description: "Cost of the judge at which judging stops; null without a limit." }),
  judgeRequests: count(
    "Number of answered requests to the judge in all gradings of this run. Requests of callers do not count.",
  ),
  judgeInputTokens: count("Tokens of the judge's prompts, including cached tokens; null when not reported.").nullable(),
  judgeCachedInputTokens: count(
    "Tokens that the model's endpoint took from its cache; null when not reported.",
  ).nullable(),
  judgeOutputTokens: count("Tokens of the judge's answers; null when not reported.").nullable(),
  judgeCost: z.number().min(0).nullable().meta({
    description: "Cost of the judge by the service's prices; null when a price or a number of tokens is not known.",
  }),
  allowUngraded: z.boolean().meta({
    description:
      "`true`: a simulation of this run passes when at least one expected behavior passed and none failed, although others are undecided.",
  }),
  simulationCount: count(),
  queuedCount: count(),
  runningCount: count(),
  completedCount: count(),
  failedCount: count(
    "Number of simulations that could not be played to an end. It does not count simulations with the verdict `failed`.",
  ),
  canceledCount: count(),
  passedVerdicts: count(),
  failedVerdicts: count(),
  inconclusiveVerdicts: count(),
  erroredVerdicts: count(
    "Number of simulations that ended in an error of the service or the network. The pass rate does not include them.",
  ),
  notGradedVerdicts: count(),
  pendingVerdicts: count("Number of simulations without a final verdict."),
  decidedSimulations: count("Number of simulations that passed or failed."),
  undecidedSimulations: count("Number of simulations that are inconclusive or not graded."),
  behaviorCount: count("Number of expected behaviors of all simulations with a final verdict."),
  decidedBehaviors: count("Number of these behaviors that passed or failed."),
  undecidedBehaviors: count("Number of these behaviors that are inconclusive, errored or not graded."),
  passRate: shareWhenKnown(
    "Passed simulations divided by decided and undecided simulations, so that an undecided simulation counts as not passed; null when no simulation is decided or undecided.",
  ),
  passRateLow: shareWhenKnown(
    "Lower end of the 95 % bootstrap interval of the pass rate over tests, with a fixed seed; null with fewer than five tests.",
  ),
  passRateHigh: shareWhenKnown(
    "Upper end of the 95 % bootstrap interval of the pass rate over tests; null with fewer than five tests.",
  ),
  gradingSettled: z.boolean(),
  startedBy: RunStarter.nullable().meta({
    description:
      "The person or the API key that started the run; null for runs that a schedule started, and for runs that an earlier version of the service stored without it.",
  }),
  scheduleId: id("sch")
    .nullable()
    .meta({ description: "The schedule that the run belongs to; null for any other run." }),
  scheduleName: z
    .string()
    .nullable()
    .meta({ description: "Current name of the schedule; null without a schedule, and when the schedule was deleted." }),
  scheduledFor: timestamp().nullable().meta({
    description: "The due time for which the schedule started the run; null when a person or a key started it.",
  }),
  require: z.string().nullable().meta({
    description:
      "Share of the iterations of each test that must pass, as the run's schedule says, such as `4/5`; null without such a share.",
  }),
  createdAt: timestamp(),
  startedAt: timestamp().nullable(),
  endedAt: timestamp().nullable().meta({ description: "When the last simulation ended." }),
  notes: z.array(z.string()).optional().meta({
    description:
      "What a person should know about the run, such as conversations without a span of the agent's worker. Present only in an answer with a single run; empty before the run has ended.",
  }),
};

/** Run: test versions that are played against an agent, once per persona and iteration. */
export const Run = z
  .strictObject(runShape)
  .meta({ id: "Run", description: "A run of test versions against an agent." });
export type Run = z.infer<typeof Run>;

/** Run in answers of `/api` operations, with field names in snake_case. */
export const ApiRun = z.strictObject(snakeCased(runShape)).meta({ id: "ApiRun" });
export type ApiRun = z.infer<typeof ApiRun>;
