import { getRouteApi } from "@tanstack/react-router";

const project = getRouteApi("/o/$organizationId/p/$project");
const organization = getRouteApi("/o/$organizationId");

/** Returns the organization of the page, the person's role in it, and the client whose requests act in it. */
export function useOrganization() {
  const { client, organization: shown, session } = organization.useRouteContext();
  const { id: organizationId, name, role } = shown;
  return {
    client,
    organizationId,
    name,
    role,
    user: session.user,
    canWrite: role !== "viewer",
    canManage: role === "admin",
  };
}

/** Returns the project of the page, with the `params` of links to its other pages. */
export function usePlace() {
  const { project: shown } = project.useRouteContext();
  const params = project.useParams();
  return { ...useOrganization(), project: shown, projectId: shown.id, params };
}

/** Project of a page, with the client whose requests act in its organization. */
export type ProjectPlace = Pick<ReturnType<typeof usePlace>, "client" | "organizationId" | "projectId">;
