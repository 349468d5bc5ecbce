import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { requireSession, rootRoute } from "../shell/parents.ts";
import { isSessionEnd, queries } from "../queries.ts";
import { textOf } from "../search-params.ts";
import { sessionQuery } from "../session.ts";
import { instanceQuery } from "../instance.ts";
import { ownAddress } from "./enter.ts";

/** Search parameters that an identity provider adds to the address to which the browser returns. */
type ProviderAnswer = {
  state?: string | undefined;
  code?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
};

/** `to` is the address that the person wanted to open before the sign-in. */
const validateSearch = (search: Record<string, unknown>): { to?: string | undefined } => ({ to: textOf(search["to"]) });

async function sessionIfAny() {
  try {
    return await queries.ensureQueryData(sessionQuery);
  } catch (error) {
    if (isSessionEnd(error)) return undefined;
    throw error;
  }
}

const freshInstance = () => queries.fetchQuery(instanceQuery);

const claimRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/claim",
  beforeLoad: async () => {
    const { claimed } = await freshInstance();
    if (claimed) throw redirect({ to: "/sign-in" });
  },
  component: lazyRouteComponent(() => import("./claim.tsx"), "Claim"),
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch,
  beforeLoad: async ({ search: { to } }) => {
    if ((await sessionIfAny()) !== undefined) throw redirect({ href: ownAddress(to) ?? "/" });
    const { claimed } = await freshInstance();
    if (!claimed) throw redirect({ to: "/claim" });
  },
  component: lazyRouteComponent(() => import("./sign-in.tsx"), "SignIn"),
});

const singleSignOnRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in/single-sign-on",
  validateSearch: (
    search: Record<string, unknown>,
  ): { organization?: string | undefined; to?: string | undefined } => ({
    organization: textOf(search["organization"]),
    to: textOf(search["to"]),
  }),
  component: lazyRouteComponent(() => import("./single-sign-on.tsx"), "SingleSignOn"),
});

const signedOnRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in/single-sign-on/done",
  validateSearch: (search: Record<string, unknown>): ProviderAnswer => ({
    state: textOf(search["state"]),
    code: textOf(search["code"]),
    iss: textOf(search["iss"]),
    error: textOf(search["error"]),
  }),
  component: lazyRouteComponent(() => import("./single-sign-on.tsx"), "SignedOn"),
});

const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-up",
  validateSearch,
  loader: async () => {
    const instance = await freshInstance();
    if (!instance.claimed) throw redirect({ to: "/claim" });
    return { instance };
  },
  component: lazyRouteComponent(() => import("./sign-up.tsx"), "SignUp"),
});

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/invitation/$token",
  loader: async () => ({ session: await sessionIfAny() }),
  component: lazyRouteComponent(() => import("./invitation.tsx"), "Invitation"),
});

const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/forgot-password",
  loader: async () => ({ instance: await freshInstance() }),
  component: lazyRouteComponent(() => import("./forgot-password.tsx"), "ForgotPassword"),
});

const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/reset/$token",
  component: lazyRouteComponent(() => import("./reset.tsx"), "Reset"),
});

const deviceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/device",
  validateSearch: (search: Record<string, unknown>): { user_code?: string | undefined } => ({
    user_code: textOf(search["user_code"]),
  }),
  loader: async ({ location }) => ({ session: await requireSession(location.href) }),
  component: lazyRouteComponent(() => import("./device.tsx"), "Device"),
});

export const signInRoutes = [
  claimRoute,
  signInRoute,
  singleSignOnRoute,
  signedOnRoute,
  signUpRoute,
  invitationRoute,
  forgotPasswordRoute,
  resetRoute,
  deviceRoute,
] as const;
