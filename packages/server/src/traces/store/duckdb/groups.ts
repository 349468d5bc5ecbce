import { LIMITS } from "@svc/contract/constants";
import { CONVERSATION_ROOTS } from "../../identity-keys.ts";
import { idLiteral } from "./database.ts";

/**
 * Traces of a project with the same key are one conversation; a trace without a conversation name is one by itself.
 * `hex` costs a hundredth of a cast of the id to text.
 */
export const KEY = "coalesce(conversation, hex(trace_id))";

/**
 * Returns the condition that a trace has the key, which is also bound as `$1`. A comparison of `KEY` itself would compute the
 * key of every trace; this one compares stored columns.
 */
export function hasKey(key: string): string {
  if (!/^[0-9A-F]{1,32}$/.test(key)) return "conversation = $1";
  return `(conversation = $1 OR (conversation IS NULL AND trace_id = ${idLiteral(key, "UHUGEINT")} AND ${KEY} = $1))`;
}

/** Selects traces with spans that are not part of a reading yet. */
export const CHANGED = "projected_lsn < lsn";

export const KEYED_TRACES = `SELECT *, ${KEY} AS key FROM traces`;

const ROOTS = CONVERSATION_ROOTS.map((name) => `'${name}'`).join(", ");

/** The columns of a conversation's sums. */
export const SUMS = `trace_id, trace_ids, traces, conversation, source, agent, service, root_name, root_end_ns, started_ns,
  ended_ns, spans, errors, received_last_ms`;

/** Returns the query for the sums of each conversation over the keyed traces that `chosen` selects. */
export const groupsOf = (chosen: string) => `
  SELECT * EXCLUDE (first, ids, root), first.id AS trace_id, root.name AS root_name, root.end AS root_end_ns,
    list_transform(list_sort(ids)[1:${LIMITS.traceIdsShown}], lambda trace: trace.id) AS trace_ids
  FROM (
    SELECT project, key, min({'start': started_ns, 'id': trace_id}) AS first,
      list({'start': started_ns, 'id': trace_id}) AS ids,
      count(*)::INTEGER AS traces, max(conversation) AS conversation, max(source) AS source,
      (min({'start': agent_start_ns, 'name': agent}) FILTER (agent IS NOT NULL)).name AS agent,
      min(service) AS service,
      min({'rank': if(root_name IN (${ROOTS}), 0, 1), 'start': root_start_ns, 'name': root_name, 'end': root_end_ns})
        FILTER (root_start_ns IS NOT NULL) AS root,
      min(started_ns) AS started_ns, max(ended_ns) AS ended_ns,
      sum(spans)::INTEGER AS spans, sum(errors)::INTEGER AS errors, max(received_last_ms) AS received_last_ms,
      max(reading) AS reading
    FROM (${chosen}) GROUP BY project, key
  )`;
