import { formatDateTime, formatMs } from "../ui/format.ts";
import type { ListSearch } from "./list-search.ts";

const NOTE_WORDS: Record<NonNullable<ListSearch["note"]>, string> = {
  vocabulary: "no known vocabulary",
  generation: "unknown generation",
  units: "inferred units",
  content: "texts missing or withheld",
  root: "root span missing",
  late_spans: "late spans",
  stalls: "the service stalled",
  call_timing: "unreliable times of a call",
  earlier_attempts: "spans of an earlier attempt",
  credentials: "credentials removed",
  lost_content: "unreadable spans",
  times: "impossible times",
  unmapped_keys: "unknown keys",
  truncated: "too many spans",
};

const VERDICT_WORDS: Record<NonNullable<ListSearch["verdict"]>, string> = {
  passed: "passed",
  failed: "failed",
  inconclusive: "inconclusive",
  errored: "errored",
  not_graded: "not graded",
};

export const VERDICT_OPTIONS = Object.entries(VERDICT_WORDS).map(([value, label]) => ({ value, label }));
export const NOTE_OPTIONS = Object.entries(NOTE_WORDS).map(([value, label]) => ({ value, label }));
export const SLOW_OPTIONS = [1_000, 1_500, 2_000, 3_000, 5_000].map((ms) => ({
  value: String(ms),
  label: `over ${formatMs(ms).replace(".00", "").replace(".50", ".5")}`,
}));

export function filterWords(search: ListSearch, runName?: string): string[] {
  const { from, to, slow, note, verdict } = search;
  const words = {
    search: `words “${search.search}”`,
    source: `source ${search.source}`,
    from: `since ${from && formatDateTime(from)}`,
    to: `until ${to && formatDateTime(to)}`,
    agent: `agent ${search.agent}`,
    version: `version ${search.version}`,
    channel: `channel ${search.channel}`,
    withoutAgent: "without an agent’s name",
    status: search.status === "error" ? "with errors" : "without errors",
    slow: `an answer over ${slow && formatMs(slow)}`,
    interrupted: search.interrupted === "true" ? "cut short by the caller" : "never cut short",
    tool: `tool ${search.tool}`,
    ending: `ending ${search.ending?.replaceAll("_", " ")}`,
    note: `note: ${note && NOTE_WORDS[note]}`,
    verdict: `verdict ${verdict && VERDICT_WORDS[verdict]}`,
    run: `run ${runName ?? search.run}`,
    alert: "those that raised an alert",
  } satisfies Record<Exclude<keyof ListSearch, "sort" | "view">, string>;
  const names = Object.keys(words) as (keyof typeof words)[];
  return names.flatMap((name) => (search[name] === undefined ? [] : [words[name]]));
}
