import { MEASURE_NAMES, type MeasureName, SAMPLE_PROVENANCES } from "@svc/contract/constants";

export type SampleRow = {
  measure: MeasureName;
  atMs: number;
  value: number;
  provenance: (typeof SAMPLE_PROVENANCES)[number];
  turn: number | null;
};

/**
 * Samples as numbers, which are transferred between threads without conversion. Each sample has five numbers: measure, time, value,
 * provenance and turn. Measures and provenances are indexes in their lists. A turn of -1 means no turn. This form is never written
 * to a file.
 */
export type PackedSamples = Float64Array<ArrayBuffer>;

export const NUMBERS_PER_SAMPLE = 5;

export function packSamples(rows: readonly SampleRow[]): PackedSamples {
  const packed = new Float64Array(rows.length * NUMBERS_PER_SAMPLE);
  let at = 0;
  for (const { measure, atMs, value, provenance, turn } of rows) {
    packed[at++] = PLACES.get(measure)!;
    packed[at++] = atMs;
    packed[at++] = value;
    packed[at++] = SAMPLE_PROVENANCES.indexOf(provenance);
    packed[at++] = turn ?? -1;
  }
  return packed;
}

export function eachSample(
  packed: PackedSamples,
  take: (
    measure: SampleRow["measure"],
    atMs: number,
    value: number,
    provenance: SampleRow["provenance"],
    turn: number | null,
  ) => void,
): void {
  for (let at = 0; at < packed.length; at += NUMBERS_PER_SAMPLE) {
    const turn = packed[at + 4]!;
    take(
      MEASURE_NAMES[packed[at]!]!,
      packed[at + 1]!,
      packed[at + 2]!,
      SAMPLE_PROVENANCES[packed[at + 3]!]!,
      turn < 0 ? null : turn,
    );
  }
}

export function unpackSamples(packed: PackedSamples): SampleRow[] {
  const rows: SampleRow[] = [];
  eachSample(packed, (measure, atMs, value, provenance, turn) => rows.push({ measure, atMs, value, provenance, turn }));
  return rows;
}

const PLACES = new Map(MEASURE_NAMES.map((name, place) => [name, place]));
