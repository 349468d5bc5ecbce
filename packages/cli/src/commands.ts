import { COMMANDS } from "./command-table.ts";
import type { CommandClass } from "./command.ts";

export const isCommand = (id: string): boolean => Object.hasOwn(COMMANDS, id);

export const loadCommand = async (id: string): Promise<CommandClass> => (await COMMANDS[id]!.load()).default;

export function commandIds(topic?: string): string[] {
  const ids = Object.keys(COMMANDS).sort();
  return ids.filter((id) => (topic === undefined ? !id.includes(":") : id.startsWith(`${topic}:`)));
}

export const commandNames = (): string[] => Object.keys(COMMANDS).map((id) => id.replace(":", " "));

export const summaryOf = (id: string): string => COMMANDS[id]!.summary();

export const TOPICS: Record<string, string> = {
  account: "Your account: password, sessions, organizations",
  agents: "Voice agents under test or monitoring",
  "alert-rules": "Rules that raise alerts when a measure, a share or a number is bad",
  alerts: "Alerts that rules have raised",
  audit: "Who did what in the organization, from where, with which key or session",
  capabilities: "Voices, languages and settings that speech models support",
  connections: "Stored ways to reach an agent",
  destinations: "Webhooks, Slack and mail that receive the project's events",
  events: "What happened in the project",
  graders: "Rules that decide how a conversation went, and how often people agree with them",
  groups: "Conversations that failed in the same way",
  invitations: "Invitations to the organization",
  judge: "The language model that decides behaviors, and how often it is right",
  keys: "API keys",
  "language-model": "The language model of the organization",
  members: "Members of the organization",
  "mock-tools": "Prepared answers for agents' tools in simulations",
  monitoring: "Import of production conversations from platforms",
  personas: "Who the caller plays in tests",
  projects: "Projects of the organization",
  "provider-keys": "Keys of speech providers",
  review: "The queue of conversations that people label",
  runs: "Runs of tests against an agent",
  schedules: "Runs that start at set times",
  simulations: "Conversations of a run",
  "single-sign-on": "Sign-in of members with the organization's identity provider",
  skills: "Instructions for coding assistants",
  suites: "Groups of tests",
  tests: "Tests and their versions",
  traces: "Conversations of voice agents",
  trunks: "Telephone carriers that carry calls to numbers, and the limits of these calls",
  turns: "What agents said, turn by turn, over all conversations",
  views: "Saved filters of the lists of conversations and turns",
};
