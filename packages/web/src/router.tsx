import { createRoute, createRouter, parseSearchWith, redirect, stringifySearchWith } from "@tanstack/react-router";
import { accountRoutes } from "./account/routes.tsx";
import { agentsRoutes } from "./agents/routes.tsx";
import { alertsRoutes } from "./alerts/routes.tsx";
import { groupsRoutes } from "./groups/routes.tsx";
import { clientOf } from "./client.ts";
import { conversationsRoutes } from "./conversations/routes.tsx";
import { signInRoutes } from "./sign-in/routes.tsx";
import { lastPlace } from "./shell/last-place.ts";
import { PageFailure } from "./shell/not-here.tsx";
import { organizationRoute, personRoute, projectRoute, requireSession, rootRoute } from "./shell/parents.ts";
import { projectsQuery } from "./shell/projects.ts";
import { gradersRoutes } from "./graders/routes.tsx";
import { metricsRoutes } from "./metrics/routes.tsx";
import { mockToolsRoutes } from "./mock-tools/routes.tsx";
import { monitoringRoutes } from "./monitoring/routes.tsx";
import { notificationsRoutes } from "./notifications/routes.tsx";
import { overviewRoutes } from "./overview/routes.tsx";
import { personasRoutes } from "./personas/routes.tsx";
import { queries } from "./queries.ts";
import { reviewRoutes } from "./review/routes.tsx";
import { runsRoutes } from "./runs/routes.tsx";
import { schedulesRoutes } from "./schedules/routes.tsx";
import { settingsRoutes } from "./settings/routes.tsx";
import { suitesRoutes } from "./suites/routes.tsx";
import { trunksRoutes } from "./trunks/routes.tsx";
import { testDefinitionsRoutes } from "./test-definitions/routes.tsx";

/** Maximum number of projects that the start page asks for conversations. */
const PROJECTS_ASKED = 10;

/** Returns the first project that has a conversation; if none has one, the first project. */
async function projectToShow<Project extends { id: string }>(organizationId: string, projects: readonly Project[]) {
  if (projects.length < 2) return projects[0];
  const { traces } = clientOf(organizationId);
  const answers = projects.slice(0, PROJECTS_ASKED).map(({ id }) => traces.list({ projectId: id, pageSize: 1 }));
  const found = await Promise.allSettled(answers);
  const at = found.findIndex((answer) => answer.status === "fulfilled" && answer.value.traces.length > 0);
  return projects[Math.max(at, 0)];
}

/**
 * Redirects to the project that the person viewed last. If there is none, redirects to a project with a conversation, or to the list of
 * projects.
 */
async function leadToProject(organizationIds: readonly string[]): Promise<never> {
  const place = lastPlace(organizationIds) ?? { organizationId: organizationIds[0]!, project: undefined };
  const { projects } = await queries.ensureQueryData(projectsQuery(place.organizationId));
  const last = projects.find(({ slug }) => slug === place.project);
  const project = last ?? (await projectToShow(place.organizationId, projects));
  const params = { organizationId: place.organizationId, project: project?.slug ?? "" };
  throw project === undefined
    ? redirect({ to: "/o/$organizationId/settings/projects", params })
    : redirect({ to: "/o/$organizationId/p/$project", params });
}

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: async ({ location }) => {
    const { organization, organizations } = await requireSession(location.href);
    const others = organizations.map(({ id }) => id).filter((id) => id !== organization.id);
    await leadToProject([organization.id, ...others]);
  },
});

const organizationHomeRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/",
  beforeLoad: ({ params }) => leadToProject([params.organizationId]),
});

const routeTree = rootRoute.addChildren([
  homeRoute,
  ...signInRoutes,
  personRoute.addChildren([...accountRoutes]),
  organizationRoute.addChildren([
    organizationHomeRoute,
    ...settingsRoutes,
    projectRoute.addChildren([
      ...overviewRoutes,
      ...conversationsRoutes,
      ...metricsRoutes,
      ...reviewRoutes,
      ...alertsRoutes,
      ...groupsRoutes,
      ...testDefinitionsRoutes,
      ...suitesRoutes,
      ...mockToolsRoutes,
      ...runsRoutes,
      ...schedulesRoutes,
      ...gradersRoutes,
      ...personasRoutes,
      ...agentsRoutes,
      ...trunksRoutes,
      ...monitoringRoutes,
      ...notificationsRoutes,
    ]),
  ]),
]);

/** `PAGE_PATHS` of the contract lists the same addresses for the server. */
export const router = createRouter({
  routeTree,
  defaultPreload: "intent",
  // If a page fails, the menu remains.
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
  // Search parameters are plain text, so that people can read and write them. The `validateSearch` of each route parses numbers.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
