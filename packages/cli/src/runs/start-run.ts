import type { Input, Operations, Run, RunPlan } from "@svc/contract";
import type { AnyInvocation } from "../command.ts";
import type { Session } from "../session/session.ts";
import { keyOfAgents } from "./key-of-agents.ts";
import { runPage } from "./page.ts";
import type { RunResult } from "./result.ts";
import { selectAgent, selectConnection, selectConsoleConnection, type SelectedTests } from "./select.ts";
import { watchRun, watchWithLocalAgents } from "./watch.ts";

/** Limits the load on this machine: each simulation starts a process of the agent. */
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
  /** Cancels the run when it aborts; without it, an interrupted run continues. */
  cancels?: AbortSignal;
  /** Returns the run of which only the pairs that did not pass are played. */
  notPassedIn?: (agentId: string, suiteId: string | undefined) => Promise<string>;
};

type RunOfTests = { tests: SelectedTests; agent?: string | undefined; iterations?: number | undefined };

/** A run that was waited for, or only started, or only planned. */
export type StartedRun = { result: RunResult } | { run: Run; page: string | null } | { plan: RunPlan };

/** Starts a run, names its page and waits for its verdicts; an agent on this machine gets a process for each simulation. */
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
  const answer = isDryRun ? await client.runs.create({ ...input, dryRun: true }) : await client.runs.create(input);
  if ("plan" in answer) return answer;
  const { run } = answer;
  const page = await runPage(session, run);
  if (!waits) return { run, page };
  if (page !== null && !invocation.flags.json) invocation.note(`${run.id}  ${page}`);
  const result =
    agentCommand === undefined
      ? await watchRun(
          invocation,
          session,
          run,
          cancels && { signal: cancels, onInterrupt: () => cancel(session, run) },
        )
      : await watchWithLocalAgents(invocation, session, {
          run,
          command: agentCommand,
          apiKey: keyOfProcesses,
          signal: cancels,
        });
  return { result };
}

async function cancel({ client, projectId }: Session, { id: runId }: Run): Promise<string> {
  await client.runs.cancel({ runId, projectId });
  return `The run ${runId} is canceled.`;
}
