import type { Input, Operations, Run, RunPlan } from "@svc/contract";
import type { AnyInvocation } from "../command.ts";
import type { Session } from "../session/session.ts";
import { keyOfAgents } from "./key-of-agents.ts";
import { runPage } from "./page.ts";
import type { RunResult } from "./result.ts";
import { selectAgent, selectConnection, selectConsoleConnection, type SelectedTests } from "./select.ts";
import { interruptible, watchRun, watchWithLocalAgents } from "./watch.ts";

/** Low, because each simulation with a local agent starts a process on this machine. */
const PROCESSES_AT_ONCE = 4;

export type StartOptions = Pick<
  Input<Operations["runs"]["create"]>,
  "personas" | "name" | "caller" | "turnLimit" | "timeLimitSeconds" | "maxCost" | "allowUngraded" | "idempotencyKey"
> & {
  connection: string | undefined;
  agentCommand: string | undefined;
  concurrency: number | undefined;
  isDryRun: boolean;
  waits: boolean;
  /** Without this signal, the run continues when the user interrupts the command. */
  cancels?: AbortSignal;
  /**
   * Returns the id of an earlier run. The new run plays only the pairs of test and persona that did not pass in the earlier run.
   */
  notPassedIn?: (agentId: string, suiteId: string | undefined) => Promise<string>;
};

type RunOfTests = { tests: SelectedTests; agent?: string | undefined; iterations?: number | undefined };

export type StartedRun = { result: RunResult } | { run: Run; page: string | null } | { plan: RunPlan };

type WatchStarted = {
  /** Agent on this machine that the run plays with; undefined for any other agent. */
  agents: { command: string; apiKey: string | undefined } | undefined;
  waits: boolean;
  cancels?: AbortSignal | undefined;
  interrupted: AbortSignal;
};

export async function startRun(
  invocation: Pick<AnyInvocation, "progress" | "note" | "flags">,
  session: Session,
  { tests, agent, iterations }: RunOfTests,
  options: StartOptions,
): Promise<StartedRun> {
  const { connection, agentCommand, concurrency, isDryRun, waits, cancels, notPassedIn, ...rest } = options;
  const { client, projectId } = session;
  const keyOfProcesses = agentCommand === undefined ? undefined : await keyOfAgents(session, invocation.flags);
  const agentId = await selectAgent(session, agent);
  const connectionId =
    agentCommand === undefined
      ? await selectConnection(session, agentId, connection)
      : await selectConsoleConnection(session, agentId, {
          idOrName: connection,
          command: agentCommand,
          mayCreate: !isDryRun,
        });
  const input: Input<Operations["runs"]["create"]> = {
    ...tests,
    ...rest,
    notPassedIn: await notPassedIn?.(agentId, "suiteId" in tests ? tests.suiteId : undefined),
    agentId,
    connectionId,
    projectId,
    iterations,
    concurrency: concurrency ?? (agentCommand === undefined ? undefined : PROCESSES_AT_ONCE),
  };
  const agents = agentCommand === undefined ? undefined : { command: agentCommand, apiKey: keyOfProcesses };
  return interruptible(async (interrupted) => {
    const answer = await client.runs.create(isDryRun ? { ...input, dryRun: true } : input);
    if ("plan" in answer) return answer;
    return watchStarted(invocation, session, answer.run, { agents, waits, cancels, interrupted });
  });
}

/** Without `waits`, prints nothing and does not wait. */
export async function watchStarted(
  invocation: Pick<AnyInvocation, "progress" | "note" | "flags">,
  session: Session,
  run: Run,
  { agents, waits, cancels, interrupted }: WatchStarted,
): Promise<{ result: RunResult } | { run: Run; page: string | null }> {
  const page = await runPage(session, run);
  if (!waits) return { run, page };
  if (page !== null && !invocation.flags.json) invocation.note(`${run.id}  ${page}`);
  const signal = cancels ?? interrupted;
  if (agents !== undefined)
    return { result: await watchWithLocalAgents(invocation, session, { run, ...agents, signal }) };
  const onInterrupt = cancels && (() => cancel(session, run));
  return { result: await watchRun(invocation, session, run, { signal, ...(onInterrupt && { onInterrupt }) }) };
}

async function cancel({ client, projectId }: Session, { id: runId }: Run): Promise<string> {
  await client.runs.cancel({ runId, projectId });
  return `The run ${runId} is canceled.`;
}
