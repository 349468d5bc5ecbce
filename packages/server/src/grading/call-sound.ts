import type { MeasureName } from "@svc/contract";
import type { Evidence, EvidenceMeasure } from "./evidence.ts";

type SourcedMeasure = { measure: EvidenceMeasure; source: string; isHeard: boolean };

const SOURCES: Record<EvidenceMeasure["provenance"], string> = {
  heard: ", as heard in the call",
  measured: ", by the times of the spans",
  provider_reported: ", as the platform reports",
  approximate: ", as the platform estimates",
  unavailable: "",
};

export function heardOr(
  { measures }: Pick<Evidence, "measures">,
  reported: MeasureName,
  heard: MeasureName,
  onlyHeard = false,
): SourcedMeasure {
  // The measure `heard_silence` is known for every call whose sound was analyzed, even if nobody was silent.
  const isHeard = onlyHeard || measures.heard_silence.provenance === "heard";
  const measure = measures[isHeard ? heard : reported];
  return { measure, source: SOURCES[measure.provenance], isHeard };
}
