import type { SpanNode } from "../../conversation/span-tree.ts";
import { milliseconds, numberOf } from "../attribute-values.ts";
import type { SpanQuality, InferredUnit } from "../vocabulary.ts";
import type { NodesByName } from "./nodes-by-name.ts";
import type { SpanPosition } from "./span-positions.ts";
import { delayPairs, latencyPairs, inferUnit } from "./unit-inference.ts";
import type { SpokenAudio } from "./spoken-audio.ts";

type Unit = InferredUnit["unit"];

/** Converts durations in attributes to milliseconds. Returns null for 0 and less, which mean unknown. */
export type TimeReader = {
  /** Converts a delay after the user's speech. Python sends seconds, and JavaScript up to version 1.9 sends milliseconds. */
  delayMs(value: unknown): number | null;
  /** Converts any other duration. Both languages send seconds. */
  latencyMs(value: unknown): number | null;
  language: SpanQuality["language"];
  unitsInferred: InferredUnit[];
};

const DELAY_KEYS = ["lk.end_of_turn_delay", "lk.end_of_utterance_delay", "lk.transcription_delay"];

/**
 * A greater delay must be in milliseconds, because no agent waits half a minute to decide that a turn is over. The limit for JavaScript,
 * which usually sends milliseconds, is lower, because the longest wait of its framework is less than eight seconds.
 */
const LARGEST_SECONDS = { javascript: 8, other: 30 };

/** When the times of the spans contradict the usual unit, infers the unit from these times. */
export function createTimeReader(
  nodes: readonly SpanNode[],
  named: NodesByName,
  positionOf: Map<SpanNode, SpanPosition>,
  audio: SpokenAudio,
): TimeReader {
  const { language, declared } = languageOf(nodes);
  const statedKeys = DELAY_KEYS.filter((key) => nodes.some(({ span }) => (numberOf(span.attributes[key]) ?? 0) > 0));
  const delays = delayUnit(nodes, language, declared, inferUnit(delayPairs(named, positionOf, audio)));
  const latencies = inferUnit(latencyPairs(named, positionOf, audio)) ?? "seconds";
  const unitsInferred: InferredUnit[] = [];
  if (delays.by !== null) {
    for (const attribute of statedKeys) unitsInferred.push({ attribute, unit: delays.unit, by: delays.by });
  }
  if (latencies !== "seconds") {
    unitsInferred.push({ attribute: "lk.e2e_latency", unit: latencies, by: "span_times" });
  }
  return {
    delayMs: (value) => milliseconds(value, delays.unit),
    latencyMs: (value) => milliseconds(value, latencies),
    language,
    unitsInferred,
  };
}

function languageOf(nodes: readonly SpanNode[]): { language: SpanQuality["language"]; declared: boolean } {
  for (const { span } of nodes) {
    const declared = span.resource["telemetry.sdk.language"];
    if (declared === "python") return { language: "python", declared: true };
    if (declared === "nodejs") return { language: "javascript", declared: true };
  }
  for (const { span } of nodes) {
    const metrics = span.attributes["lk.llm_metrics"] ?? span.attributes["lk.tts_metrics"];
    if (typeof metrics !== "string") continue;
    if (metrics.includes('"durationMs"')) return { language: "javascript", declared: false };
    if (metrics.includes('"request_id"')) return { language: "python", declared: false };
  }
  return { language: null, declared: false };
}

/**
 * Returns the unit of delays after the user's speech. The unit that the times of the spans show has priority, because versions differ. `by`
 * is null when the unit is the usual unit of the language that the sender declares.
 */
function delayUnit(
  nodes: readonly SpanNode[],
  language: SpanQuality["language"],
  declared: boolean,
  inferred: Unit | null,
): { unit: Unit; by: InferredUnit["by"] | null } {
  const usual = language === null ? null : language === "python" ? "seconds" : "milliseconds";
  if (inferred !== null) return { unit: inferred, by: declared && inferred === usual ? null : "span_times" };
  if (language === "python") return { unit: "seconds", by: declared ? null : "names" };
  const delays = nodes.flatMap(({ span }) => DELAY_KEYS.map((key) => numberOf(span.attributes[key]) ?? 0));
  const largest = language === "javascript" ? LARGEST_SECONDS.javascript : LARGEST_SECONDS.other;
  // No sender reports fractions of a millisecond, so a delay below 1 is in seconds.
  const isLarge = delays.some((delay) => delay > largest) && !delays.some((delay) => delay > 0 && delay < 1);
  return { unit: isLarge ? "milliseconds" : "seconds", by: "size" };
}
