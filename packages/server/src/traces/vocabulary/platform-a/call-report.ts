import type { StoredSpan } from "../../stored-span.ts";
import { contentOf, countOf, listOf, milliseconds, numberOf, textOf } from "../attribute-values.ts";
import type { CallReport } from "../vocabulary.ts";
import { endingOf } from "./endings.ts";
import { KEY, PREFIX, SPAN } from "./names.ts";

/** The platform's latencies that have the definition of a measure. Its recognition latency (`asr`) has another one. */
const MEASURE_OF = {
  e2e: "response_latency",
  llm: "llm_time_to_first_token",
  tts: "tts_time_to_first_byte",
} as const;

/** Returns the values that the platform reports for the whole call, from whichever spans have them. */
export function callReport(spans: readonly StoredSpan[]): CallReport {
  const first = (name: string) => spans.find((span) => span.name === name)?.attributes ?? {};
  const call = first(SPAN.call);
  const reason = textOf(call[KEY.reason]);
  const tokens = listOf(first(SPAN.tokens)[KEY.tokens]).map((value) => countOf([value]));
  const latency = first(SPAN.latency);
  const analysis = first(SPAN.analysis);
  return {
    status: textOf(call[KEY.status]),
    ending: reason === null ? null : { reason, group: endingOf(reason) },
    verdicts: Object.keys(analysis)
      .filter((key) => key.startsWith(PREFIX.analysis))
      .map((key) => ({ name: key.slice(PREFIX.analysis.length), value: contentOf(analysis[key]) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    tokens: tokens.length === 0 ? null : sumOf(tokens),
    costCents: numberOf(first(SPAN.cost)[`${PREFIX.cost}combined_cost`]),
    latencies: Object.fromEntries(
      Object.entries(MEASURE_OF).flatMap(([name, measure]) => {
        const values = listOf(latency[PREFIX.latency + name]).flatMap(
          (value) => milliseconds(value, "milliseconds") ?? [],
        );
        return values.length === 0 ? [] : [[measure, values]];
      }),
    ),
  };
}

/** Returns the sum; null if any count is unknown. */
const sumOf = (counts: readonly (number | null)[]): number | null =>
  counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);
