import { CONVERSATION_ROOTS } from "../identity-keys.ts";

/**
 * What joins the traces of a project to conversations: the name they bear, or the trace alone. A cast of the id to text
 * would cost a hundred times as much as its hexadecimal.
 */
export const KEY = "coalesce(conversation, hex(trace_id))";

const ROOTS = CONVERSATION_ROOTS.map((name) => `'${name}'`).join(", ");

/**
 * The traces that `where` lets through, summed up over each conversation: least and greatest only, as in a trace's own
 * sums.
 */
export const groupsOf = (where: string) => `
  SELECT ${KEY} AS key, min({'start': started_ns, 'id': trace_id}).id AS trace_id,
    list({'start': started_ns, 'id': trace_id}) AS ids,
    count(*)::INTEGER AS traces, max(conversation) AS conversation, max(source) AS source,
    (min({'start': agent_start_ns, 'name': agent}) FILTER (agent IS NOT NULL)).name AS agent,
    min(service) AS service,
    min({'rank': if(root_name IN (${ROOTS}), 0, 1), 'start': root_start_ns, 'name': root_name, 'end': root_end_ns})
      FILTER (root_start_ns IS NOT NULL) AS root,
    min(started_ns) AS started_ns, max(ended_ns) AS ended_ns,
    sum(spans)::INTEGER AS spans, sum(errors)::INTEGER AS errors, max(received_last_ms) AS received_last_ms,
    max(reading) AS reading,
    bool_and(projected_lsn >= lsn AND reading IS NOT NULL) AND min(reading) = max(reading) AS all_read
  FROM traces WHERE ${where} GROUP BY ${KEY}`;

/** The same with what was read, which counts while no span has come since, no trace has joined and none has left. */
export const conversationsOf = (where: string) => `
  SELECT g.*, c.preview, c.transcript, coalesce(g.all_read AND c.traces = g.traces, false) AS is_read,
    if(is_read, c.turns, NULL) AS turns, if(is_read, c.tool_calls, NULL) AS tool_calls,
    if(is_read, c.latency_n, NULL) AS latency_n, if(is_read, c.latency_mean, NULL) AS latency_mean,
    c.latency_max, c.latency_p50, c.latency_p95
  FROM (${groupsOf(where)}) g LEFT JOIN conversations c ON c.reading = g.reading`;
