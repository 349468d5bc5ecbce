import type { MeasureName } from "@svc/contract";
import type { Evidence, EvidenceMeasure } from "./evidence.ts";

/** A measure and the source of its values as the end of a sentence. */
type SourcedMeasure = { measure: EvidenceMeasure; source: string; isHeard: boolean };

const SOURCES: Record<EvidenceMeasure["provenance"], string> = {
  heard: ", as heard in the call",
  measured: ", by the times of the spans",
  provider_reported: ", as the platform reports",
  approximate: ", as the platform estimates",
  unavailable: "",
};

/**
 * Returns the measure from the sound of the call when the service placed one, or when only that may decide; otherwise the
 * reported measure.
 */
export function heardOr(
  { measures }: Pick<Evidence, "measures">,
  reported: MeasureName,
  heard: MeasureName,
  onlyHeard = false,
): SourcedMeasure {
  // The silences of a heard call are always known, even if their number is 0.
  const isHeard = onlyHeard || measures.heard_silence.provenance === "heard";
  const measure = measures[isHeard ? heard : reported];
  return { measure, source: SOURCES[measure.provenance], isHeard };
}
