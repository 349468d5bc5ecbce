/** Groups of operations with their descriptions, in the order of the OpenAPI document. */
export const TAGS = {
  Accounts: "Sign-up, sign-in, members and invitations.",
  "API keys": "Keys of an organization or of one project.",
  "Organizations and projects": "The organization of the credential, and its projects.",
  "Test suites": "Groups of tests.",
  Tests: "Scenarios with expected behaviors. Each change of the content creates an immutable version.",
  "Agents and connections": "Voice agents under test or monitoring, and the stored ways to reach them.",
  Trunks: "Telephone carriers and exchanges that carry calls to telephone numbers, with their limits.",
  Personas: "The characters that the caller plays, and the capabilities of speech models.",
  "Mock tools": "Prepared answers for the tools of agents, for all tests of a project.",
  "Language model": "The language model that plays callers, judges behaviors and drafts tests.",
  "Provider keys": "Keys of speech providers.",
  Traces: "Conversations: ingest of spans, reads, and measures over time.",
  Runs: "Simulated conversations of tests against one agent, with their events and verdicts.",
  Schedules: "Runs that start by themselves at the times of a cron expression.",
  Recordings: "The sound of conversations.",
  Monitoring: "Production calls that the service imports from agent platforms.",
  Graders: "Rules that decide about conversations, their grades, and labels of people.",
  Review: "The queue of conversations that people label.",
  Alerts: "Rules that watch conversations, and the alerts that they raise.",
  "Failure groups": "Conversations that failed in the same way.",
  Notifications: "Events of a project, and the webhooks, Slack channels and people that receive them.",
  Audit: "Who did what, from where, with which key or session.",
  Service: "Health and settings of the service, and the OpenAPI document.",
} as const;

/** Name of a group of operations. */
export type Tag = keyof typeof TAGS;
