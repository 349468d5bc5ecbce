import { getRouteApi } from "@tanstack/react-router";

const project = getRouteApi("/o/$organizationId/p/$project");
const organization = getRouteApi("/o/$organizationId");

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

export function usePlace() {
  const { project: shown } = project.useRouteContext();
  const params = project.useParams();
  return { ...useOrganization(), project: shown, projectId: shown.id, params };
}

export type ProjectPlace = Pick<ReturnType<typeof usePlace>, "client" | "organizationId" | "projectId">;
