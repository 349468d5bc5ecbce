import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../shell/parents.ts";
import { readAuditSearch } from "./audit-search.ts";

const auditRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/settings/audit",
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import("./audit.tsx"), "Audit"),
});

const keysRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/settings/keys",
  component: lazyRouteComponent(() => import("./keys.tsx"), "Keys"),
});

const languageModelRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/settings/language-model",
  component: lazyRouteComponent(() => import("./language-model.tsx"), "LanguageModelPage"),
});

const membersRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/settings/members",
  component: lazyRouteComponent(() => import("./members.tsx"), "Members"),
});

const organizationSettingsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/settings/organization",
  component: lazyRouteComponent(() => import("./organization.tsx"), "OrganizationPage"),
});

const projectsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/settings/projects",
  component: lazyRouteComponent(() => import("./projects.tsx"), "Projects"),
});

const providerKeysRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/settings/provider-keys",
  component: lazyRouteComponent(() => import("./provider-keys.tsx"), "ProviderKeys"),
});

const singleSignOnRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/settings/single-sign-on",
  component: lazyRouteComponent(() => import("./single-sign-on.tsx"), "SingleSignOnPage"),
});

const usageRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/settings/usage",
  component: lazyRouteComponent(() => import("./usage.tsx"), "Usage"),
});

export const settingsRoutes = [
  auditRoute,
  keysRoute,
  languageModelRoute,
  membersRoute,
  organizationSettingsRoute,
  projectsRoute,
  providerKeysRoute,
  singleSignOnRoute,
  usageRoute,
] as const;
