import { formatDateTime, formatMs } from "../ui/format.ts";
import type { ListSearch } from "./list-search.ts";

/** Labels of the topics of notes about data quality. */
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

/** Returns a description of each filter that is set. */
export function filterWords(search: ListSearch, runName?: string): string[] {
  const { from, to, source, agent, status, slow, interrupted, tool, note, verdict, run, search: text } = search;
  const words: [unknown, string][] = [
    [text, `words “${text}”`],
    [source, `source ${source}`],
    [from, `since ${from && formatDateTime(from)}`],
    [to, `until ${to && formatDateTime(to)}`],
    [agent, `agent ${agent}`],
    [search.version, `version ${search.version}`],
    [search.withoutAgent, "without an agent’s name"],
    [status, status === "error" ? "with errors" : "without errors"],
    [slow, `an answer over ${formatMs(slow)}`],
    [interrupted, interrupted === "true" ? "cut short by the caller" : "never cut short"],
    [tool, `tool ${tool}`],
    [note, `note: ${note && NOTE_WORDS[note]}`],
    [verdict, `verdict ${verdict && VERDICT_WORDS[verdict]}`],
    [run, `run ${runName ?? run}`],
  ];
  return words.flatMap(([value, word]) => (value === undefined ? [] : [word]));
}
