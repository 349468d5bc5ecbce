/** The folders of commands, each with its line in `svc --help`. */
export const TOPICS: Record<string, string> = {
  agents: "Voice agents under test or monitoring",
  capabilities: "Voices, languages and settings that speech models support",
  connections: "Stored ways to reach an agent",
  graders: "Rules that decide how a conversation went, and how often people agree with them",
  judge: "The language model that decides behaviors, and how often it is right",
  keys: "API keys",
  "mock-tools": "Prepared answers for agents' tools in simulations",
  monitoring: "Import of production conversations from platforms",
  personas: "Who the caller plays in tests",
  projects: "Projects of the organization",
  "provider-keys": "Keys of speech providers",
  runs: "Runs of tests against an agent",
  simulations: "Conversations of a run",
  suites: "Groups of tests",
  tests: "Tests and their versions",
  traces: "Conversations of voice agents",
};
