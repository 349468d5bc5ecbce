import type { Run } from "@svc/contract";
import { isSvcError } from "../refusal.ts";
import type { Session } from "../session/session.ts";

/** Returns the address of a run's page; null when the key may not read the names in it. */
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
