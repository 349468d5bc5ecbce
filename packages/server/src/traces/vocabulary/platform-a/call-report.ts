import type { StoredSpan } from "../../stored-span.ts";
import {
  contentOf,
  countOf,
  listOf,
  milliseconds,
  numberOf,
  recordOf,
  structureOf,
  textOf,
} from "../attribute-values.ts";
import type { CallEnding, CallReport } from "../vocabulary.ts";
import { KEY, PREFIX, SPAN } from "./names.ts";

/** Latencies of the platform that have the same definition as a measure. The definition of its recognition latency (`asr`) differs. */
const MEASURE_OF = {
  e2e: "response_latency",
  llm: "llm_time_to_first_token",
  tts: "tts_time_to_first_byte",
} as const;

const RECORDING = /^(?:scrubbed_)?recording_(?:multi_channel_)?url$/;

/** Returns the platform's report on the whole call, whose values are in several spans. */
export function callReport(spans: readonly StoredSpan[]): CallReport {
  const first = (name: string) => spans.find((span) => span.name === name)?.attributes ?? {};
  const call = first(SPAN.call);
  const record = withoutPrefix(first(SPAN.record), PREFIX.record);
  const cost = withoutPrefix(first(SPAN.cost), PREFIX.cost);
  const analysis = withoutPrefix(first(SPAN.analysis), PREFIX.analysis);
  const latency = first(SPAN.latency);
  const reason = textOf(call[KEY.reason]);
  const direction = textOf(record["direction"]);
  const version = numberOf(call[KEY.agentVersion]);
  const tokens = listOf(first(SPAN.tokens)[KEY.tokens]).map((value) => countOf([value]));
  const latencies = latenciesOf(latency);
  return {
    status: textOf(call[KEY.status]),
    ending: reason === null ? null : { reason, group: endingOf(reason) },
    callType: textOf(record["call_type"]),
    direction: direction === "inbound" || direction === "outbound" ? direction : null,
    fromNumber: textOf(record["from_number"]),
    toNumber: textOf(record["to_number"]),
    transferDestination: textOf(record["transfer_destination"]),
    agentVersion: version === null ? null : String(version),
    summary: textOf(analysis["call_summary"]),
    sentiment: textOf(analysis["user_sentiment"]),
    verdicts: Object.entries(analysis)
      .map(([name, value]) => ({ name, value: contentOf(value) }))
      .sort(byName),
    metadata: contentOf(record["metadata"]),
    dynamicVariables: variablesOf(record["retell_llm_dynamic_variables"]),
    collectedVariables: variablesOf(record["collected_dynamic_variables"]),
    recordings: Object.entries(record)
      .flatMap(([name, url]) => (RECORDING.test(name) && textOf(url) !== null ? [{ name, url: String(url) }] : []))
      .sort(byName),
    logUrl: textOf(record["public_log_url"]),
    tokens: tokens.length === 0 ? null : sumOf(tokens),
    costCents: numberOf(cost["combined_cost"]),
    costs: listOf(structureOf(cost["product_costs"])).flatMap((item) => {
      const { product, cost: cents } = recordOf(item);
      const [name, amount] = [textOf(product), numberOf(cents)];
      return name === null || amount === null ? [] : [{ product: name, cents: amount }];
    }),
    latencies,
    measures: Object.fromEntries(
      latencies.flatMap((reported) => {
        const measure = (MEASURE_OF as Record<string, string | undefined>)[reported.component];
        const values = valuesOf(latency[PREFIX.latency + reported.component]);
        return measure === undefined || (values.length === 0 && !reported.n) ? [] : [[measure, { values, reported }]];
      }),
    ),
  };
}

function latenciesOf(attributes: StoredSpan["attributes"]): CallReport["latencies"] {
  const summaries = withoutPrefix(attributes, PREFIX.latencySummary);
  const values = withoutPrefix(attributes, PREFIX.latency);
  return [...new Set([...Object.keys(summaries), ...Object.keys(values)])].sort().flatMap((component) => {
    const summary = recordOf(structureOf(summaries[component]));
    const ms = (name: string) => milliseconds(summary[name], "milliseconds");
    const count = valuesOf(values[component]).length;
    if (count === 0 && Object.keys(summary).length === 0) return [];
    return {
      component,
      n: countOf([summary["num"]]) ?? (count === 0 ? null : count),
      min: ms("min"),
      max: ms("max"),
      p50: ms("p50"),
      p90: ms("p90"),
      p95: ms("p95"),
      p99: ms("p99"),
    };
  });
}

const valuesOf = (list: unknown): number[] =>
  listOf(list).flatMap((value) => milliseconds(value, "milliseconds") ?? []);

const withoutPrefix = (attributes: StoredSpan["attributes"], prefix: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([key, value]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
    ),
  );

function variablesOf(value: unknown): Record<string, unknown> | null {
  const variables = recordOf(structureOf(value));
  return Object.keys(variables).length === 0 ? null : variables;
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

const sumOf = (counts: readonly (number | null)[]): number | null =>
  counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);

const REASONS: Record<CallEnding, string> = {
  completed: "user_hangup agent_hangup call_transfer transfer_bridged",
  taken_over: "manual_stopped call_take_over transfer_cancelled",
  no_contact:
    "dial_busy dial_no_answer dial_failed voicemail_reached ivr_reached user_declined marked_as_spam scam_detected invalid_destination",
  dead_air: "inactivity error_user_not_joined registered_call_timeout",
  limit: "max_duration_reached concurrency_limit_reached no_concurrency_fallback no_valid_payment",
  fault: `error_llm_websocket_open error_llm_websocket_lost_connection error_llm_websocket_runtime
    error_llm_websocket_corrupt_payload error_no_audio_received error_asr error_retell error_unknown
    telephony_provider_permission_denied telephony_provider_unavailable sip_routing_error`,
};

const ENDING_OF = new Map(
  Object.entries(REASONS).flatMap(([ending, reasons]) =>
    reasons.split(/\s+/).map((reason) => [reason, ending as CallEnding] as const),
  ),
);

const endingOf = (reason: string): CallEnding | null => ENDING_OF.get(reason) ?? null;
