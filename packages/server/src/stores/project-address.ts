import type { Db } from "./relational.ts";

/** What the addresses of a project's pages begin with. */
export type ProjectAddress = { serviceUrl: string; organizationId: string; slug: string };

export async function readProjectAddress(db: Db, serviceUrl: string, projectId: string): Promise<ProjectAddress> {
  const { organization_id, slug } = await db
    .selectFrom("projects")
    .select(["organization_id", "slug"])
    .where("id", "=", projectId)
    .executeTakeFirstOrThrow();
  return { serviceUrl, organizationId: organization_id, slug };
}

export const projectUrl = ({ serviceUrl, organizationId, slug }: ProjectAddress): string =>
  `${serviceUrl}/o/${organizationId}/p/${slug}`;
