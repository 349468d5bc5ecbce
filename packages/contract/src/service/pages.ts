/** Paths of the web interface's pages to which mails, devices and the command line link. */
export const PAGES = {
  claim: "/claim",
  signIn: "/sign-in",
  singleSignOn: "/sign-in/single-sign-on",
  signedOn: "/sign-in/single-sign-on/done",
  device: "/device",
  invitation: "/invitation",
  reset: "/reset",
} as const;

/** Returns the URL of the page that accepts an invitation, or sets a new password, with a one-time token. */
export const tokenPage = (serviceUrl: string, page: "invitation" | "reset", token: string): string =>
  `${serviceUrl}${PAGES[page]}/${encodeURIComponent(token)}`;

/** Paths of the web interface's pages, relative to a project. */
const PROJECT_PAGES = [
  "",
  "/conversations",
  "/conversations/turns",
  "/conversations/{traceId}",
  "/metrics",
  "/metrics/versions",
  "/review",
  "/alerts",
  "/alerts/{alertId}",
  "/alerts/rules/new",
  "/alerts/rules/{alertRuleId}",
  "/groups",
  "/groups/{groupId}",
  "/tests",
  "/tests/new",
  "/tests/{testId}",
  "/suites/{suiteId}",
  "/mock-tools",
  "/runs",
  "/runs/new",
  "/runs/compare",
  "/runs/{runId}",
  "/runs/{runId}/simulations/{simulationId}",
  "/schedules",
  "/schedules/new",
  "/schedules/{scheduleId}",
  "/schedules/{scheduleId}/edit",
  "/graders",
  "/graders/new",
  "/graders/{graderId}",
  "/personas",
  "/personas/new",
  "/personas/{personaId}",
  "/agents",
  "/agents/{agentId}",
  "/trunks",
  "/monitoring",
  "/monitoring/platform_a/setup",
  "/notifications",
] as const;

/**
 * Paths of the web interface's pages. The service answers them with HTML when a request accepts `text/html`. Braces mark a variable
 * segment: a project's slug for `{project}`, a token for `{token}`, an id for any other name.
 */
export const PAGE_PATHS: readonly string[] = [
  "/",
  PAGES.claim,
  PAGES.signIn,
  PAGES.singleSignOn,
  PAGES.signedOn,
  "/sign-up",
  `${PAGES.invitation}/{token}`,
  "/forgot-password",
  `${PAGES.reset}/{token}`,
  PAGES.device,
  "/account",
  "/o/{organizationId}",
  "/o/{organizationId}/settings/audit",
  "/o/{organizationId}/settings/keys",
  "/o/{organizationId}/settings/language-model",
  "/o/{organizationId}/settings/members",
  "/o/{organizationId}/settings/organization",
  "/o/{organizationId}/settings/projects",
  "/o/{organizationId}/settings/provider-keys",
  "/o/{organizationId}/settings/single-sign-on",
  "/o/{organizationId}/settings/usage",
  ...PROJECT_PAGES.map((page) => `/o/{organizationId}/p/{project}${page}`),
];

const PATTERNS = PAGE_PATHS.map((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`));

/** Returns whether a path belongs to a page of the web interface. */
export const isPagePath = (path: string): boolean => PATTERNS.some((pattern) => pattern.test(path));
