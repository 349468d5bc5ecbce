import type { Command } from "@oclif/core";

type Entry = { summary: string; load: () => Promise<{ default: Command.Class }> };

/** Every command: its words, joined by colons, and the file that is loaded when it is called. */
export const COMMANDS: Record<string, Entry> = {
  serve: { summary: "Start the service", load: () => import("./commands/serve.ts") },
  claim: { summary: "Claim a new instance: its first account and keys", load: () => import("./commands/claim.ts") },
  login: { summary: "Save an API key in the profile", load: () => import("./commands/login.ts") },
  logout: { summary: "Remove the profile with its keys", load: () => import("./commands/logout.ts") },
  health: { summary: "Show whether the service's stores answer", load: () => import("./commands/health.ts") },
  doctor: { summary: "Check the set-up and say what to mend", load: () => import("./commands/doctor.ts") },
  "keys:create": { summary: "Create an API key", load: () => import("./commands/keys/create.ts") },
  "keys:list": { summary: "List API keys", load: () => import("./commands/keys/list.ts") },
  "keys:revoke": { summary: "Revoke an API key", load: () => import("./commands/keys/revoke.ts") },
  metrics: { summary: "Show measures over time, by agent", load: () => import("./commands/metrics.ts") },
  "monitoring:status": {
    summary: "Show what is monitored, and what failed",
    load: () => import("./commands/monitoring/status.ts"),
  },
  "monitoring:discover": {
    summary: "List a platform_a key's voice agents",
    load: () => import("./commands/monitoring/discover.ts"),
  },
  "monitoring:connect": {
    summary: "Fetch production calls of agents",
    load: () => import("./commands/monitoring/connect.ts"),
  },
  "monitoring:replay": {
    summary: "Import a failed call again",
    load: () => import("./commands/monitoring/replay.ts"),
  },
  "monitoring:disconnect": {
    summary: "Stop monitoring a platform",
    load: () => import("./commands/monitoring/disconnect.ts"),
  },
  "projects:create": { summary: "Create a project", load: () => import("./commands/projects/create.ts") },
  "projects:list": { summary: "List projects", load: () => import("./commands/projects/list.ts") },
  reseal: { summary: "Seal stored credentials with the newest key", load: () => import("./commands/reseal.ts") },
  "suites:create": { summary: "Create a test suite", load: () => import("./commands/suites/create.ts") },
  "suites:delete": { summary: "Delete a test suite and its tests", load: () => import("./commands/suites/delete.ts") },
  "suites:list": { summary: "List test suites", load: () => import("./commands/suites/list.ts") },
  "suites:rename": { summary: "Rename a test suite", load: () => import("./commands/suites/rename.ts") },
  "tests:create": { summary: "Create a test", load: () => import("./commands/tests/create.ts") },
  "tests:delete": { summary: "Delete a test", load: () => import("./commands/tests/delete.ts") },
  "tests:edit": { summary: "Edit a test", load: () => import("./commands/tests/edit.ts") },
  "tests:list": { summary: "List tests, newest first", load: () => import("./commands/tests/list.ts") },
  "tests:show": { summary: "Show a test, or one of its versions", load: () => import("./commands/tests/show.ts") },
  "tests:versions": { summary: "List a test's versions", load: () => import("./commands/tests/versions.ts") },
  "traces:list": { summary: "List conversations", load: () => import("./commands/traces/list.ts") },
  "traces:remap": { summary: "Read stored conversations again", load: () => import("./commands/traces/remap.ts") },
  "traces:send": { summary: "Send recorded spans from files", load: () => import("./commands/traces/send.ts") },
  "traces:show": { summary: "Show a conversation as a transcript", load: () => import("./commands/traces/show.ts") },
  "traces:tail": { summary: "Follow conversations as they come in", load: () => import("./commands/traces/tail.ts") },
};

export const TOPICS: Record<string, string> = {
  keys: "API keys",
  monitoring: "Production conversations of agents",
  projects: "Projects of the organization",
  suites: "Test suites",
  tests: "Tests and their versions",
  traces: "Conversations of voice agents",
};
