/** Pages of a project in the order of the menu, each with the first segment of its path. */
export const PROJECT_PAGES: readonly [name: string, segment: string][] = [
  ["Overview", ""],
  ["Conversations", "conversations"],
  ["Metrics", "metrics"],
  ["Review", "review"],
  ["Alerts", "alerts"],
  ["Failure groups", "groups"],
  ["Tests", "tests"],
  ["Runs", "runs"],
  ["Schedules", "schedules"],
  ["Graders", "graders"],
  ["Personas", "personas"],
  ["Mock tools", "mock-tools"],
  ["Agents", "agents"],
  ["Trunks", "trunks"],
  ["Monitoring", "monitoring"],
  ["Notifications", "notifications"],
];

/** Pages of an organization's settings in order, each with the last segment of its path. */
export const SETTINGS_PAGES = [
  ["API keys", "keys"],
  ["Language model", "language-model"],
  ["Members", "members"],
  ["Organization", "organization"],
  ["Projects", "projects"],
  ["Provider keys", "provider-keys"],
  ["Single sign-on", "single-sign-on"],
  ["Usage and limits", "usage"],
  ["Audit", "audit"],
] as const;

export const projectPageName = (segment: string): string =>
  segment === "suites" ? "Tests" : (PROJECT_PAGES.find(([, each]) => each === segment) ?? PROJECT_PAGES[0]!)[0];

export const settingsPageName = (segment: string): string =>
  (SETTINGS_PAGES.find(([, each]) => each === segment) ?? SETTINGS_PAGES[0])[0];
