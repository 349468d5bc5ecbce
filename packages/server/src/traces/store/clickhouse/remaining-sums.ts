import { type ClickHouse } from "./client.ts";
import type { TraceSums } from "../index/trace-sums.ts";
import type { TraceKey } from "../index/writes.ts";
import { isOneOf, TRACE_ID } from "./spans.ts";

/** 64-bit integers are strings. */
type Row = Omit<TraceSums, "startedNs" | "endedNs" | "rootStartNs" | "rootEndNs" | "agentStartNs"> &
  Record<"startedNs" | "endedNs" | "rootStartNs" | "rootEndNs" | "agentStartNs", string> & {
    roots: number;
    agents: number;
    services: number;
    names: number;
  };

/** End of a span that has not ended, so that this span sorts after all other spans. */
const OPEN = `${2n ** 63n - 1n}`;
const ROOT = `(s.start_ns, s.name, if(s.end_ns = 0, ${OPEN}, s.end_ns))`;
const IS_NAMED = "s.conversation_rank < 255 AND s.conversation != ''";
const COLUMNS = `project, trace_id, span_id, parent_span_id, start_ns, end_ns, received_us, status, name, conversation_rank,
  conversation, agent, service`;
const least = (values: string, condition: string) => `argMinIf(${values}, ${values}, ${condition})`;

/** Of a repeated span, only the first copy counts. The result has no sums for a trace without spans. */
export async function remainingSums(clickHouse: ClickHouse, traces: readonly TraceKey[]): Promise<TraceSums[]> {
  const rows = await clickHouse.rowsOf<Row>(
    `SELECT s.project AS project, ${TRACE_ID} AS traceId, toString(min(s.start_ns)) AS startedNs,
       toString(max(s.end_ns)) AS endedNs, toUInt32(countIf(s.status = 2)) AS errors, toUInt32(count()) AS spans,
       toUInt32(countIf(s.parent_span_id = 0)) AS roots, ${least(ROOT, "s.parent_span_id = 0")} AS root,
       toString(root.1) AS rootStartNs, root.2 AS rootName, toString(root.3) AS rootEndNs,
       toUInt32(countIf(${IS_NAMED})) AS names, ${least("(s.conversation_rank, s.conversation)", IS_NAMED)} AS named,
       named.1 AS conversationRank, named.2 AS conversation,
       toUInt32(countIf(s.agent != '')) AS agents, ${least("(s.start_ns, s.agent)", "s.agent != ''")} AS firstAgent,
       toString(firstAgent.1) AS agentStartNs, firstAgent.2 AS agent,
       toUInt32(countIf(s.service != '')) AS services, minIf(s.service, s.service != '') AS service,
       toFloat64(intDiv(min(s.received_us), 1000)) AS receivedFirstMs,
       toFloat64(intDiv(max(s.received_us), 1000)) AS receivedLastMs
     FROM (
       SELECT ${COLUMNS} FROM ${clickHouse.table("spans")} WHERE ${isOneOf(traces)}
       ORDER BY received_us LIMIT 1 BY project, trace_id, span_id) AS s
     GROUP BY project, trace_id`,
  );
  return rows.map((row) => ({
    project: row.project,
    traceId: row.traceId,
    startedNs: BigInt(row.startedNs),
    endedNs: BigInt(row.endedNs) || null,
    spans: row.spans,
    errors: row.errors,
    rootName: row.roots === 0 ? null : row.rootName,
    rootStartNs: row.roots === 0 ? null : BigInt(row.rootStartNs),
    rootEndNs: row.roots === 0 || row.rootEndNs === OPEN ? null : BigInt(row.rootEndNs),
    conversation: row.names === 0 ? null : row.conversation,
    conversationRank: row.names === 0 ? null : row.conversationRank,
    agent: row.agents === 0 ? null : row.agent,
    agentStartNs: row.agents === 0 ? null : BigInt(row.agentStartNs),
    service: row.services === 0 ? null : row.service,
    receivedFirstMs: row.receivedFirstMs,
    receivedLastMs: row.receivedLastMs,
  }));
}
