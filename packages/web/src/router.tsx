import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from "@tanstack/react-router";
import { SvcError } from "@svc/sdk";
import { clientOf } from "./client.ts";
import { Frame } from "./frame/frame.tsx";
import { lastPlace, rememberPlace } from "./frame/last-place.ts";
import { projectsQuery } from "./frame/projects.ts";
import { NotHere } from "./frame/not-here.tsx";
import { PageFailure } from "./frame/page-failure.tsx";
import { queries } from "./queries.ts";
import { sessionQuery } from "./session.ts";
import { textOf } from "./search-text.ts";

const root = createRootRoute({ component: Outlet, notFoundComponent: NotHere, errorComponent: PageFailure });

/** Sends a person without a session to the door: the claim of a new instance, else sign-in, which comes back here. */
async function requireSession(to: string) {
  try {
    return await queries.ensureQueryData(sessionQuery);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== "not_authenticated") throw error;
    const { claimed } = await clientOf().instance.get();
    throw claimed ? redirect({ to: "/sign-in", search: { to } }) : redirect({ to: "/claim" });
  }
}

const door = (path: string, load: () => Promise<Record<string, unknown>>, name: string) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(load as never, name as never),
    validateSearch: (search: Record<string, unknown>) => ({ to: textOf(search["to"]) }),
  });

const claim = door("/claim", () => import("./doors/claim.tsx"), "Claim");
const signIn = door("/sign-in", () => import("./doors/sign-in.tsx"), "SignIn");
const invitation = door("/invitation/$token", () => import("./doors/invitation.tsx"), "Invitation");

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: async ({ location }) => {
    const session = await requireSession(location.href);
    const { organizationId, project } = lastPlace(session.organizations.map(({ id }) => id)) ?? {
      organizationId: session.organization.id,
      project: undefined,
    };
    const { projects } = await queries.ensureQueryData(projectsQuery(organizationId));
    const chosen = projects.find(({ slug }) => slug === project) ?? projects[0];
    if (chosen) throw redirect({ to: "/o/$organizationId/p/$project", params: { organizationId, project: chosen.slug } });
  },
});

const organization = createRoute({
  getParentRoute: () => root,
  path: "/o/$organizationId",
  beforeLoad: async ({ location }) => ({ session: await requireSession(location.href) }),
  component: Frame,
});

const project = createRoute({
  getParentRoute: () => organization,
  path: "/p/$project",
  beforeLoad: async ({ params }) => {
    const { projects } = await queries.ensureQueryData(projectsQuery(params.organizationId));
    const found = projects.find(({ slug }) => slug === params.project);
    if (!found) throw new SvcError({ code: "not_found", status: 404, message: "This project does not exist here." });
    rememberPlace({ organizationId: params.organizationId, project: found.slug });
    return { client: clientOf(params.organizationId), projectId: found.id };
  },
  component: Outlet,
});

const overview = createRoute({
  getParentRoute: () => project,
  path: "/",
  component: lazyRouteComponent(() => import("./overview/overview.tsx"), "Overview"),
});

const conversations = createRoute({
  getParentRoute: () => project,
  path: "/conversations",
  validateSearch: (search: Record<string, unknown>) => ({
    search: textOf(search["search"]),
    source: textOf(search["source"]) as "production" | "simulation" | undefined,
    status: textOf(search["status"]) as "ok" | "error" | undefined,
    agent: textOf(search["agent"]),
    from: textOf(search["from"]),
    sort: textOf(search["sort"]),
  }),
  component: lazyRouteComponent(() => import("./conversations/conversations.tsx"), "Conversations"),
});

const conversation = createRoute({
  getParentRoute: () => project,
  path: "/conversations/$traceId",
  validateSearch: (search: Record<string, unknown>) => ({
    turn: typeof search["turn"] === "number" ? search["turn"] : undefined,
    tab: textOf(search["tab"]),
    axis: search["axis"] === "rel" ? ("rel" as const) : undefined,
  }),
  component: lazyRouteComponent(() => import("./conversation/conversation.tsx"), "Conversation"),
});

const keys = createRoute({
  getParentRoute: () => organization,
  path: "/settings/keys",
  component: lazyRouteComponent(() => import("./keys/keys.tsx"), "Keys"),
});

/** The pages of the web interface. `PAGE_PATHS` of the contract lists their addresses for the server. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    claim,
    signIn,
    invitation,
    organization.addChildren([project.addChildren([overview, conversations, conversation]), keys]),
  ]),
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
