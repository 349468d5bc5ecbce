import { createRootRoute, createRoute, lazyRouteComponent, notFound, Outlet, redirect } from "@tanstack/react-router";
import { clientOf } from "../client.ts";
import { isSessionEnd, queries } from "../queries.ts";
import { sessionQuery } from "../session.ts";
import { rememberPlace } from "./last-place.ts";
import { NotHere, PageFailure } from "./not-here.tsx";
import { projectsQuery } from "./projects.ts";

export const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: NotHere,
  errorComponent: PageFailure,
});

/**
 * Without a session, redirects to the sign-in, which returns to the address `to`. If the service is not claimed, redirects to the
 * claim.
 */
export async function requireSession(to: string) {
  try {
    return await queries.ensureQueryData(sessionQuery);
  } catch (error) {
    if (!isSessionEnd(error)) throw error;
    const { claimed } = await clientOf().instance.get();
    throw claimed ? redirect({ to: "/sign-in", search: { to } }) : redirect({ to: "/claim" });
  }
}

/** Parent route of the pages that belong to the person and to no organization. */
export const personRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "person",
  beforeLoad: async ({ location }) => ({ session: await requireSession(location.href) }),
  component: lazyRouteComponent(() => import("./shell.tsx"), "Shell"),
});

/** Throws "not found" if the person does not belong to the organization. */
export const organizationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/o/$organizationId",
  beforeLoad: async ({ location, params }) => {
    const session = await requireSession(location.href);
    const organization = session.organizations.find(({ id }) => id === params.organizationId);
    if (organization === undefined) throw notFound();
    return { session, organization, client: clientOf(organization.id) };
  },
  component: lazyRouteComponent(() => import("./shell.tsx"), "Shell"),
});

/** The address contains the project's slug. */
export const projectRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/p/$project",
  beforeLoad: async ({ params: { organizationId, project: slug } }) => {
    const { projects } = await queries.ensureQueryData(projectsQuery(organizationId));
    const project = projects.find((candidate) => candidate.slug === slug);
    if (project === undefined) throw notFound();
    rememberPlace({ organizationId, project: slug });
    return { project };
  },
  component: lazyRouteComponent(() => import("./project-shell.tsx"), "ProjectShell"),
});
