import { Flags, type Interfaces } from "@oclif/core";
import type { AlertRuleContent } from "@svc/contract";
import {
  ALERT_WINDOWS_MINUTES,
  CONFIDENCES,
  conditionText,
  MEASURES,
  NO_DATA_MEANINGS,
  type NoData,
  type Occurrence,
  OCCURRENCES,
  READY_ALERT_RULES,
  type ReadyAlertRule,
  readyAlertRule,
  SEVERITIES,
  type Usual,
  USUAL_MEANINGS,
  watchedWords,
  WATCHED_STATISTICS,
} from "@svc/contract/constants";
import { channelFlag, repeatedFlag } from "../flags.ts";
import { usage } from "../refusal.ts";
import { windowText } from "./rule-text.ts";

type Watch = AlertRuleContent["watch"];
type Condition = AlertRuleContent["condition"];
type MeasureName = keyof typeof MEASURES;

const DEFAULT_USUAL = { usual: "windows_before", confidence: 0.999 } as const;

const NO_DATA = Object.keys(NO_DATA_MEANINGS) as NoData[];
const READY = Object.keys(READY_ALERT_RULES) as ReadyAlertRule[];
const WINDOWS = ALERT_WINDOWS_MINUTES.map(windowText);

export const ruleFlags = () => ({
  measure: Flags.option({
    options: Object.keys(MEASURES) as MeasureName[],
    description: "Watch a measure, such as response_latency. `svc metrics` shows the measures that have samples.",
    helpValue: "<name>",
  })(),
  statistic: Flags.option({
    options: WATCHED_STATISTICS,
    description: "Which number of the measure. Default: p95 of a time, mean of a count or a share.",
  })(),
  errors: Flags.boolean({ description: "Watch the share of conversations with an error." }),
  "tool-errors": Flags.boolean({ description: "Watch the share of failed tool calls." }),
  tool: Flags.string({
    description: "With --tool-errors: only calls of this tool. Default: all tools.",
    helpValue: "<name>",
  }),
  "grader-failures": Flags.boolean({
    description: "Watch the share of production conversations that a grader failed.",
  }),
  grader: Flags.string({
    description: "With --grader-failures: only this grader. Default: every grader that counts.",
    helpValue: "<name>",
  }),
  ending: Flags.string({
    description: "Watch the share of conversations that ended so, such as voicemail_reached.",
    helpValue: "<ending>",
  }),
  occurs: Flags.option({
    options: Object.keys(OCCURRENCES) as Occurrence[],
    description: `Watch the share of conversations in which this happens. ${Object.entries(OCCURRENCES)
      .map(([name, words]) => `${name}: ${words}.`)
      .join(" ")}`,
    helpValue: "<measure>",
  })(),
  conversations: Flags.boolean({ description: "Watch the number of conversations." }),
  "import-failures": Flags.boolean({
    description: "Watch the number of calls of a platform whose import failed and is not mended.",
  }),
  above: Flags.string({
    description: "A window is bad above this value, such as 2000, 2s, 20% or 0.2, or above what is `usual`.",
    exclusive: ["below"],
    helpValue: "<value>",
  }),
  below: Flags.string({
    description: "A window is bad below this value, or below what is `usual`.",
    helpValue: "<value>",
  }),
  "compared-with": Flags.option({
    options: Object.keys(USUAL_MEANINGS) as Usual[],
    description: `With --above usual or --below usual: the windows that say what is usual. Default: windows_before. ${Object.entries(
      USUAL_MEANINGS,
    )
      .map(([name, meaning]) => `${name}: ${meaning}`)
      .join(" ")}`,
    helpValue: "<windows>",
  })(),
  confidence: Flags.option({
    options: CONFIDENCES.map(String),
    description: "With --above usual or --below usual: how sure the rule must be that it is no chance. Default: 0.999.",
    helpValue: "<share>",
  })(),
  window: Flags.option({ options: WINDOWS, description: "Length of a window. Default: 1h.", helpValue: "<length>" })(),
  agent: repeatedFlag("Name of an agent. Each agent has its own alert. Default: every agent that has conversations."),
  "agent-version": repeatedFlag(
    "Version of the agent: only its conversations count. Default: all conversations.",
    "<version>",
  ),
  channel: channelFlag("Channel: only conversations over it count. Default: all conversations."),
  source: Flags.option({
    options: ["production", "simulation"] as const,
    description: "Which conversations. Default: production.",
  })(),
  "min-samples": Flags.integer({
    description: "A window with fewer samples raises nothing and clears nothing. Default: 20.",
    helpValue: "<count>",
  }),
  "in-row": Flags.integer({
    description: "This many bad windows in a row raise an alert, and as many good ones clear it. Default: 1.",
    helpValue: "<count>",
  }),
  "no-data": Flags.option({
    options: NO_DATA,
    description: `What a window without any sample is. Default: keep. ${NO_DATA.map((name) => `${name}: ${NO_DATA_MEANINGS[name]}`).join(" ")}`,
  })(),
  severity: Flags.option({ options: SEVERITIES, description: "How much it matters. Default: warning." })(),
});

export const readyFlag = () =>
  Flags.option({
    options: READY,
    description: "Add a ready rule; other flags change it.",
    helpValue: "<name>",
  })();

export type RuleFlags = Interfaces.InferredFlags<ReturnType<typeof ruleFlags>>;

export const readyRulesHelp = (): string =>
  READY.map((name) => {
    const { watch, condition } = READY_ALERT_RULES[name];
    const { what, unit } = watchedWords(watch);
    return `${name}: ${what} ${conditionText(condition, unit)}.`;
  }).join(" ");

/** `base` is the rule to change; undefined for a new rule. */
export function changesOf(flags: RuleFlags, base?: AlertRuleContent): Partial<AlertRuleContent> {
  const watch = watchOf(flags, base?.watch);
  const watched = watch ?? base?.watch;
  const condition = conditionOf(flags, watched && watchedWords(watched).unit, base?.condition);
  const changes: { [Name in keyof AlertRuleContent]?: AlertRuleContent[Name] | undefined } = {
    watch,
    condition,
    agents: flags.agent,
    agentVersions: flags["agent-version"],
    channels: flags.channel,
    source: flags.source,
    windowMinutes: flags.window === undefined ? undefined : ALERT_WINDOWS_MINUTES[WINDOWS.indexOf(flags.window)],
    minSamples: flags["min-samples"],
    windowsInRow: flags["in-row"],
    noData: flags["no-data"],
    severity: flags.severity,
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** Throws when a required part is missing. */
export function wholeRuleOf(flags: RuleFlags, ready?: ReadyAlertRule, name?: string) {
  const base = ready && readyAlertRule(ready, flags.agent);
  const changes = changesOf(flags, base);
  const { watch, condition } = { ...base, ...changes };
  if (watch === undefined)
    throw usage(
      "Say what to watch: --measure, --errors, --tool-errors, --grader-failures, --ending, --occurs, --conversations or --import-failures. Or add a ready rule with --ready.",
    );
  if (condition === undefined)
    throw usage("Say when a window is bad: --above or --below, such as --above 2s or --above usual.");
  const named = { ...base, ...changes, watch, condition };
  return { ...named, name: name ?? base?.name, windowMinutes: named.windowMinutes ?? 60 };
}

/** Returns undefined when the flags do not change the condition. */
function conditionOf(flags: RuleFlags, unit: string | undefined, before: Condition | undefined): Condition | undefined {
  const { above, below, confidence, "compared-with": usual } = flags;
  const limit = above ?? below;
  const isUsual = limit === undefined ? before !== undefined && "usual" in before : limit === "usual";
  if (!isUsual && (usual !== undefined || confidence !== undefined))
    throw usage("Set --compared-with and --confidence together with --above usual or --below usual.");
  const is = limit === undefined ? before?.is : above === undefined ? "below" : "above";
  if (is === undefined || (limit ?? usual ?? confidence) === undefined) return undefined;
  if (!isUsual) return unit === undefined ? undefined : { is, value: valueOf(limit!, unit, `--${is}`) };
  const { usual: usualBefore, confidence: confidenceBefore } =
    before !== undefined && "usual" in before ? before : DEFAULT_USUAL;
  return {
    is,
    usual: usual ?? usualBefore,
    confidence: CONFIDENCES.find((each) => String(each) === confidence) ?? confidenceBefore,
  };
}

/** Returns undefined when the flags do not change the watched value. Throws for contradictory flags. */
function watchOf(flags: RuleFlags, before: Watch | undefined): Watch | undefined {
  const { measure, statistic, errors, conversations, tool, grader, ending, occurs } = flags;
  const { "tool-errors": toolErrors, "grader-failures": graderFailures, "import-failures": importFailures } = flags;
  const named = [measure, ending, occurs].map((name) => name !== undefined);
  const kinds = [...named, errors, toolErrors, graderFailures, conversations, importFailures].filter(Boolean).length;
  if (kinds > 1)
    throw usage(
      "A rule watches one thing. Set one of --measure, --errors, --tool-errors, --grader-failures, --ending, --occurs, --conversations and --import-failures.",
    );
  if (tool !== undefined && !toolErrors) throw usage("Set --tool together with --tool-errors.");
  if (grader !== undefined && !graderFailures) throw usage("Set --grader together with --grader-failures.");
  if (measure !== undefined) {
    const isTime = MEASURES[measure].unit === "ms";
    return { kind: "measure", measure, statistic: statistic ?? (isTime ? "p95" : "mean") };
  }
  if (statistic !== undefined) {
    if (kinds > 0 || before?.kind !== "measure") throw usage("Set --statistic together with --measure.");
    return { ...before, statistic };
  }
  if (errors) return { kind: "errors" };
  if (toolErrors) return { kind: "tool_errors", tool: tool ?? null };
  if (graderFailures) return { kind: "grader_failures", grader: grader ?? null };
  if (ending !== undefined) return { kind: "endings", ending };
  if (occurs !== undefined) return { kind: "occurrences", measure: occurs };
  if (importFailures) return { kind: "import_failures" };
  return conversations ? { kind: "conversations" } : undefined;
}

const NUMBER = /^(?<number>-?\d+(?:\.\d+)?) ?(?<unit>%|ms|s)?$/;

function valueOf(text: string, unit: string, flag: string): number {
  const groups = NUMBER.exec(text.trim())?.groups;
  const wrong = (why: string) => usage(`${flag} "${text}": ${why}`);
  if (groups === undefined) throw wrong("Write a number, such as 2000, 2s or 20%.");
  const number = Number(groups.number);
  if (groups.unit === "%") {
    if (unit !== "ratio") throw wrong("What the rule watches is no share. Write it without %.");
    return Number((number / 100).toPrecision(12));
  }
  if (groups.unit !== undefined && unit !== "ms") throw wrong("What the rule watches is no time. Write a number.");
  if (unit === "ratio" && number > 1) throw wrong(`A share is from 0 to 1. Write ${number}% or ${number / 100}.`);
  return groups.unit === "s" ? Number((number * 1_000).toPrecision(12)) : number;
}
