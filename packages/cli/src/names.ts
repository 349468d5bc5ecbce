import type { Connection } from "./connection.ts";
import { Refusal } from "./refusal.ts";

/** The id of a project named by id or exact name. */
export async function projectIdOf({ client, tokenPages }: Connection, named: string): Promise<string> {
  return idOf(
    tokenPages("projects", (pageToken) => client.projects.list({ pageToken, pageSize: 200 })),
    named,
    "project",
    "projects",
  );
}

/** The id of a suite of the selected project, named by id or exact name. */
export async function suiteIdOf(
  { client, project: projectId, tokenPages }: Connection,
  named: string,
): Promise<string> {
  if (isId("ste", named)) return named;
  const suites = tokenPages("testSuites", (pageToken) => client.suites.list({ projectId, pageToken, pageSize: 200 }));
  return idOf(suites, named, "suite", "suites");
}

/** The id of a test of the selected project, named by id or exact name. */
export async function testIdOf({ client, project, pages }: Connection, named: string): Promise<string> {
  if (isId("tst", named)) return named;
  return idOf(
    pages((cursor) => client.tests.list({ project, cursor, limit: 200 })),
    named,
    "test",
    "tests",
  );
}

/** The id of an agent of the selected project, named by id or by the name that it has among the live or archived ones. */
export async function agentIdOf(
  { client, project: projectId, tokenPages }: Connection,
  named: string,
  { archived = false } = {},
): Promise<string> {
  const agents = tokenPages("agents", (pageToken) =>
    client.agents.list({ projectId, archived, pageToken, pageSize: 200 }),
  );
  return onlyIdOf(agents, named, { prefix: "agt", one: "agent", list: "agents list", archived });
}

/** The id of a persona that the selected project sees, named by id or by its name among the live or archived ones. */
export async function personaIdOf(
  { client, project: projectId, tokenPages }: Connection,
  named: string,
  { archived = false } = {},
): Promise<string> {
  const personas = tokenPages("personas", (pageToken) =>
    client.personas.list({ projectId, search: named, archived, pageToken, pageSize: 200 }),
  );
  return onlyIdOf(personas, named, { prefix: "prs", one: "persona", list: "personas list", archived });
}

/** The id of a grader of the selected project or of those that ship, named by id or by name. */
export async function graderIdOf(
  { client, project: projectId, tokenPages }: Connection,
  named: string,
  { archived = false } = {},
): Promise<string> {
  const graders = tokenPages("graders", (pageToken) =>
    client.graders.list({ projectId, archived, pageToken, pageSize: 200 }),
  );
  return onlyIdOf(graders, named, { prefix: "grd", one: "grader", list: "graders list", archived });
}

/** The ids of an agent and of one of its connections, each named by id or by name. */
export async function connectionIdsOf(
  connection: Connection,
  named: { agent: string; connection: string },
  { archived = false } = {},
): Promise<{ agentId: string; connectionId: string; projectId: string | undefined }> {
  const { client, project: projectId, tokenPages } = connection;
  const agentId = await agentIdOf(connection, named.agent);
  const ids = { agentId, projectId };
  const connections = tokenPages("connections", (pageToken) =>
    client.connections.list({ ...ids, archived, pageToken, pageSize: 200 }),
  );
  const what = { prefix: "con", one: "connection", list: `connections list ${agentId}`, archived };
  const connectionId = await onlyIdOf(connections, named.connection, what);
  return { ...ids, connectionId };
}

type What = { prefix: string; one: string; list: string; archived: boolean };

/** As `idOf`, where several may have one name; an id is not looked up. */
async function onlyIdOf(
  all: AsyncIterable<{ id: string; name: string }>,
  named: string,
  { prefix, one, list, archived }: What,
): Promise<string> {
  if (isId(prefix, named)) return named;
  const ids: string[] = [];
  for await (const { id, name } of all) if (name === named) ids.push(id);
  if (ids.length === 1) return ids[0]!;
  const found = ids.length === 0 ? "There is no" : "There is more than one";
  const [what, command] = archived ? [`archived ${one}`, `${list} --archived`] : [one, list];
  throw new Refusal("not_found", `${found} ${what} "${named}": take its id from \`svc ${command}\`.`);
}

/** Whether a text is an id rather than a name. */
export const isId = (prefix: string, text: string): boolean => new RegExp(`^${prefix}_[0-9a-z]{26}$`).test(text);

async function idOf(
  all: AsyncIterable<{ id: string; name: string }>,
  named: string,
  one: string,
  topic: string,
): Promise<string> {
  let byName: string | undefined;
  for await (const { id, name } of all) {
    if (id === named) return id;
    if (name === named) byName = id;
  }
  if (byName !== undefined) return byName;
  throw new Refusal("not_found", `There is no ${one} "${named}" that your key sees: look at \`svc ${topic} list\`.`);
}
