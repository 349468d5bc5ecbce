import type { MeasureName } from "@svc/contract";
import type { Evidence, EvidenceMeasure } from "./evidence.ts";

/** A measure. `source` says where its values come from, as the end of a sentence. */
type SourcedMeasure = { measure: EvidenceMeasure; source: string; isHeard: boolean };

const SOURCES: Record<EvidenceMeasure["provenance"], string> = {
  heard: ", as heard in the call",
  measured: ", by the times of the spans",
  provider_reported: ", as the platform reports",
  approximate: ", as the platform estimates",
  unavailable: "",
};

/**
 * Returns the measure from the sound of the call when the service placed the call, or when `onlyHeard` allows no other.
 * Otherwise returns the reported measure.
 */
export function heardOr(
  { measures }: Pick<Evidence, "measures">,
  reported: MeasureName,
  heard: MeasureName,
  onlyHeard = false,
): SourcedMeasure {
  // `heard_silence` is known for every heard call, even for one without a silence.
  const isHeard = onlyHeard || measures.heard_silence.provenance === "heard";
  const measure = measures[isHeard ? heard : reported];
  return { measure, source: SOURCES[measure.provenance], isHeard };
}
