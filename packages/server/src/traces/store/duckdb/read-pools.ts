import type { DuckDBDataChunk } from "@duckdb/node-api";
import { isMeasureName, LIMITS } from "@svc/contract/constants";
import { areWhole, bucketOf, QUARTER_MS } from "../../metrics/metric-buckets.ts";
import type { MetricsRequest } from "../../metrics/metric-rules.ts";
import { type DatabaseConnection, integer, rowsOf } from "./database.ts";
import { conditionsOf } from "./metric-conditions.ts";
import { POOLED, QUARTER } from "./pools.ts";
import { addSums, type Bucket, createSeriesSet, type Series, type SeriesName } from "./series-set.ts";
import duckdb, { type DataChunk, type Vector } from "@duckdb/node-bindings";

type BucketOf = (startMs: number) => Bucket;
type BucketsOf = (name: SeriesName) => BucketOf;
type Terms = {
  matches: string;
  bound: string[];
  startOf: (timeMs: string) => string;
  /** SQL of the version of a series: a column if `byVersion` is true, else NULL, because a series then combines all versions. */
  version: string;
  byVersion: boolean;
  /** As `version`, for the channel. */
  channel: string;
  byChannel: boolean;
};
type Period = { fromMs: number; toMs: number };
type Outdated = { quarters: string; hours: string; fromMs: number };

/**
 * Reads valid pools where they exist. Reads marked quarters and the incomplete last quarter from the table of samples.
 */
export async function readSeries(
  read: DatabaseConnection,
  request: MetricsRequest,
): Promise<{ series: Series[]; lists: Float64Array[] } | null> {
  const { project, fromMs, toMs, bucketMs, offsets = [] } = request;
  const terms = termsOf(request);
  const all = createSeriesSet();
  const isWhole = [fromMs, bucketMs].every((ms) => ms % QUARTER_MS === 0) && areWhole(offsets, QUARTER_MS);
  const pooledToMs = isWhole ? Math.floor(toMs / QUARTER_MS) * QUARTER_MS : fromMs;
  const outdated = await outdatedQuarters(read, project, { fromMs, toMs: pooledToMs });
  const lists: Float64Array[] = [];
  await readUnpooled(read, lists, all.bucketsOf, terms, { fromMs: pooledToMs, toMs }, outdated);
  const pools = poolsOf(request, terms, pooledToMs, outdated);
  const readSamples = await readPooledSums(read, all.bucketsOf, terms, pools);
  if (all.count() > LIMITS.metricPoints) return null;
  await readSamples(lists);
  return { series: all.list(), lists };
}

/** Returns the query for the valid pools in the period: whole hours where possible, otherwise quarters. */
function poolsOf(
  { project, fromMs, bucketMs, offsets = [] }: MetricsRequest,
  terms: Terms,
  toMs: number,
  outdated?: Outdated,
): string {
  const [first, end] = [Math.floor(fromMs / QUARTER_MS), Math.floor(toMs / QUARTER_MS)];
  const hasHours = bucketMs % (4 * QUARTER_MS) === 0;
  const [firstWhole, endWhole] = hasHours ? [Math.ceil(first / 4) * 4, Math.floor(end / 4) * 4] : [end, end];
  const apart = [`quarter < ${firstWhole}`, `quarter >= ${endWhole}`];
  if (outdated !== undefined) apart.push(outdated.hours);
  if (!areWhole(offsets, 4 * QUARTER_MS))
    apart.push(`${terms.startOf(FIRST_OF_HOUR)} <> ${terms.startOf(LAST_OF_HOUR)}`);
  const ofProject = `project = ${integer(project)}`;
  const quarters = [ofProject, `quarter >= ${first}`, `quarter < ${end}`, `(${apart.join(" OR ")})`];
  if (outdated !== undefined) quarters.push(`NOT ${outdated.quarters}`);
  const hours = [ofProject, `quarter >= ${firstWhole}`, `quarter < ${endWhole}`];
  hours.push(...apart.slice(2).map((condition) => `NOT ${condition}`));
  return `FROM (FROM hour_pools WHERE ${hours.join(" AND ")} UNION ALL FROM quarter_pools WHERE ${quarters.join(" AND ")})`;
}

const FIRST_OF_HOUR = `(quarter // 4 * 4 * ${QUARTER_MS}::BIGINT)`;
const LAST_OF_HOUR = `((quarter // 4 * 4 + 3) * ${QUARTER_MS}::BIGINT)`;

function termsOf(request: MetricsRequest): Terms {
  const { project, measures } = request;
  const bound: string[] = [];
  const bind = (value: string) => `$${bound.push(value)}`;
  const where = [`project = ${integer(project)}`, ...conditionsOf(request, bind)];
  if (measures !== undefined) where.push(`measure IN (${measures.map(bind).join(", ")})`);
  const startOf = (timeMs: string) =>
    `(${bucketOf(timeMs, request, (value, by) => `${value} // ${integer(by)}`)})::DOUBLE`;
  const byVersion = request.byVersion === true;
  const version = byVersion ? "agent_version" : "NULL";
  const byChannel = request.byChannel === true;
  const channel = byChannel ? "channel" : "NULL";
  return { matches: where.join(" AND "), bound, startOf, version, byVersion, channel, byChannel };
}

async function outdatedQuarters(
  read: DatabaseConnection,
  project: number,
  { fromMs, toMs }: Period,
): Promise<Outdated | undefined> {
  const [first, end] = [Math.floor(fromMs / QUARTER_MS), Math.floor(toMs / QUARTER_MS)];
  const marked = `FROM outdated_quarters WHERE project = ${integer(project)} AND quarter >= ${first} AND quarter < ${end}`;
  const [row] = await rowsOf<{ first: number | null }>(read, `SELECT min(quarter) AS first ${marked}`);
  if (row!.first === null) return undefined;
  return {
    quarters: `quarter IN (SELECT quarter ${marked})`,
    hours: `quarter // 4 IN (SELECT quarter // 4 ${marked})`,
    fromMs: row!.first * QUARTER_MS,
  };
}

async function readUnpooled(
  read: DatabaseConnection,
  all: Float64Array[],
  bucketsOf: BucketsOf,
  { matches, bound, startOf, version, byVersion, channel, byChannel }: Terms,
  { fromMs, toMs }: Period,
  outdated: Outdated | undefined,
) {
  const isUnpooled =
    outdated === undefined
      ? `at_ms >= ${integer(fromMs)}`
      : `at_ms >= ${integer(outdated.fromMs)} AND (at_ms >= ${integer(fromMs)} OR ${outdated.quarters})`;
  await eachChunk(
    read,
    `SELECT start_ms, total, provenances::DOUBLE, samples, source, agent, version, measure, by_channel FROM (
       SELECT ${startOf("at_ms")} AS start_ms, ${POOLED}, source, agent, ${version} AS version, measure, ${channel} AS by_channel
       FROM (SELECT *, ${QUARTER} AS quarter FROM measures)
       WHERE ${matches} AND at_ms < ${integer(toMs)} AND ${isUnpooled} GROUP BY ALL)`,
    bound,
    (chunk, rows) => {
      const [starts, totals, provenances] = [0, 1, 2].map((column) => doublesOf(chunk.chunk, column));
      const lists = doubleListsOf(chunk.chunk, 3);
      const list = all.push(lists.values) - 1;
      const [sources, agents, versions, measures, channels] = [4, 5, 6, 7, 8].map(
        (column) => chunk.getColumnValues(column) as string[],
      );
      for (let row = 0; row < rows; row++) {
        const name = {
          source: sources![row],
          agent: agents![row],
          ...(byVersion && { version: versions![row] }),
          ...(byChannel && { channel: channels![row] }),
          measure: measures![row],
        } as SeriesName;
        if (!isMeasureName(name.measure)) continue; // the store may have measures of an earlier version
        const bucket = bucketsOf(name)(starts![row]!);
        const [start, count] = [lists.start(row), lists.length(row)];
        addSums(bucket, count, totals![row]!, provenances![row]!);
        bucket.places.push(list, start, start + count);
      }
    },
  );
}

/** Returns a function that adds the samples of the pools. */
async function readPooledSums(
  read: DatabaseConnection,
  bucketsOf: BucketsOf,
  { matches, bound, startOf, version, byVersion, channel, byChannel }: Terms,
  pools: string,
): Promise<(all: Float64Array[]) => Promise<void>> {
  const names = await rowsOf<SeriesName & { series: bigint; by_channel: SeriesName["channel"] }>(
    read,
    `SELECT series, source, agent, ${version} AS version, measure, ${channel} AS by_channel FROM pool_series WHERE ${matches}`,
    bound,
  );
  const known = names.filter(({ measure }) => isMeasureName(measure));
  const buckets = new Map(
    known.map(({ series, version: ofSeries, by_channel, ...name }) => [
      Number(series),
      bucketsOf({ ...name, ...(byVersion && { version: ofSeries }), ...(byChannel && { channel: by_channel }) }),
    ]),
  );
  const start = startOf(`(quarter * ${QUARTER_MS}::BIGINT)`);
  // Without a condition when all series are requested, because a condition on each row would take a third of the query's time.
  const ofSeries = bound.length === 0 ? "" : `WHERE series IN (${[...buckets.keys(), "NULL"].join(", ")})`;
  await eachChunk(
    read,
    `SELECT series::DOUBLE, ${start} AS start_ms, sum(count)::DOUBLE, sum(total), bit_or(provenances)::DOUBLE
     ${pools} ${ofSeries} GROUP BY ALL`,
    [],
    ({ chunk }, rows) => {
      const [series, starts, counts, totals, provenances] = [0, 1, 2, 3, 4].map((column) => doublesOf(chunk, column));
      for (let row = 0; row < rows; row++) {
        const bucket = buckets.get(series![row]!)?.(starts![row]!);
        if (bucket !== undefined) addSums(bucket, counts![row]!, totals![row]!, provenances![row]!);
      }
    },
  );
  const samplesOf = `SELECT series::DOUBLE, ${start}, samples ${pools} ${ofSeries}`;
  return (all) =>
    eachChunk(read, samplesOf, [], ({ chunk }, rows) => {
      const [series, starts] = [doublesOf(chunk, 0), doublesOf(chunk, 1)];
      const lists = doubleListsOf(chunk, 2);
      const list = all.push(lists.values) - 1;
      let bucket: Bucket | undefined;
      for (let row = 0; row < rows; row++) {
        const isNext = row === 0 || series[row] !== series[row - 1] || starts[row] !== starts[row - 1];
        if (isNext) bucket = buckets.get(series[row]!)?.(starts[row]!);
        const start = lists.start(row);
        bucket?.places.push(list, start, start + lists.length(row));
      }
    });
}

export async function eachChunk(
  read: DatabaseConnection,
  query: string,
  bound: string[],
  use: (chunk: DuckDBDataChunk, rows: number) => void,
): Promise<void> {
  const result = await read.stream(query, bound);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    use(chunk, chunk.rowCount);
  }
}

/** The column must not contain NULL. */
export const doublesOf = (chunk: DataChunk, column: number): Float64Array =>
  doublesIn(duckdb.data_chunk_get_vector(chunk, column), duckdb.data_chunk_get_size(chunk));

/**
 * Returns the values of a column that has lists of doubles without NULL. The list of a row has `length(row)` values, from `start(row)`
 * in `values`.
 */
function doubleListsOf(chunk: DataChunk, column: number) {
  const vector = duckdb.data_chunk_get_vector(chunk, column);
  const words = duckdb.data_chunk_get_size(chunk) * 4; // for each row a 64-bit start and a 64-bit length
  const bytes = duckdb.vector_get_data(vector, words * 4);
  const entries = new Uint32Array(bytes.buffer, bytes.byteOffset, words);
  return {
    values: doublesIn(duckdb.list_vector_get_child(vector), duckdb.list_vector_get_size(vector)),
    start: (row: number) => entries[row * 4]!,
    length: (row: number) => entries[row * 4 + 2]!,
  };
}

function doublesIn(vector: Vector, count: number): Float64Array {
  const bytes = duckdb.vector_get_data(vector, count * 8);
  return new Float64Array(bytes.buffer, bytes.byteOffset, count);
}
