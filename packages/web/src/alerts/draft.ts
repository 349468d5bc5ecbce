import type { AlertRuleContent } from "@svc/contract";
import {
  badWhenText,
  type Channel,
  type CONFIDENCES,
  cutText,
  LIMITS,
  MEASURES,
  type NoData,
  type Occurrence,
  OCCURRENCES,
  READY_ALERT_RULES,
  readyAlertRule,
  type Severity,
  type Usual,
  type WatchedStatistic,
} from "@svc/contract/constants";

type MeasureName = keyof typeof MEASURES;
type Watch = AlertRuleContent["watch"];

export type Watched =
  | `measure:${MeasureName}`
  | `occurs:${Occurrence}`
  | "errors"
  | "tool_errors"
  | "grader_failures"
  | "endings"
  | "conversations"
  | "import_failures";

/** Numbers are texts, in the unit of the field. */
export type Draft = {
  /** Empty: the rule gets a name that describes the watched value. */
  name: string;
  watched: Watched;
  statistic: WatchedStatistic;
  tool: string;
  grader: string;
  ending: string;
  is: "above" | "below";
  /** `fixed`: the limit is a number. Otherwise the limit comes from earlier windows. */
  comparedWith: "fixed" | Usual;
  limit: string;
  confidence: (typeof CONFIDENCES)[number];
  agents: readonly string[];
  agentVersions: readonly string[];
  channels: readonly Channel[];
  source: "production" | "simulation";
  windowMinutes: AlertRuleContent["windowMinutes"];
  minSamples: string;
  windowsInRow: string;
  noData: NoData;
  severity: Severity;
  destinationIds: readonly string[];
  remindAfterMinutes: number | null;
};

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

export const WATCHED: readonly { value: Watched; label: string }[] = [
  ...(Object.keys(MEASURES) as MeasureName[]).map((name) => ({
    value: `measure:${name}` as const,
    label: MEASURES[name].label,
  })),
  { value: "errors", label: "Share of conversations with an error" },
  { value: "tool_errors", label: "Share of failed tool calls" },
  { value: "grader_failures", label: "Share of conversations that a grader failed" },
  { value: "endings", label: "Share of conversations with an ending" },
  ...(Object.keys(OCCURRENCES) as Occurrence[]).map((name) => ({
    value: `occurs:${name}` as const,
    label: sentence(OCCURRENCES[name]),
  })),
  { value: "conversations", label: "Number of conversations" },
  { value: "import_failures", label: "Number of open import failures" },
];

const measureOf = (watched: Watched): MeasureName | undefined =>
  watched.startsWith("measure:") ? (watched.slice("measure:".length) as MeasureName) : undefined;

/** Only a rule on a measure has a statistic. */
export const isMeasure = (watched: Watched): boolean => measureOf(watched) !== undefined;

/** Returns the unit in which a person types the limit. `factor` converts a typed number to the unit of the rule. */
export function limitUnit(watched: Watched): { name: string; factor: number } {
  const measure = measureOf(watched);
  const isNumber = watched === "conversations" || watched === "import_failures";
  const unit = measure !== undefined ? MEASURES[measure].unit : isNumber ? "count" : "ratio";
  if (unit === "ms") return { name: "seconds", factor: 1_000 };
  if (unit === "ratio") return { name: "%", factor: 0.01 };
  return { name: unit === "count" ? "" : unit, factor: 1 };
}

/** Returns a number without the rounding error of binary fractions. */
const rounded = (value: number): number => Number(value.toPrecision(12));

function watchedOf(watch: Watch): Watched {
  if (watch.kind === "measure") return `measure:${watch.measure}`;
  return watch.kind === "occurrences" ? `occurs:${watch.measure}` : watch.kind;
}

export function draftOf(content: AlertRuleContent): Draft {
  const { watch, condition, minSamples, windowsInRow, ...same } = content;
  const watched = watchedOf(watch);
  return {
    ...same,
    watched,
    statistic: watch.kind === "measure" ? watch.statistic : "p95",
    tool: watch.kind === "tool_errors" ? (watch.tool ?? "") : "",
    grader: watch.kind === "grader_failures" ? (watch.grader ?? "") : "",
    ending: watch.kind === "endings" ? watch.ending : "",
    is: condition.is,
    ...("value" in condition
      ? {
          comparedWith: "fixed" as const,
          limit: String(rounded(condition.value / limitUnit(watched).factor)),
          confidence: 0.999 as const,
        }
      : { comparedWith: condition.usual, limit: "", confidence: condition.confidence }),
    minSamples: String(minSamples),
    windowsInRow: String(windowsInRow),
  };
}

export const newDraft = (agent?: string): Draft => ({
  ...draftOf(readyAlertRule("slow-answers", agent === undefined ? [] : [agent])),
  name: "",
});

/** The limit becomes the limit of the ready rule for this value, or empty without such a rule. */
export function withWatched(draft: Draft, watched: Watched): Draft {
  const ready = Object.values(READY_ALERT_RULES).find(({ watch }) => watchedOf(watch) === watched);
  const { statistic, is, limit, ending } = ready
    ? draftOf({ ...ready, agents: [], agentVersions: [], channels: [] })
    : {
        statistic: limitUnit(watched).factor === 1_000 ? ("p95" as const) : ("mean" as const),
        is: draft.is,
        limit: "",
        ending: draft.ending,
      };
  return { ...draft, watched, statistic, is, limit, ending };
}

/** Only windows of up to an hour can be compared with the same hours. */
export const isComparable = (comparedWith: Draft["comparedWith"], windowMinutes: number): boolean =>
  comparedWith !== "same_hours" || windowMinutes <= 60;

/** Windows that are too long for the comparison become one hour. */
export const withComparedWith = (draft: Draft, comparedWith: Draft["comparedWith"]): Draft => ({
  ...draft,
  comparedWith,
  windowMinutes: isComparable(comparedWith, draft.windowMinutes) ? draft.windowMinutes : 60,
});

function watchOf({ watched, statistic, tool, grader, ending }: Draft): Watch {
  const measure = measureOf(watched);
  if (measure !== undefined) return { kind: "measure", measure, statistic };
  if (watched === "tool_errors") return { kind: "tool_errors", tool: tool.trim() === "" ? null : tool.trim() };
  if (watched === "grader_failures") return { kind: "grader_failures", grader: grader === "" ? null : grader };
  if (watched.startsWith("occurs:"))
    return { kind: "occurrences", measure: watched.slice("occurs:".length) as Occurrence };
  if (watched === "endings") return { kind: "endings", ending: ending.trim() };
  return { kind: watched as "errors" | "conversations" | "import_failures" };
}

export type DraftErrors = Partial<Record<"limit" | "ending" | "minSamples" | "windowsInRow", string>>;

export function contentOf(draft: Draft): { content: AlertRuleContent | undefined; errors: DraftErrors } {
  const { name, limit, minSamples, windowsInRow, agents, agentVersions, channels, is, comparedWith, watched } = draft;
  const isFixed = comparedWith === "fixed";
  const { factor } = limitUnit(watched);
  const value = limit.trim() === "" ? Number.NaN : rounded(Number(limit.trim().replace(",", ".")) * factor);
  const errors: DraftErrors = {
    ...(isFixed && !Number.isFinite(value) && { limit: "Write a number." }),
    ...(isFixed && factor === 0.01 && Math.abs(value) > 10 && { limit: "Write a share in %, such as 10." }),
    ...(watched === "endings" && draft.ending.trim() === "" && { ending: "Write an ending." }),
    ...(!isWhole(minSamples, 100_000) && { minSamples: "Write a whole number from 1 to 100,000." }),
    ...(!isWhole(windowsInRow, 20) && { windowsInRow: "Write a whole number from 1 to 20." }),
  };
  if (Object.keys(errors).length > 0) return { content: undefined, errors };
  const { windowMinutes, source, noData, severity, destinationIds, remindAfterMinutes, confidence } = draft;
  const watch = watchOf(draft);
  const content = {
    name: name.trim(),
    watch,
    agents: [...agents],
    agentVersions: [...agentVersions],
    channels: [...channels],
    source,
    windowMinutes,
    condition: isFixed ? { is, value } : { is, usual: comparedWith, confidence },
    minSamples: Number(minSamples),
    windowsInRow: Number(windowsInRow),
    noData,
    severity,
    destinationIds: [...destinationIds],
    remindAfterMinutes,
  };
  return { content: { ...content, name: content.name === "" ? nameOf(content) : content.name }, errors };
}

const isWhole = (text: string, most: number): boolean =>
  /^\d{1,6}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= most;

function nameOf(content: Pick<AlertRuleContent, "agents" | "watch" | "condition">): string {
  const text = badWhenText(content);
  if (content.agents.length > 0) return cutText(`${content.agents.join(", ")}: ${text}`, LIMITS.nameCharacters);
  return /^p\d/.test(text) ? text : sentence(text);
}
