import { getRouteApi } from "@tanstack/react-router";

const project = getRouteApi("/o/$organizationId/p/$project");
const organization = getRouteApi("/o/$organizationId");

/** Returns the organization that the page shows, the person's role in it, and the client that acts in it. */
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

/** Returns the project that the page shows, with `params` for links to its other pages. */
export function usePlace() {
  const { project: shown } = project.useRouteContext();
  const params = project.useParams();
  return { ...useOrganization(), project: shown, projectId: shown.id, params };
}

/** The project that a page shows, with the client that acts in it. */
export type ProjectPlace = Pick<ReturnType<typeof usePlace>, "client" | "organizationId" | "projectId">;
