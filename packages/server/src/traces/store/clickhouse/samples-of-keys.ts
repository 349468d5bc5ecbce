import { isMeasureName, MEASURE_NAMES } from "@svc/contract/constants";
import type { VersionSamples } from "../trace-store.ts";
import { type ClickHouse, integer, quoted } from "./client.ts";

/** Largest number of conversations in one query, because the answer of the query is one text in memory. */
const KEYS_PER_QUERY = 200;
/** No more samples of a version are read after about this many. */
const SAMPLES_MAX = 1_000_000;

type Row = { key: string; measures: string[]; values: number[]; outcomes: (0 | 1)[] };

/** If there are too many samples, the last conversations are left out. */
export async function samplesOfKeys(
  { rowsOf, table }: ClickHouse,
  project: number,
  keys: readonly string[],
): Promise<Pick<VersionSamples, "samples" | "toolCalls">> {
  const [samples, toolCalls]: [number[], number[]] = [[], []];
  const placeOf = new Map(keys.map((key, place) => [key, place]));
  for (let from = 0; from < keys.length && samples.length < 3 * SAMPLES_MAX; from += KEYS_PER_QUERY) {
    const some = keys.slice(from, from + KEYS_PER_QUERY);
    const rows = await rowsOf<Row>(
      `SELECT key, samples.measure AS measures, samples.value AS values,
         arrayFilter(outcome -> outcome IS NOT NULL, tools.is_error) AS outcomes
       FROM ${table("readings")} FINAL WHERE project = ${integer(project)} AND key IN (${some.map(quoted).join(", ")})`,
    );
    for (const { key, measures, values, outcomes } of rows) {
      const place = placeOf.get(key)!;
      for (const [at, measure] of measures.entries())
        if (isMeasureName(measure)) samples.push(place, MEASURE_NAMES.indexOf(measure), values[at]!);
      for (const failed of outcomes) toolCalls.push(place, Number(failed));
    }
  }
  return { samples: Float64Array.from(samples), toolCalls: Float64Array.from(toolCalls) };
}
