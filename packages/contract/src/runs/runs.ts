import { z } from "zod";
import { testsProject } from "../core/access.ts";
import { idInput, timestampInput } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { createOperation, getOperation, listOperation } from "../core/resource-operations.ts";
import { project, projectId, yesOrNo } from "../core/selection.ts";
import { VERDICTS } from "../graders/verdicts.ts";
import { RunBehavior } from "./behaviors.ts";
import { RunComparison } from "./comparison.ts";
import { RunEvent } from "./events.ts";
import { RunGrid } from "./grid.ts";
import { allowUngraded, maxCost, runLimits, runOptions, runSelection } from "./options.ts";
import { AgentPassRate, TestPassRate } from "./pass-rates.ts";
import { RunPlan } from "./plan.ts";
import { ApiRun, Run } from "./run.ts";
import { ListedSimulation } from "./simulation.ts";
import { TestResults } from "./test-results.ts";
import { RunUsage } from "./usage.ts";
import { RUN_STATUSES, SIMULATION_STATUSES } from "./vocabulary.ts";

const versions = z.array(idInput("tstv")).min(1).max(LIMITS.runTestVersions);
const dryRun = yesOrNo.optional().meta({ description: "`true` returns the plan and starts nothing." });
const after = z.coerce.number<number>().int().min(0).optional();

const all = {
  tag: "Runs",
  path: "/v1/runs",
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ run: Run }),
} as const;
const one = {
  ...all,
  path: "/v1/runs/{runId}",
  resource: "run",
  params: z.strictObject({ runId: idInput("run") }),
} as const;

const start = {
  tag: "Runs",
  ...testsProject,
  description: "Repeating a request with the same `Idempotency-Key` and body returns the existing run.",
  headers: { idempotencyKey: "Idempotency-Key" },
  alsoStatus: { 200: "The plan of a dry run." },
  errors: ["conflict", "parent_agent_archived"],
} as const;

/** Runs of tests against an agent. */
export const runs = {
  /**
   * Starts a run of a suite's tests, of tests with a tag, or of the given test versions. With `dryRun=true`, returns the plan with
   * 200 and starts nothing.
   *
   * A repeated request with the same `Idempotency-Key` and the same body returns the existing run. The same key with another body
   * gets 409 `conflict`. Without a key, every request starts a run.
   */
  create: createOperation({
    ...start,
    path: "/v1/runs",
    summary: "Start a run",
    query: z.strictObject({ projectId, dryRun }),
    body: z.strictObject({
      suiteId: idInput("ste").optional(),
      testVersions: versions.optional(),
      ...runSelection,
      agentId: idInput("agt"),
      connectionId: idInput("con"),
      ...runOptions,
      ...runLimits,
      allowUngraded,
      maxCost,
    }),
    answer: z.union([z.strictObject({ run: Run }), z.strictObject({ plan: RunPlan })]),
  }),

  /**
   * Plays an earlier run again, with the same test versions, personas, agent, connection and options. The current graders and mock
   * tools apply. An `Idempotency-Key` works as in `runs.create`.
   */
  rerun: createOperation({
    ...one,
    ...testsProject,
    path: "/v1/runs/{runId}/rerun",
    summary: "Play a run again",
    description:
      "Plays the same test versions and personas against the same agent and connection with the same options, but with the current graders and mock tools.",
    headers: { idempotencyKey: "Idempotency-Key" },
    body: z.strictObject({
      notPassed: z.boolean().optional().meta({
        description: "`true` plays only the pairs of test and persona that did not pass in the earlier run.",
      }),
      name: runOptions.name.meta({ description: "Name of the new run. Default: the name of the earlier run." }),
    }),
    errors: ["conflict", "parent_agent_archived"],
  }),

  /**
   * Starts a run of the given test versions. Field names are in snake_case, and the answer is the run itself. An `Idempotency-Key`
   * and `dry_run=true` work as in `runs.create`.
   */
  createApi: createOperation({
    ...start,
    twinOf: "runs.create",
    path: "/api/runs",
    summary: "Start a run of test versions",
    query: z.strictObject({ dry_run: dryRun }),
    body: z.strictObject({
      test_versions: versions,
      agent: idInput("agt"),
      connection: idInput("con"),
      ...runOptions,
      allow_ungraded: allowUngraded,
      max_cost: maxCost,
      project,
    }),
    answer: z.union([ApiRun, z.strictObject({ plan: RunPlan })]),
  }),

  /** Lists runs, newest first. */
  list: listOperation({
    ...all,
    summary: "List runs",
    items: { runs: Run },
    filters: {
      agentId: idInput("agt").optional(),
      suiteId: idInput("ste").optional().meta({ description: "Only runs that were started from this suite." }),
      scheduleId: idInput("sch").optional().meta({ description: "Only runs of this schedule." }),
      testId: idInput("tst").optional().meta({ description: "Only runs that play any version of this test." }),
      status: z.enum(RUN_STATUSES).optional(),
    },
  }),

  /** Returns a run with the numbers of its simulations by status and by verdict. */
  get: getOperation({ ...one, summary: "Show a run" }),

  /** Lists a run's simulations, newest first. */
  simulations: listOperation({
    ...one,
    path: "/v1/runs/{runId}/simulations",
    summary: "List a run's simulations",
    items: { simulations: ListedSimulation },
    filters: {
      verdict: z.enum(VERDICTS).optional(),
      testId: idInput("tst").optional(),
      personaId: idInput("prs").optional(),
      status: z.enum(SIMULATION_STATUSES).optional(),
      grades: yesOrNo.optional().meta({ description: "`true` includes the grades of each simulation." }),
    },
  }),

  /**
   * Returns all simulations of a run in one answer, as a grid of tests and personas with the result of each test. A run has at most
   * 5,000 simulations. The grid has fewer fields per simulation than `runs.simulations`.
   */
  grid: getOperation({
    ...one,
    path: "/v1/runs/{runId}/grid",
    summary: "Show a run as a grid",
    answer: z.strictObject({ grid: RunGrid }),
  }),

  /**
   * Groups the grades of a run's simulations by test and criterion, most failures first. Each group has the counts of its verdicts,
   * and one example that did not pass. The answer contains at most 500 groups; `total` counts all of them.
   */
  behaviors: getOperation({
    ...one,
    path: "/v1/runs/{runId}/behaviors",
    summary: "Show a run's grades by behavior",
    query: z.strictObject({
      projectId,
      testId: idInput("tst").optional(),
      verdict: z
        .enum(VERDICTS)
        .optional()
        .meta({ description: "Only behaviors with at least one grade of this verdict in the run." }),
    }),
    answer: z.strictObject({
      behaviors: z.array(RunBehavior).max(LIMITS.runBehaviorsShown),
      total: count("Number of all groups that match, including groups that `behaviors` leaves out."),
    }),
  }),

  /**
   * Compares a run with a later run. Returns what is known to differ in their conditions, such as the version of the agent. Also
   * returns which pass rates, tests and latencies differ by more than chance explains.
   */
  compare: getOperation({
    ...one,
    path: "/v1/runs/{runId}/comparison",
    summary: "Compare two runs",
    query: z.strictObject({
      projectId,
      with: idInput("run").meta({ description: "Id of the other, later run (`run_…`)." }),
    }),
    answer: z.strictObject({ comparison: RunComparison }),
    errors: ["conflict"],
  }),

  /** Lists the results of a test by run, newest run first. Canceled simulations do not count. */
  passRatesOfTest: listOperation({
    tag: "Runs",
    path: "/v1/tests/{testId}/pass-rates",
    summary: "List a test's pass rates over runs",
    resource: "test",
    params: z.strictObject({ testId: idInput("tst") }),
    items: { passRates: TestPassRate },
    filters: { agentId: idInput("agt").optional(), testVersionId: idInput("tstv").optional() },
  }),

  /**
   * Lists tests, newest first, with their last results and whether they are flaky. The results of a test are from the last runs of
   * the version and the agent that ran last. With `testId`, the list has only this test.
   */
  resultsOfTests: listOperation({
    tag: "Runs",
    path: "/v1/test-results",
    summary: "List tests with their last results",
    items: { results: TestResults },
    filters: {
      suiteId: idInput("ste").optional().meta({ description: "Only tests of this suite." }),
      testId: idInput("tst").optional(),
      agentId: idInput("agt").optional().meta({ description: "Only runs of this agent." }),
    },
  }),

  /** Returns the number of a project's runs in a period, and the judge's requests, tokens and cost for these runs. */
  usage: getOperation({
    tag: "Runs",
    path: "/v1/usage",
    summary: "Show a project's runs and judge usage in a period",
    query: z.strictObject({
      projectId,
      from: timestampInput.optional().meta({ description: "Start of the period. Default: 30 days before its end." }),
      to: timestampInput.optional().meta({ description: "End of the period, exclusive. Default: now." }),
    }),
    answer: z.strictObject({ usage: RunUsage }),
  }),

  /** Lists the results of an agent by run, newest run first. Canceled simulations do not count. */
  passRatesOfAgent: listOperation({
    tag: "Runs",
    path: "/v1/agents/{agentId}/pass-rates",
    summary: "List an agent's pass rates over runs",
    resource: "agent",
    params: z.strictObject({ agentId: idInput("agt") }),
    items: { passRates: AgentPassRate },
  }),

  /**
   * Returns the events after the sequence number `after`. With `wait`, the service delays the answer until the next event, for at
   * most that number of seconds.
   *
   * `caughtUp` is true when the answer contains the newest event so far. `done` is true when the run has ended, its grading is final
   * and no event is left to read. With `simulationId`, the answer contains only the events of this simulation, and `done` is true when
   * the simulation has ended, its grading is final and none of its events is left to read.
   */
  events: getOperation({
    ...one,
    path: "/v1/runs/{runId}/events",
    summary: "Read a run's events",
    query: z.strictObject({
      projectId,
      after: after.meta({ description: "`next` of the previous answer." }),
      simulationId: idInput("sim").optional().meta({
        description: "Id of a simulation of the run. The answer then contains only its events, and `done` is about it.",
      }),
      wait: z.coerce
        .number<number>()
        .int()
        .min(0)
        .max(LIMITS.eventWaitSeconds)
        .optional()
        .meta({ description: "Maximum number of seconds to wait for the next event." }),
    }),
    answer: z.strictObject({ events: z.array(RunEvent), next: count(), caughtUp: z.boolean(), done: z.boolean() }),
  }),

  /** Cancels the simulations of a run that have not ended. Does not change a run that has ended. */
  cancel: operation({
    ...one,
    ...testsProject,
    method: "POST",
    path: "/v1/runs/{runId}/cancel",
    summary: "Cancel a run",
    status: 200,
  }),
};
