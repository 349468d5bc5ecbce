import type { SpanNode } from "../../span-tree.ts";
import { milliseconds, numberOf } from "../attribute-values.ts";
import type { ReadingQuality, UnitInferred } from "../vocabulary.ts";
import type { Place } from "./places.ts";
import { delaysShown, latenciesShown, unitShown } from "./shown-times.ts";
import type { SpokenAudio } from "./spoken-audio.ts";

type Unit = UnitInferred["unit"];

/**
 * Reads the times that attributes state. 0 and less is not known. `delayMs` is of the two delays after the user's
 * speech, which are seconds in Python and milliseconds in JavaScript up to 1.9; `latencyMs` of all others, which are
 * seconds in both.
 */
export type StatedTimes = {
  delayMs(value: unknown): number | null;
  latencyMs(value: unknown): number | null;
  language: ReadingQuality["language"];
  unitsInferred: UnitInferred[];
};

const DELAYS = ["lk.end_of_turn_delay", "lk.end_of_utterance_delay", "lk.transcription_delay"];

/** A delay of this size cannot be seconds: nobody waits half a minute for the end of a turn. */
const LARGEST_SECONDS = 30;

export function statedTimes(
  nodes: readonly SpanNode[],
  placeOf: Map<SpanNode, Place>,
  audio: SpokenAudio,
): StatedTimes {
  const { language, declared } = languageOf(nodes);
  const stated = DELAYS.filter((key) => nodes.some(({ span }) => (numberOf(span.attributes[key]) ?? 0) > 0));
  const delays = delayUnit(nodes, language, declared, unitShown(delaysShown(nodes, placeOf, audio)));
  const latencies = unitShown(latenciesShown(nodes, placeOf, audio)) ?? "seconds";
  const unitsInferred: UnitInferred[] = [];
  if (delays.by !== null)
    for (const attribute of stated) unitsInferred.push({ attribute, unit: delays.unit, by: delays.by });
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

function languageOf(nodes: readonly SpanNode[]): { language: ReadingQuality["language"]; declared: boolean } {
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

/** What the span times show decides, since versions differ; `by` is null when the unit is the one that the language is known for. */
function delayUnit(
  nodes: readonly SpanNode[],
  language: ReadingQuality["language"],
  declared: boolean,
  shown: Unit | null,
): { unit: Unit; by: UnitInferred["by"] | null } {
  const usual = language === null ? null : language === "python" ? "seconds" : "milliseconds";
  if (shown !== null) return { unit: shown, by: declared && shown === usual ? null : "span_times" };
  if (language === "python") return { unit: "seconds", by: declared ? null : "names" };
  const large = nodes.some(({ span }) => DELAYS.some((key) => (numberOf(span.attributes[key]) ?? 0) > LARGEST_SECONDS));
  return { unit: large ? "milliseconds" : "seconds", by: "size" };
}
