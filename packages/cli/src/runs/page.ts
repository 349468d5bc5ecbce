import type { Run } from "@svc/contract";
import { isSvcError } from "../refusal.ts";
import type { Session } from "../session/session.ts";
import { counted } from "../terminal/output.ts";

/** Returns null when the key may not read the identity and the projects that the URL needs. */
export async function runPage({ client, url }: Session, { id, projectId }: Run): Promise<string | null> {
  try {
    const [{ identity }, { projects }] = await Promise.all([
      client.identity.get(),
      client.projects.list({ pageSize: 200 }),
    ]);
    const project = projects.find((one) => one.id === projectId);
    return project === undefined ? null : `${url}/o/${identity.organization.id}/p/${project.slug}/runs/${id}`;
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
