import { LIMITS } from "@svc/contract/constants";
import type { Db } from "../../../stores/relational.ts";
import { bucketOf, utcStart } from "../../metrics/metric-buckets.ts";
import type {
  AgentPeriod,
  CountedConversation,
  CountedRequest,
  EndingCount,
  OccurrencesPeriod,
  Spread,
  SpreadRequest,
} from "../trace-store.ts";
import { traceIdsOf } from "../index/counts.ts";
import { type ClickHouse, integer, quoted } from "./client.ts";
import { conditionsOf } from "./metrics.ts";

const SAMPLES = "samples";

type Row = { key: string; turn: number | null; value: number | null };

/** Returns the conversations with a sample beyond a limit, in which something occurs, or with a failed tool call. */
export async function listInSamples(
  { rowsOf, table }: ClickHouse,
  db: Db,
  request: CountedRequest,
): Promise<CountedConversation[]> {
  const { project, counted, limit } = request;
  const rowsFrom = (items: string, columns: string, more: readonly string[], order: string, having = "") =>
    rowsOf<Row>(`
      SELECT key, ${columns} FROM ${table("readings")} FINAL ARRAY JOIN ${items} AS item
      WHERE ${[...whereOf(request), ...more].join(" AND ")} GROUP BY key ${having} ORDER BY ${order}, key LIMIT ${integer(limit)}`);
  let rows: Row[];
  if (counted.kind === "measure") {
    const [beyond, worst, order] = counted.is === "above" ? [">", "max", "DESC"] : ["<", "min", "ASC"];
    // A tuple, because an aggregate function would leave out a sample whose turn is not known.
    const turn = `tupleElement(arg${worst === "max" ? "Max" : "Min"}(tuple(item.turn), item.value), 1)`;
    rows = await rowsFrom(
      SAMPLES,
      `${turn} AS turn, ${worst}(item.value) AS value`,
      [`item.measure = ${quoted(counted.measure)}`, `item.value ${beyond} ${counted.value}`],
      `value ${order}, max(item.at_ms) DESC`,
    );
  } else if (counted.kind === "occurrence") {
    rows = await rowsFrom(
      SAMPLES,
      "minIf(item.turn, item.value > 0) AS turn, NULL AS value",
      [`item.measure = ${quoted(counted.measure)}`],
      "sum(item.value) DESC, max(item.at_ms) DESC",
      `HAVING max(item.value > 0) = ${counted.occurs ? 1 : 0}`,
    );
  } else if (counted.kind === "tool") {
    const failed = counted.failed ? 1 : 0;
    // A call has no turn here, but the sample of the same call has one.
    const turn = `samples.turn[arrayFirstIndex((name, at, failed) -> name = 'tool_errors' AND at = item.at_ms AND failed = ${failed},
      samples.measure, samples.at_ms, samples.value)]`;
    rows = await rowsFrom(
      "tools",
      `min(${turn}) AS turn, NULL AS value`,
      [`item.is_error = ${failed}`, ...(counted.tool === null ? [] : [`item.tool = ${quoted(counted.tool)}`])],
      "count() DESC, max(item.at_ms) DESC",
    );
  } else throw new Error(`The samples do not say which conversations have ${counted.kind}.`);
  const traceIds = await traceIdsOf(
    db,
    project,
    rows.map(({ key }) => key),
  );
  return rows.flatMap(({ key, turn, value }) => {
    const traceId = traceIds.get(key);
    return traceId === undefined ? [] : [{ traceId, turn, value }];
  });
}

export async function readSpread({ rowsOf, table }: ClickHouse, request: SpreadRequest): Promise<Spread> {
  const { measure, ranks } = request;
  const [low, high] = ranks.map(
    (rank) => `if(${integer(rank)} BETWEEN 1 AND length(pool), toNullable(pool[${integer(rank)}]), NULL)`,
  );
  const rows = await rowsOf<Spread>(
    `SELECT ${low} AS low, ${high} AS high, if(length(pool) > 1, toNullable(spread), NULL) AS deviation
     FROM (SELECT arraySort(groupArray(item.value)) AS pool, stddevSamp(item.value) AS spread
       FROM ${table("readings")} FINAL ARRAY JOIN ${SAMPLES} AS item
       WHERE ${[...whereOf(request), `item.measure = ${quoted(measure)}`].join(" AND ")})`,
  );
  return rows[0]!;
}

const whereOf = (request: AgentPeriod): string[] => [
  ...conditionsOf({ ...request, agents: request.agent === null ? undefined : [request.agent] }),
  ...(request.agent === null ? ["agent IS NULL"] : []),
  `item.at_ms >= ${integer(request.fromMs)} AND item.at_ms < ${integer(request.toMs)}`,
];

export async function countOccurrences(
  { rowsOf, table }: ClickHouse,
  { measure, ...period }: OccurrencesPeriod,
): Promise<EndingCount[] | null> {
  const where = [
    ...conditionsOf(period),
    `item.at_ms >= ${integer(period.fromMs)} AND item.at_ms < ${integer(period.toMs)}`,
    `item.measure = ${quoted(measure)}`,
  ].join(" AND ");
  const start = bucketOf("item.at_ms", period, (value, by) => `intDiv(${value}, ${integer(by)})`);
  const rows = await rowsOf<Omit<EndingCount, "startMs"> & { start: number }>(
    `SELECT agent, toFloat64(bucket) AS start, toUInt32(count()) AS known, toUInt32(countIf(occurs = 1)) AS ended FROM (
       SELECT agent, ${start} AS bucket, key, max(item.value > 0) AS occurs
       FROM ${table("readings")} FINAL ARRAY JOIN ${SAMPLES} AS item WHERE ${where} GROUP BY agent, bucket, key)
     GROUP BY agent, bucket ORDER BY start LIMIT ${LIMITS.metricPoints + 1}`,
  );
  if (rows.length > LIMITS.metricPoints) return null;
  return rows.map(({ start: startsAt, ...row }) => ({ ...row, startMs: utcStart(startsAt, period) }));
}
