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
  if (/^ste_[0-9a-z]{26}$/.test(named)) return named;
  const suites = tokenPages("testSuites", (pageToken) => client.suites.list({ projectId, pageToken, pageSize: 200 }));
  return idOf(suites, named, "suite", "suites");
}

/** The id of a persona that the selected project sees, named by id or by its name among the live or archived ones. */
export async function personaIdOf(
  { client, project: projectId, tokenPages }: Connection,
  named: string,
  { archived = false } = {},
): Promise<string> {
  if (/^prs_[0-9a-z]{26}$/.test(named)) return named;
  const personas = tokenPages("personas", (pageToken) =>
    client.personas.list({ projectId, search: named, archived, pageToken, pageSize: 200 }),
  );
  return idOf(personas, named, "persona", "personas");
}

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
