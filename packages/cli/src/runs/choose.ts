import type { Answer, Operations } from "@svc/contract";
import type { Connection } from "../connection.ts";
import { take } from "../list.ts";
import { agentIdOf, connectionIdsOf, isId, suiteIdOf } from "../names.ts";
import { Refusal, usage } from "../refusal.ts";

export type Chosen = { suiteId: string } | { testVersions: string[] };

export type Named = {
  suite?: string | undefined;
  test?: string[] | undefined;
  "test-version"?: string[] | undefined;
};

/** What a person wants to be played: a suite, or tests at their current version and versions. */
export async function chosenTests(connection: Connection, named: Named): Promise<Chosen> {
  const { suite, test: tests = [], "test-version": versions = [] } = named;
  if (suite !== undefined && tests.length + versions.length > 0)
    throw usage("Name either --suite, or tests with --test and --test-version.");
  if (suite !== undefined) return { suiteId: await suiteIdOf(connection, suite) };
  if (tests.length + versions.length === 0)
    throw usage("Name what to play: --suite SUITE, --test TEST or --test-version tstv_….");
  return { testVersions: [...(await currentVersions(connection, tests)), ...versions] };
}

async function currentVersions({ client, project, pages }: Connection, named: string[]): Promise<string[]> {
  const byName = new Map<string, string>();
  if (!named.every((text) => isId("tst", text))) {
    for await (const test of pages((cursor) => client.tests.list({ project, cursor, limit: 200 })))
      byName.set(test.name, test.version_id);
  }
  return Promise.all(
    named.map(async (text) => {
      const version = isId("tst", text)
        ? (await client.tests.get({ testId: text, project })).version_id
        : byName.get(text);
      if (version === undefined)
        throw new Refusal("not_found", `There is no test "${text}" that your key sees: look at \`svc tests list\`.`);
      return version;
    }),
  );
}

type Agents = Answer<Operations["agents"]["list"]>;
type Connections = Answer<Operations["connections"]["list"]>;
type Reached = Connections["connections"][number];

/** The agent that is named, or the only one. */
export async function chosenAgent(connection: Connection, named: string | undefined): Promise<string> {
  if (named !== undefined) return agentIdOf(connection, named);
  const { client, project: projectId } = connection;
  const { agents }: Agents = await client.agents.list({ projectId, archived: false, pageSize: 2 });
  if (agents.length === 1) return agents[0]!.id;
  throw agents.length === 0
    ? new Refusal("not_found", "There is no agent: register one with `svc agents register --name NAME`.")
    : usage("There are several agents: name one with --agent.");
}

/** The agent's connection that is named, or the only one. */
export async function chosenConnection(
  connection: Connection,
  agentId: string,
  named: string | undefined,
): Promise<string> {
  if (named !== undefined) {
    return (await connectionIdsOf(connection, { agent: agentId, connection: named })).connectionId;
  }
  const live = await liveConnections(connection, agentId);
  if (live.length === 1) return live[0]!.id;
  throw live.length === 0
    ? new Refusal(
        "not_found",
        `The agent has no connection: add one with \`svc connections add ${agentId} --type TYPE\`.`,
      )
    : usage(`The agent has several connections: name one of \`svc connections list ${agentId}\` with --connection.`);
}

const CONSOLE = "platform_b_console";

/** The agent's connection to processes on this machine; one is made when there is none and `make` says so. */
export async function consoleConnection(
  connection: Connection,
  agentId: string,
  { named, command, make }: { named: string | undefined; command: string; make: boolean },
): Promise<string> {
  const live = await liveConnections(connection, agentId);
  const meant = live.filter(({ id, name, connectionType }) =>
    named === undefined ? connectionType === CONSOLE : id === named || name === named,
  );
  if (meant.length > 0 && meant[0]!.connectionType !== CONSOLE)
    throw usage(
      `--agent-command is for connections of type ${CONSOLE}; "${named}" is of type ${meant[0]!.connectionType}.`,
    );
  if (meant.length > 0) return meant[0]!.id;
  if (named !== undefined || !make)
    throw new Refusal(
      "not_found",
      `The agent has no such connection of type ${CONSOLE}; without --connection one is made.`,
    );
  const { client, project: projectId } = connection;
  const wanted = {
    name: "Console",
    connectionType: CONSOLE,
    accessVariant: "platform_b_console.process",
    config: { command },
  } as const;
  return (await client.connections.create({ agentId, projectId, ...wanted })).connection.id;
}

async function liveConnections(connection: Connection, agentId: string): Promise<Reached[]> {
  const { client, project: projectId, tokenPages } = connection;
  const connections = tokenPages("connections", (pageToken) =>
    client.connections.list({ agentId, projectId, archived: false, pageToken, pageSize: 200 }),
  );
  return (await take(connections, Infinity)).items;
}
