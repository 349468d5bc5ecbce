import type { Db } from "../../../stores/relational.ts";
import { traceIdsOf } from "../index/counts.ts";
import type { CountedConversation, CountedRequest } from "../trace-store.ts";
import { type ClickHouse, integer, quoted } from "./client.ts";
import { conditionsOf } from "./metrics.ts";

type Row = { key: string; turn: number | null; value: number | null };

/** Returns the conversations with a sample beyond a limit, or with a failed tool call. */
export async function listInSamples(
  { rowsOf, table }: ClickHouse,
  db: Db,
  request: CountedRequest,
): Promise<CountedConversation[]> {
  const { project, fromMs, toMs, agent, counted, limit } = request;
  const where = [
    ...conditionsOf({ ...request, agents: agent === null ? undefined : [agent] }),
    ...(agent === null ? ["agent IS NULL"] : []),
    `item.at_ms >= ${integer(fromMs)} AND item.at_ms < ${integer(toMs)}`,
  ];
  const rowsFrom = (items: string, columns: string, more: readonly string[], order: string) =>
    rowsOf<Row>(`
      SELECT key, ${columns} FROM ${table("readings")} FINAL ARRAY JOIN ${items} AS item
      WHERE ${[...where, ...more].join(" AND ")} GROUP BY key ORDER BY ${order}, key LIMIT ${integer(limit)}`);
  let rows: Row[];
  if (counted.kind === "measure") {
    const [beyond, worst, order] = counted.is === "above" ? [">", "max", "DESC"] : ["<", "min", "ASC"];
    // A tuple, because an aggregate function would leave out a sample whose turn is not known.
    const turn = `tupleElement(arg${worst === "max" ? "Max" : "Min"}(tuple(item.turn), item.value), 1)`;
    rows = await rowsFrom(
      "samples",
      `${turn} AS turn, ${worst}(item.value) AS value`,
      [`item.measure = ${quoted(counted.measure)}`, `item.value ${beyond} ${counted.value}`],
      `value ${order}, max(item.at_ms) DESC`,
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
