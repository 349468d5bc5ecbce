import { MEASURE_NAMES } from "@svc/contract/constants";
import type { VersionSamples } from "../trace-store.ts";
import { type DatabaseConnection, integer } from "./database.ts";
import { doublesOf, eachChunk } from "./read-pools.ts";

/** No more samples of a version are read after this many. */
const SAMPLES_MAX = 1_000_000;

/** If there are too many samples, leaves out the conversations that were derived last. */
export async function samplesOfReadings(
  read: DatabaseConnection,
  readings: readonly number[],
): Promise<Pick<VersionSamples, "samples" | "toolCalls">> {
  if (readings.length === 0) return { samples: new Float64Array(), toolCalls: new Float64Array() };
  const list = readings.map(integer).join(", ");
  const placeOf = new Map(readings.map((reading, place) => [reading, place]));
  const measure = `CASE measure ${MEASURE_NAMES.map((name, at) => `WHEN '${name}' THEN ${at}`).join(" ")} END::DOUBLE`;
  const of = (table: string) => `FROM ${table} WHERE reading IN (${list})`;
  return {
    samples: await columnsOf(
      read,
      placeOf,
      3,
      `SELECT * FROM (SELECT reading::DOUBLE AS reading, ${measure} AS measure, value ${of("measures")}) WHERE measure IS NOT NULL`,
    ),
    toolCalls: await columnsOf(
      read,
      placeOf,
      2,
      `SELECT reading::DOUBLE AS reading, is_error::INTEGER::DOUBLE AS failed ${of("tool_calls")} AND is_error IS NOT NULL`,
    ),
  };
}

/** Replaces the first number of each row, the number of a derived conversation, by the index of that number in `readings`. */
async function columnsOf(
  read: DatabaseConnection,
  placeOf: ReadonlyMap<number, number>,
  columns: number,
  query: string,
): Promise<Float64Array> {
  const parts: Float64Array[] = [];
  let length = 0;
  await eachChunk(read, `${query} ORDER BY reading LIMIT ${SAMPLES_MAX}`, [], ({ chunk }, rows) => {
    const values = Array.from({ length: columns }, (_, column) => doublesOf(chunk, column));
    const part = new Float64Array(rows * columns);
    for (let row = 0; row < rows; row++) {
      part[row * columns] = placeOf.get(values[0]![row]!)!;
      for (let column = 1; column < columns; column++) part[row * columns + column] = values[column]![row]!;
    }
    parts.push(part);
    length += part.length;
  });
  const all = new Float64Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
