/** The pages of a project in the order of the menu, each with the first segment of its address. */
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
  ["Monitoring", "monitoring"],
  ["Notifications", "notifications"],
];

/** The pages of an organization's settings in their order, each with the last segment of its address. */
export const SETTINGS_PAGES = [
  ["API keys", "keys"],
  ["Members", "members"],
  ["Organization", "organization"],
  ["Projects", "projects"],
  ["Provider keys", "provider-keys"],
  ["Single sign-on", "single-sign-on"],
  ["Usage and limits", "usage"],
  ["Audit", "audit"],
] as const;

/** Returns the name of a page of a project by the first segment of its address; the overview's for an unknown segment. */
export const projectPageName = (segment: string): string =>
  segment === "suites" ? "Tests" : (PROJECT_PAGES.find(([, each]) => each === segment) ?? PROJECT_PAGES[0]!)[0];

/** Returns the name of a page of the settings by the last segment of its address; the first page's for an unknown segment. */
export const settingsPageName = (segment: string): string =>
  (SETTINGS_PAGES.find(([, each]) => each === segment) ?? SETTINGS_PAGES[0])[0];
