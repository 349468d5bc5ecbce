import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../frame/parents.ts";
import { textOf } from "../search-params.ts";

/** `to` is the address that the person wanted before signing in. */
const validateSearch = (search: Record<string, unknown>): { to?: string | undefined } => ({ to: textOf(search["to"]) });

const claimRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/claim",
  component: lazyRouteComponent(() => import("./claim.tsx"), "Claim"),
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch,
  component: lazyRouteComponent(() => import("./sign-in.tsx"), "SignIn"),
});

const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-up",
  validateSearch,
  component: lazyRouteComponent(() => import("./sign-up.tsx"), "SignUp"),
});

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/invitation/$token",
  component: lazyRouteComponent(() => import("./invitation.tsx"), "Invitation"),
});

const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/forgot-password",
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
  component: lazyRouteComponent(() => import("./device.tsx"), "Device"),
});

/** The pages for a person who has no session yet. */
export const doorsRoutes = [
  claimRoute,
  signInRoute,
  signUpRoute,
  invitationRoute,
  forgotPasswordRoute,
  resetRoute,
  deviceRoute,
] as const;
