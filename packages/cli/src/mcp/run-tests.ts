import { EVERY_ITERATION } from "@svc/contract/constants";
import { idInput, LIMITS, type ListedSimulation } from "@svc/contract";
import { z } from "zod";
import { idsOf } from "../look-up.ts";
import { usage } from "../refusal.ts";
import { readResult, type RunResult } from "../runs/result.ts";
import { outcomeOfRun } from "../runs/requirement.ts";
import { selectAgent, selectConnection, selectTests } from "../runs/select.ts";
import { type TestResult, testResults } from "../runs/test-results.ts";
import { firstThatFits, said, tool, type ToolContext } from "./tool.ts";

/** Shorter than one minute, because many clients abort a call after a minute. */
const WAIT_SECONDS = 45;

const RunAnswer = z.strictObject({
  runId: z.string(),
  isDone: z.boolean().describe("`false`: the run goes on. Call run_tests again with its runId."),
  outcome: z.enum(["passed", "failed", "undecided"]).describe("What a gate on this run says."),
  simulations: z.int(),
  passed: z.int(),
  failed: z.int(),
  undecided: z.int().describe("Simulations that nobody decided, or that are not over."),
  failures: z
    .array(
      z.strictObject({
        simulationId: z.string().describe("One that did not pass."),
        test: z.string(),
        passed: z.int(),
        failed: z.int(),
        undecided: z.int(),
        behavior: z.string().nullable(),
        reason: z.string().nullable(),
      }),
    )
    .describe("Tests that did not pass each time, the failed ones first."),
  moreFailures: z.int().describe("Further such tests."),
  page: z.string().nullable(),
});

export const runTests = tool({
  name: "run_tests",
  title: "Run tests",
  description:
    "Plays tests against an agent and waits for the verdicts. Name a suite, or tests; the agent and its connection when there are several. With runId it waits for a run that goes on. `why_failed` then says why.",
  needs: "test",
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    suite: z.string().optional().describe("Id or exact name of a suite."),
    tests: z.array(z.string()).min(1).max(50).optional().describe("Ids or exact names of tests, in place of a suite."),
    agent: z.string().optional().describe("Id or exact name. Default: the only agent."),
    connection: z.string().optional().describe("Id or exact name. Default: the agent's only connection."),
    iterations: z
      .int()
      .min(1)
      .max(LIMITS.runIterations)
      .optional()
      .describe("How often each test is played. Default: 1."),
    runId: idInput("run").optional().describe("A run that goes on, in place of a new one."),
    waitSeconds: z.int().min(1).max(600).default(WAIT_SECONDS),
  }),
  output: RunAnswer,
  async run({ runId, waitSeconds, ...wanted }, context) {
    const id = runId ?? (await start(context, wanted));
    const isDone = await follow(context, id, waitSeconds, runId === undefined);
    const result = await readResult(context.session, id);
    const rest = isDone ? "" : ` It goes on: call run_tests with runId "${id}".`;
    return firstThatFits(
      [20, 10, 4, 1].map((most) => () => {
        const value = answerOf(result, isDone, most);
        return { value, text: `${value.outcome}: ${value.passed} of ${value.simulations} simulations passed.${rest}` };
      }),
    );
  },
});

type Wanted = {
  suite?: string | undefined;
  tests?: string[] | undefined;
  agent?: string | undefined;
  connection?: string | undefined;
  iterations?: number | undefined;
};

async function start(
  { session }: ToolContext,
  { suite, tests, agent, connection, iterations }: Wanted,
): Promise<string> {
  const { client, projectId } = session;
  if ((suite === undefined) === (tests === undefined)) throw usage("Name either a suite or tests.");
  const selected =
    suite === undefined ? await versionsOf(session, tests!) : await selectTests(session, { suite, tag: undefined });
  const agentId = await selectAgent(session, agent);
  const connectionId = await selectConnection(session, agentId, connection);
  // This request has no signal. If it were aborted, the run could start without a known id.
  const answer = await client.runs.create({ ...selected, agentId, connectionId, iterations, projectId });
  if ("plan" in answer) throw new Error("the service answered with a plan");
  return answer.run.id;
}

async function versionsOf(session: ToolContext["session"], tests: string[]): Promise<{ testVersions: string[] }> {
  const { client, projectId: project } = session;
  const ids = await idsOf(session, "test", tests);
  const found = await Promise.all(ids.map((testId) => client.tests.get({ testId, project })));
  return { testVersions: found.map(({ version_id }) => version_id) };
}

/**
 * Returns whether the run has ended. When the assistant cancels the call, cancels the run, but only a run that this call started
 * (`isOwn`).
 */
async function follow(
  { session, signal, stopping, progress }: ToolContext,
  runId: string,
  seconds: number,
  isOwn: boolean,
): Promise<boolean> {
  const { followRun } = await import("@svc/sdk");
  const { client, projectId } = session;
  const { run } = await client.runs.get({ runId, projectId });
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), seconds * 1_000);
  let done = 0;
  try {
    const options = { projectId, signal: AbortSignal.any([signal, ended.signal, stopping]) };
    for await (const event of followRun(client, runId, options)) {
      if (event.kind !== "grade") continue;
      done += 1;
      await progress(done, run.simulationCount, `${done} of ${run.simulationCount} simulations have a verdict`);
    }
    return true;
  } catch (error) {
    // A service that stops closes its connections, which also aborts `signal`. In that case, the assistant has not canceled the
    // call.
    if (ended.signal.aborted || stopping.aborted) return false;
    if (signal.aborted && isOwn) await client.runs.cancel({ runId, projectId });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function answerOf(result: RunResult, isDone: boolean, most: number): z.input<typeof RunAnswer> {
  const { run, page } = result;
  const results = testResults(result);
  const failing = results
    .filter(({ passed, unfinished, simulations }) => passed + unfinished < simulations.length)
    .sort((one, other) => other.failed - one.failed);
  return {
    runId: run.id,
    isDone,
    outcome: outcomeOfRun(run, results, EVERY_ITERATION),
    simulations: run.simulationCount,
    passed: run.passedVerdicts,
    failed: run.failedVerdicts,
    undecided: run.simulationCount - run.passedVerdicts - run.failedVerdicts,
    failures: failing.slice(0, most).map(failureOf),
    moreFailures: Math.max(0, failing.length - most),
    page,
  };
}

function failureOf({ title, simulations, passed, failed, undecided, errored }: TestResult) {
  const isOpen = ({ verdict }: ListedSimulation) => verdict !== null && verdict !== "passed";
  const {
    id,
    message,
    grades = [],
  } = simulations.find(({ verdict }) => verdict === "failed") ?? simulations.find(isOpen)!;
  const counting = grades.filter((grade) => grade.counts && grade.verdict !== "passed");
  const cause = counting.find(({ verdict }) => verdict === "failed") ?? counting[0];
  return {
    simulationId: id,
    test: said(title, 120),
    passed,
    failed,
    undecided: undecided + errored,
    behavior: cause === undefined ? null : said(cause.criterion, 200),
    reason: said(cause?.reason ?? message ?? "", 200) || null,
  };
}
