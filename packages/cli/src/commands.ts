import type { Command } from "@oclif/core";

type Entry = {
  summary: string;
  load: () => Promise<{ default: Command.Class }>;
  /** Its exit code is the verdict on a run, so that a refusal ends it with a code of its own. */
  tellsVerdict?: true;
};

/** Every command: its words, joined by colons, and the file that is loaded when it is called. */
export const COMMANDS: Record<string, Entry> = {
  serve: { summary: "Start the service", load: () => import("./commands/serve.ts") },
  demo: { summary: "See a graded run of a sample agent, from nothing", load: () => import("./commands/demo.ts") },
  claim: { summary: "Claim a new instance: its first account and keys", load: () => import("./commands/claim.ts") },
  login: { summary: "Save an API key in the profile", load: () => import("./commands/login.ts") },
  logout: { summary: "Remove the profile with its keys", load: () => import("./commands/logout.ts") },
  capabilities: {
    summary: "Show what a pair of speech models supports",
    load: () => import("./commands/capabilities.ts"),
  },
  "capabilities:models": {
    summary: "List the known speech models",
    load: () => import("./commands/capabilities/models.ts"),
  },
  health: { summary: "Show whether the service's stores answer", load: () => import("./commands/health.ts") },
  doctor: { summary: "Check the set-up and say what to mend", load: () => import("./commands/doctor.ts") },
  "agents:archive": {
    summary: "Archive an agent and its connections",
    load: () => import("./commands/agents/archive.ts"),
  },
  "agents:list": { summary: "List agents, newest first", load: () => import("./commands/agents/list.ts") },
  "agents:register": { summary: "Register an agent", load: () => import("./commands/agents/register.ts") },
  "agents:rename": { summary: "Rename an agent", load: () => import("./commands/agents/rename.ts") },
  "agents:restore": { summary: "Restore an archived agent", load: () => import("./commands/agents/restore.ts") },
  "agents:show": { summary: "Show an agent", load: () => import("./commands/agents/show.ts") },
  "connections:add": { summary: "Add a connection to an agent", load: () => import("./commands/connections/add.ts") },
  "connections:archive": { summary: "Archive a connection", load: () => import("./commands/connections/archive.ts") },
  "connections:edit": { summary: "Edit a connection", load: () => import("./commands/connections/edit.ts") },
  "connections:list": { summary: "List an agent's connections", load: () => import("./commands/connections/list.ts") },
  "connections:options": {
    summary: "Show the types of connections and what each asks for",
    load: () => import("./commands/connections/options.ts"),
  },
  "connections:restore": {
    summary: "Restore an archived connection",
    load: () => import("./commands/connections/restore.ts"),
  },
  "connections:show": { summary: "Show a connection", load: () => import("./commands/connections/show.ts") },
  "graders:agreement": {
    summary: "Show how a grader agrees with people",
    load: () => import("./commands/graders/agreement.ts"),
  },
  "graders:archive": { summary: "Archive a grader", load: () => import("./commands/graders/archive.ts") },
  "graders:create": { summary: "Create a grader", load: () => import("./commands/graders/create.ts") },
  "graders:edit": { summary: "Edit a grader, or how it is used", load: () => import("./commands/graders/edit.ts") },
  "graders:label": { summary: "Say what a verdict should be", load: () => import("./commands/graders/label.ts") },
  "graders:list": { summary: "List graders", load: () => import("./commands/graders/list.ts") },
  "graders:restore": { summary: "Restore an archived grader", load: () => import("./commands/graders/restore.ts") },
  "graders:show": { summary: "Show a grader and its versions", load: () => import("./commands/graders/show.ts") },
  "keys:create": { summary: "Create an API key", load: () => import("./commands/keys/create.ts") },
  "keys:list": { summary: "List API keys", load: () => import("./commands/keys/list.ts") },
  "keys:revoke": { summary: "Revoke an API key", load: () => import("./commands/keys/revoke.ts") },
  metrics: { summary: "Show measures over time, by agent", load: () => import("./commands/metrics.ts") },
  "mock-tools:create": { summary: "Mock a tool of the agents", load: () => import("./commands/mock-tools/create.ts") },
  "mock-tools:delete": { summary: "Delete a mock tool", load: () => import("./commands/mock-tools/delete.ts") },
  "mock-tools:edit": { summary: "Edit a mock tool", load: () => import("./commands/mock-tools/edit.ts") },
  "mock-tools:list": { summary: "List the project's mock tools", load: () => import("./commands/mock-tools/list.ts") },
  "mock-tools:show": { summary: "Show a mock tool", load: () => import("./commands/mock-tools/show.ts") },
  "personas:archive": { summary: "Archive a persona", load: () => import("./commands/personas/archive.ts") },
  "personas:create": { summary: "Create a persona", load: () => import("./commands/personas/create.ts") },
  "personas:default": {
    summary: "Show or choose the project's default persona",
    load: () => import("./commands/personas/default.ts"),
  },
  "personas:edit": { summary: "Edit a persona", load: () => import("./commands/personas/edit.ts") },
  "personas:fork": { summary: "Copy a persona", load: () => import("./commands/personas/fork.ts") },
  "personas:list": { summary: "List personas", load: () => import("./commands/personas/list.ts") },
  "personas:restore": { summary: "Restore an archived persona", load: () => import("./commands/personas/restore.ts") },
  "personas:show": {
    summary: "Show a persona, or one of its versions",
    load: () => import("./commands/personas/show.ts"),
  },
  "personas:usage": {
    summary: "List the tests that name a persona",
    load: () => import("./commands/personas/usage.ts"),
  },
  "personas:versions": { summary: "List a persona's versions", load: () => import("./commands/personas/versions.ts") },
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
  "provider-keys:list": { summary: "List provider keys", load: () => import("./commands/provider-keys/list.ts") },
  "provider-keys:remove": {
    summary: "Remove a provider key",
    load: () => import("./commands/provider-keys/remove.ts"),
  },
  "provider-keys:set": {
    summary: "Set a speech provider's key",
    load: () => import("./commands/provider-keys/set.ts"),
  },
  reseal: { summary: "Seal stored credentials with the newest key", load: () => import("./commands/reseal.ts") },
  "runs:cancel": { summary: "Cancel a run", load: () => import("./commands/runs/cancel.ts") },
  "runs:compare": { summary: "Say what changed between two runs", load: () => import("./commands/runs/compare.ts") },
  "runs:list": { summary: "List runs, newest first", load: () => import("./commands/runs/list.ts") },
  "runs:show": { summary: "Show a run with its verdicts", load: () => import("./commands/runs/show.ts") },
  "runs:start": {
    summary: "Play tests against an agent and tell the verdict",
    load: () => import("./commands/runs/start.ts"),
    tellsVerdict: true,
  },
  "runs:watch": {
    summary: "Wait for a run and tell the verdict",
    load: () => import("./commands/runs/watch.ts"),
    tellsVerdict: true,
  },
  "simulations:show": {
    summary: "Show a simulation: what was said, done and decided",
    load: () => import("./commands/simulations/show.ts"),
  },
  "suites:create": { summary: "Create a test suite", load: () => import("./commands/suites/create.ts") },
  "suites:delete": { summary: "Delete a test suite and its tests", load: () => import("./commands/suites/delete.ts") },
  "suites:list": { summary: "List test suites", load: () => import("./commands/suites/list.ts") },
  "suites:rename": { summary: "Rename a test suite", load: () => import("./commands/suites/rename.ts") },
  "tests:create": { summary: "Create a test", load: () => import("./commands/tests/create.ts") },
  "tests:delete": { summary: "Delete a test", load: () => import("./commands/tests/delete.ts") },
  "tests:edit": { summary: "Edit a test", load: () => import("./commands/tests/edit.ts") },
  "tests:from-trace": {
    summary: "Make a test from a conversation that took place",
    load: () => import("./commands/tests/from-trace.ts"),
  },
  "tests:list": { summary: "List tests, newest first", load: () => import("./commands/tests/list.ts") },
  "tests:pull": { summary: "Write tests to files", load: () => import("./commands/tests/pull.ts") },
  "tests:push": {
    summary: "Create and edit tests from files, all or none",
    load: () => import("./commands/tests/push.ts"),
  },
  "tests:show": { summary: "Show a test, or one of its versions", load: () => import("./commands/tests/show.ts") },
  "tests:validate": { summary: "Check tests in files", load: () => import("./commands/tests/validate.ts") },
  "tests:versions": { summary: "List a test's versions", load: () => import("./commands/tests/versions.ts") },
  "traces:grades": { summary: "Show what graded a conversation", load: () => import("./commands/traces/grades.ts") },
  "traces:list": { summary: "List conversations", load: () => import("./commands/traces/list.ts") },
  "traces:remap": { summary: "Read stored conversations again", load: () => import("./commands/traces/remap.ts") },
  "traces:send": { summary: "Send recorded spans from files", load: () => import("./commands/traces/send.ts") },
  "traces:show": { summary: "Show a conversation as a transcript", load: () => import("./commands/traces/show.ts") },
  "traces:tail": { summary: "Follow conversations as they come in", load: () => import("./commands/traces/tail.ts") },
};

export const TOPICS: Record<string, string> = {
  agents: "Agents under test or monitoring",
  connections: "Ways to reach an agent",
  capabilities: "What speech models support",
  graders: "What decides over conversations, and how far it can be trusted",
  keys: "API keys",
  "mock-tools": "What agents' tools answer in simulations",
  personas: "Who calls in tests",
  monitoring: "Production conversations of agents",
  projects: "Projects of the organization",
  runs: "Runs of tests against an agent",
  simulations: "Conversations of a run",
  "provider-keys": "Keys of speech providers",
  suites: "Test suites",
  tests: "Tests and their versions",
  traces: "Conversations of voice agents",
};
