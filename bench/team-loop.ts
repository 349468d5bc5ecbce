import type { AlertRuleContent } from "@svc/contract";
import type { MeasureName } from "@svc/contract/constants";
import type { Client } from "@svc/sdk";
import { seeded } from "../packages/server/src/base/seeded.ts";
import { newScheduleOf } from "../test/support/schedules.ts";

export const RULES = 200;
export const DESTINATIONS = 20;
export const SCHEDULES = 50;
/** Agents of the live calls, `clinic-0` and so on, and the versions of each, `version-0` and so on. */
export const AGENTS = 8;
export const VERSIONS = 3;

const GRADERS: Record<string, string> = {
  Guarantee: 'never says "guarantee"',
  Weather: 'says "weather"',
  Lookup: 'calls the tool "get_weather"',
  Greeting: 'says "hello"',
};

/** Creates graders of production, of which some fail. */
export async function createGraders(client: Client): Promise<void> {
  for (const [name, check] of Object.entries(GRADERS))
    await client.graders.create({ name, definition: { kind: "check", check }, scope: "production" });
}

/** Creates varied alert rules, destinations for their alerts, and schedules that are not due for months. */
export async function createTeamLoop(client: Client, webhookUrl: string): Promise<void> {
  for (let n = 0; n < DESTINATIONS; n++)
    await client.destinations.create({
      name: `destination ${n}`,
      kind: "webhook",
      url: webhookUrl,
      eventTypes: ["run.completed", "alert.raised", "alert.cleared", "group.opened"],
    });
  for (let n = 0; n < RULES; n++) await client.alertRules.create(ruleOf(n));
  const month = ((new Date().getUTCMonth() + 6) % 12) + 1;
  for (let n = 0; n < SCHEDULES; n++) await newScheduleOf(client, { cron: `${n} 6 1 ${month} *` });
}

type Watch = AlertRuleContent["watch"];
type Rule = Parameters<Client["alertRules"]["create"]>[0];

const random = seeded("alert rules");
const one = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;

const MEASURES: MeasureName[] = [
  "response_latency",
  "response_latency",
  "response_latency",
  "end_of_utterance_delay",
  "transcription_delay",
  "llm_time_to_first_token",
  "tts_time_to_first_byte",
  "unexplained_latency",
  "greeting_latency",
  "talk_ratio",
  "silence",
  "words_per_minute",
  "tool_latency",
  "llm_errors",
  "input_tokens",
  "output_tokens",
];

const measure = (): Watch => ({
  kind: "measure",
  measure: one(MEASURES),
  statistic: one(["p50", "p90", "p95", "p95", "mean"]),
});

/** How many rules of 20 watch what. */
const WATCHES: readonly [rules: number, watch: () => Watch][] = [
  [8, measure],
  [3, () => ({ kind: "tool_errors", tool: one([null, "get_weather", "book_room"]) })],
  [3, () => ({ kind: "grader_failures", grader: one([null, ...Object.keys(GRADERS)]) })],
  [1, () => ({ kind: "endings", ending: one(["voicemail_reached", "dial_failed", "inactivity"]) })],
  [
    2,
    () => ({
      kind: "occurrences",
      measure: one(["user_interruptions", "agent_interruptions", "unanswered_turns"]),
    }),
  ],
  [1, () => ({ kind: "errors" })],
  [1, () => ({ kind: "conversations" })],
  [1, () => ({ kind: "import_failures" })],
];
const WATCHED = WATCHES.flatMap(([rules, watch]) => Array.from({ length: rules }, () => watch));

const liveAgents = Array.from({ length: AGENTS }, (_, n) => `clinic-${n}`);

/** Most rules have short windows, a fixed limit, and every agent, version and channel. */
export function ruleOf(n: number, agentNames: readonly string[] = liveAgents): Rule {
  const watch = WATCHED[n % WATCHED.length]!();
  const isSelected = watch.kind !== "import_failures";
  const windowMinutes = one([5, 5, 5, 5, 15, 15, 15, 30, 60, 60, 60, 360, 1_440] as const);
  const usual = one([null, null, null, null, "windows_before", "windows_before", "same_hours"] as const);
  return {
    name: `rule ${n}`,
    watch,
    agents: one([[], [], [one(agentNames)], [one(agentNames)], agentNames.slice(0, 3)]),
    agentVersions: isSelected ? one([[], [], [], [], [`version-${Math.floor(random() * VERSIONS)}`]]) : [],
    channels: isSelected ? one([[], [], [], [], ["room"], ["telephone"]]) : [],
    windowMinutes,
    condition:
      usual === null || (usual === "same_hours" && windowMinutes > 60)
        ? { is: "above", value: limitOf(watch) }
        : { is: one(["above", "above", "below"]), usual, confidence: one([0.99, 0.999]) },
    windowsInRow: one([1, 1, 2, 3]),
  };
}

const limitOf = ({ kind }: Watch): number =>
  kind === "measure" ? 1_500 + random() * 1_500 : kind === "conversations" ? 1_000 : 0.1 + random() / 2;
