import type { Answer, Operations } from "@svc/contract";
import { take } from "../terminal/list.ts";
import { connectionIdsOf, idOf, idsOf, isNamed } from "../look-up.ts";
import { Refusal, usage } from "../refusal.ts";
import type { Session } from "../session/session.ts";

export type SelectedTests = { suiteId?: string; tags?: string[] } | { testVersions: string[] };

type TestSelectionFlags = {
  suite?: string | undefined;
  test?: string[] | undefined;
  "test-version"?: string[] | undefined;
  tag?: string[] | undefined;
};

/** Throws when the flags select nothing, or both tests and a suite or tag. */
export async function selectTests(session: Session, flags: TestSelectionFlags): Promise<SelectedTests> {
  const { suite, test: tests = [], "test-version": versions = [], tag: tags } = flags;
  const hasGroup = suite !== undefined || tags !== undefined;
  if (hasGroup && tests.length + versions.length > 0) {
    const group = suite === undefined ? "--tag" : "--suite";
    throw usage(
      `${group} cannot be combined with --test or --test-version. Set either the ${group.slice(2)} or the tests.`,
    );
  }
  if (hasGroup)
    return { ...(suite !== undefined && { suiteId: await idOf(session, "suite", suite) }), ...(tags && { tags }) };
  if (tests.length + versions.length === 0)
    throw usage("There is nothing to run. Set --suite SUITE, --tag TAG, --test TEST or --test-version tstv_….");
  const { client, projectId: project } = session;
  const testIds = await idsOf(session, "test", tests);
  const current = await Promise.all(testIds.map((testId) => client.tests.get({ testId, project })));
  return { testVersions: [...current.map(({ version_id }) => version_id), ...versions] };
}

/** Returns the id of the agent's newest run whose verdicts are all final. With `suiteId`, only runs of that suite count. */
export async function selectEarlierRun(
  { client, projectId, pages }: Session,
  agentId: string,
  suiteId: string | undefined,
): Promise<string> {
  const runs = pages(client.runs.list, { projectId, agentId, suiteId, pageSize: 50 });
  for await (const { id, gradingSettled } of runs) if (gradingSettled) return id;
  const what = suiteId === undefined ? "The agent" : "The suite";
  throw new Refusal(
    "not_found",
    `${what} has no run with verdicts, so nothing failed yet. Leave out --failed-only, or name a run with \`svc runs rerun RUN --failed-only\`.`,
  );
}

/** When `idOrName` is undefined, returns the id of the project's only agent. Throws when the project has no agent or several. */
export async function selectAgent(session: Session, idOrName: string | undefined): Promise<string> {
  if (idOrName !== undefined) return idOf(session, "agent", idOrName);
  const { client, projectId } = session;
  const { agents } = await client.agents.list({ projectId, archived: false, pageSize: 2 });
  if (agents.length === 1) return agents[0]!.id;
  throw agents.length === 0
    ? new Refusal("not_found", "The project has no agent. Register one with `svc agents register --name NAME`.")
    : usage("The project has several agents. Choose one of `svc agents list` with --agent.");
}

/**
 * When `idOrName` is undefined, returns the id of the agent's only connection. Throws when the agent has no connection or several.
 */
export async function selectConnection(
  session: Session,
  agentId: string,
  idOrName: string | undefined,
): Promise<string> {
  if (idOrName !== undefined) {
    return (await connectionIdsOf(session, { agent: agentId, connection: idOrName })).connectionId;
  }
  const connections = await liveConnections(session, agentId);
  if (connections.length === 1) return connections[0]!.id;
  throw connections.length === 0
    ? new Refusal(
        "not_found",
        `The agent has no connection. Add one with \`svc connections add ${agentId} --type TYPE\`.`,
      )
    : usage(`The agent has several connections. Choose one of \`svc connections list ${agentId}\` with --connection.`);
}

const CONSOLE = "platform_b_console";

/** Returns the id of the agent's connection for processes on this machine. Creates a missing connection when `mayCreate` is true. */
export async function selectConsoleConnection(
  session: Session,
  agentId: string,
  { idOrName, command, mayCreate }: { idOrName: string | undefined; command: string; mayCreate: boolean },
): Promise<string> {
  const connections = await liveConnections(session, agentId);
  const [connection] = connections.filter((one) =>
    idOrName === undefined ? one.connectionType === CONSOLE : isNamed(one, idOrName),
  );
  if (connection?.connectionType === CONSOLE) return connection.id;
  if (connection) {
    const type = connection.connectionType;
    throw usage(`--agent-command needs a connection of type ${CONSOLE}, and "${idOrName}" has type ${type}.`);
  }
  if (idOrName !== undefined || !mayCreate) {
    const advice = "Leave out --connection and --dry-run, and the command creates one.";
    throw new Refusal("not_found", `The agent has no such connection of type ${CONSOLE}. ${advice}`);
  }
  const { client, projectId } = session;
  const { connection: created } = await client.connections.create({
    agentId,
    projectId,
    name: "Console",
    connectionType: CONSOLE,
    accessVariant: "platform_b_console.process",
    config: { command },
  });
  return created.id;
}

type Connection = Answer<Operations["connections"]["list"]>["connections"][number];

async function liveConnections({ client, projectId, pages }: Session, agentId: string): Promise<Connection[]> {
  const connections = pages(client.connections.list, { agentId, projectId, archived: false, pageSize: 200 });
  return (await take(connections, Infinity)).items;
}
