import { LIMITS } from "@svc/contract/constants";
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
import { type DatabaseConnection, integer, rowsOf } from "./database.ts";
import { conditionsOf } from "./metric-conditions.ts";

/** Returns the conversations with a sample beyond a limit, in which something occurs, or with a failed tool call. */
export function listCounted(read: DatabaseConnection, request: CountedRequest): Promise<CountedConversation[]> {
  const { counted, limit } = request;
  const values: string[] = [];
  const bind = (value: string) => `$${values.push(value)}`;
  const where = whereOf(request, bind);
  if (counted.kind === "measure") {
    const [beyond, order] = counted.is === "above" ? [">", "DESC"] : ["<", "ASC"];
    return rowsOf(
      read,
      `SELECT trace_id AS "traceId", turn, value FROM measures
       WHERE ${where} AND measure = ${bind(counted.measure)} AND value ${beyond} ${bind(String(counted.value))}::DOUBLE
       QUALIFY row_number() OVER (PARTITION BY reading ORDER BY value ${order}, turn) = 1
       ORDER BY value ${order}, at_ms DESC, trace_id LIMIT ${integer(limit)}`,
      values,
    );
  }
  if (counted.kind === "occurrence")
    return rowsOf(
      read,
      `SELECT trace_id AS "traceId", min(turn) FILTER (value > 0) AS turn, NULL::DOUBLE AS value FROM measures
       WHERE ${where} AND measure = ${bind(counted.measure)}
       GROUP BY reading, trace_id HAVING bool_or(value > 0) = ${counted.occurs}
       ORDER BY sum(value) DESC, max(at_ms) DESC, trace_id LIMIT ${integer(limit)}`,
      values,
    );
  if (counted.kind !== "tool") throw new Error(`The samples do not say which conversations have ${counted.kind}.`);
  // A call has no turn here, but the sample of the same call has one.
  const failed = counted.failed ? "1" : "0";
  return rowsOf(
    read,
    `SELECT trace_id AS "traceId", min(turn) AS turn, NULL::DOUBLE AS value FROM (
       SELECT calls.*, samples.turn FROM (
         SELECT reading, trace_id, at_ms FROM tool_calls
         WHERE ${where} AND is_error = ${counted.failed} ${counted.tool === null ? "" : `AND tool = ${bind(counted.tool)}`}
       ) AS calls LEFT JOIN measures AS samples
         ON samples.reading = calls.reading AND samples.at_ms = calls.at_ms
         AND samples.measure = 'tool_errors' AND samples.value = ${failed})
     GROUP BY reading, trace_id ORDER BY count(*) DESC, max(at_ms) DESC, trace_id LIMIT ${integer(limit)}`,
    values,
  );
}

export async function readSpread(read: DatabaseConnection, request: SpreadRequest): Promise<Spread> {
  const values: string[] = [];
  const bind = (value: string) => `$${values.push(value)}`;
  const [low, high] = request.ranks.map(integer);
  const rows = await rowsOf<Spread>(
    read,
    `SELECT max(value) FILTER (rank = ${low}) AS low, max(value) FILTER (rank = ${high}) AS high,
       CASE WHEN count(*) > 1 THEN stddev_samp(value) END AS deviation
     FROM (SELECT value, row_number() OVER (ORDER BY value) AS rank FROM measures
       WHERE ${whereOf(request, bind)} AND measure = ${bind(request.measure)})`,
    values,
  );
  return rows[0]!;
}

function whereOf(request: AgentPeriod, bind: (value: string) => string): string {
  const { project, fromMs, toMs, agent } = request;
  return [
    `project = ${integer(project)} AND at_ms >= ${integer(fromMs)} AND at_ms < ${integer(toMs)}`,
    ...conditionsOf({ ...request, agents: agent === null ? undefined : [agent] }, bind),
    ...(agent === null ? ["agent IS NULL"] : []),
  ].join(" AND ");
}

export async function countOccurrences(
  read: DatabaseConnection,
  { measure, ...period }: OccurrencesPeriod,
): Promise<EndingCount[] | null> {
  const values: string[] = [];
  const bind = (value: string) => `$${values.push(value)}`;
  const { project, fromMs, toMs } = period;
  const where = [
    `project = ${integer(project)} AND at_ms >= ${integer(fromMs)} AND at_ms < ${integer(toMs)}`,
    ...conditionsOf(period, bind),
    `measure = ${bind(measure)}`,
  ].join(" AND ");
  const start = bucketOf("at_ms", period, (value, by) => `${value} // ${integer(by)}`);
  const rows = await rowsOf<Omit<EndingCount, "startMs"> & { start: bigint }>(
    read,
    `SELECT agent, start, count(*)::INTEGER AS known, count(*) FILTER (occurs)::INTEGER AS ended FROM (
       SELECT agent, ${start} AS start, reading, bool_or(value > 0) AS occurs FROM measures WHERE ${where} GROUP BY ALL)
     GROUP BY agent, start ORDER BY start LIMIT ${LIMITS.metricPoints + 1}`,
    values,
  );
  if (rows.length > LIMITS.metricPoints) return null;
  return rows.map(({ start: startsAt, ...row }) => ({ ...row, startMs: utcStart(Number(startsAt), period) }));
}
