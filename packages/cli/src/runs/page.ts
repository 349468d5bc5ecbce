import type { Run } from "@svc/contract";
import { isSvcError } from "../refusal.ts";
import type { Session } from "../session/session.ts";
import { counted } from "../terminal/output.ts";

/** Returns null when the key may not read the identity and the projects that the URL needs. */
export const runPage = (session: Session, { id, projectId }: Run): Promise<string | null> =>
  projectPage(session, projectId, `/runs/${id}`);

/**
 * Returns the URL of a project's page. `reference` is an id or an exact name; without it, the project is the key's only one. Returns null
 * when the key may not read what the URL needs.
 */
export async function projectPage(
  { client, url }: Pick<Session, "client" | "url">,
  reference: string | undefined,
  path: string,
): Promise<string | null> {
  try {
    const [{ identity }, { projects }] = await Promise.all([
      client.identity.get(),
      client.projects.list({ pageSize: 200 }),
    ]);
    const wanted = reference ?? identity.project?.id;
    const project =
      wanted === undefined && projects.length === 1
        ? projects[0]
        : projects.find(({ id, name }) => [id, name].includes(wanted ?? ""));
    return project === undefined ? null : `${url}/o/${identity.organization.id}/p/${project.slug}${path}`;
  } catch (error) {
    if (isSvcError(error)) return null;
    throw error;
  }
}

export function startedText({ run, page }: { run: Run; page: string | null }): string {
  const { id, simulationCount } = run;
  const address = page === null ? "" : `\nIts page: ${page}`;
  return `Started ${id} with ${counted(simulationCount, "simulation")}. To wait for the verdict: svc runs watch ${id}${address}`;
}
