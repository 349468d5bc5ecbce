import { getRouteApi } from "@tanstack/react-router";

const project = getRouteApi("/o/$organizationId/p/$project");

/** Returns the client, the project's id and the address parts of the page that is shown. */
export function usePlace() {
  const { client, projectId } = project.useRouteContext();
  const params = project.useParams();
  return { client, projectId, params };
}
