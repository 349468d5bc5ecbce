import type { Answer, Input, Operations } from "@svc/contract";
import type { Client } from "./client.ts";
import { pages } from "./pages.ts";
import { followRun } from "./run-events.ts";

type RunInput = Input<Operations["runs"]["create"]>;

/** Tests, agent and options of a run. Names must match exactly. */
export type RunRequest = Pick<
  RunInput,
  | "name"
  | "iterations"
  | "concurrency"
  | "caller"
  | "turnLimit"
  | "timeLimitSeconds"
  | "maxCost"
  | "allowUngraded"
  | "idempotencyKey"
> & {
  /** Id or name of the suite whose tests the run plays. Set exactly one of `suite` and `tests`. */
  suite?: string | undefined;
  /** Ids or names of the tests that the run plays, in their current versions. */
  tests?: readonly string[] | undefined;
  /** Id or name of the agent. Default: the project's only agent. */
  agent?: string | undefined;
  /** Id or name of the agent's connection. Default: the agent's only connection. */
  connection?: string | undefined;
  /** Id or name of the project. Required when the key can see several projects. */
  project?: string | undefined;
  /** Signal that cancels the run. `playRun` then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
};

/** Run that has ended and whose grading is final. */
export type PlayedRun = {
  /** Whether the run has completed and every simulation passed. */
  passed: boolean;
  /** Run with its counts. */
  run: Answer<Operations["runs"]["get"]>["run"];
  /** Simulations of the run with their grades, in the order of the plan. */
  simulations: Answer<Operations["runs"]["simulations"]>["simulations"];
};

const PAGE = 200;

/**
 * Plays tests against an agent, and waits until the run has ended and its verdicts are final.
 *
 * ```ts
 * const { passed, simulations } = await playRun(client, { suite: "Booking", agent: "Front desk", iterations: 3 });
 * ```
 *
 * @param client - a client whose credential may play tests: an API key with the permission `test`, or a member's session.
 * @throws Error when a name of the request does not exist or is ambiguous, and when the request selects no tests.
 * @throws SvcError when the service rejects a request, or does not answer for two minutes.
 */
export async function playRun(client: Client, request: RunRequest): Promise<PlayedRun> {
  const { suite, tests, agent, connection, project: projectId, signal, ...options } = request;
  const selected = await testsOf(client, request);
  const agentId = await agentIdOf(client, request);
  const connectionId = await connectionIdOf(client, agentId, request);
  // This call has no signal. If the call were aborted, the run could start, but its id would be unknown, and nobody could cancel the run.
  const started = await client.runs.create({ ...options, ...selected, agentId, connectionId, projectId });
  if (!("run" in started)) throw new Error("The service answered with a plan instead of a run.");
  const runId = started.run.id;
  try {
    for await (const _ of followRun(client, runId, { projectId, signal }));
  } catch (error) {
    if (signal?.aborted) await client.runs.cancel({ runId, projectId }).catch(() => undefined);
    throw error;
  }
  const filter = { runId, projectId, grades: true, pageSize: PAGE };
  const simulations = (await arrayOf(pages(client.runs.simulations, filter, { signal }))).reverse();
  const { run } = await client.runs.get({ runId, projectId }, { signal });
  const hasAllVerdicts = run.status === "completed" && run.gradingSettled && simulations.length > 0;
  return { passed: hasAllVerdicts && simulations.every(({ verdict }) => verdict === "passed"), run, simulations };
}

async function testsOf(
  { suites, tests: definitions }: Client,
  { suite, tests, project, signal }: RunRequest,
): Promise<Pick<RunInput, "suiteId" | "testVersions">> {
  if ((suite === undefined) === (tests === undefined || tests.length === 0))
    throw new Error("The run needs either a suite or tests. Set `suite` or `tests`.");
  if (suite !== undefined) {
    const list = () => pages(suites.list, { projectId: project, pageSize: PAGE }, { signal });
    const [suiteId] = await idsOf("suite", "ste_", [suite], list);
    return { suiteId };
  }
  const list = () => pages(definitions.list, { project, limit: PAGE }, { signal });
  const testIds = await idsOf("test", "tst_", tests!, list);
  const current = await Promise.all(testIds.map((testId) => definitions.get({ testId, project }, { signal })));
  return { testVersions: current.map(({ version_id }) => version_id) };
}

async function agentIdOf({ agents }: Client, { agent, project, signal }: RunRequest): Promise<string> {
  const list = () => pages(agents.list, { projectId: project, pageSize: PAGE }, { signal });
  return agent === undefined ? onlyIdOf("agent", list) : (await idsOf("agent", "agt_", [agent], list))[0]!;
}

async function connectionIdOf(
  { connections }: Client,
  agentId: string,
  { connection, project, signal }: RunRequest,
): Promise<string> {
  const list = () => pages(connections.list, { agentId, projectId: project, pageSize: PAGE }, { signal });
  if (connection === undefined) return onlyIdOf("connection", list);
  return (await idsOf("connection", "con_", [connection], list))[0]!;
}

type Resource = { id: string; name: string };

/** Returns the ids of resources by their ids or names. Throws for a name that no resource or several resources have. */
async function idsOf(
  kind: string,
  prefix: string,
  idsOrNames: readonly string[],
  list: () => AsyncIterable<Resource>,
): Promise<string[]> {
  const isId = (text: string) => text.startsWith(prefix);
  if (idsOrNames.every(isId)) return [...idsOrNames];
  const all = await arrayOf(list());
  return idsOrNames.map((idOrName) => {
    if (isId(idOrName)) return idOrName;
    const [id, ...others] = all.filter(({ name }) => name === idOrName).map((one) => one.id);
    if (id === undefined) throw new Error(`There is no ${kind} "${idOrName}". ${namesText(kind, all)}`);
    if (others.length === 0) return id;
    throw new Error(`Several ${kind}s have the name "${idOrName}". Set the id: ${[id, ...others].join(", ")}.`);
  });
}

/** Returns the id of the only resource. Throws when there is none or more than one. */
async function onlyIdOf(kind: string, list: () => AsyncIterable<Resource>): Promise<string> {
  const all = await arrayOf(list());
  if (all.length === 1) return all[0]!.id;
  throw new Error(`The run needs the name of its ${kind}: set \`${kind}\`. ${namesText(kind, all)}`);
}

const NAMES_SHOWN = 10;

const namesText = (kind: string, all: Resource[]) => {
  const names = all.slice(0, NAMES_SHOWN).map(({ name }) => name);
  return names.length === 0
    ? `The project has no ${kind}.`
    : `There are: ${names.join(", ")}${all.length > NAMES_SHOWN ? " …" : "."}`;
};

/** Collects all items in an array. Replaces `Array.fromAsync`, which Node 20 lacks. */
async function arrayOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const array: T[] = [];
  for await (const item of items) array.push(item);
  return array;
}
