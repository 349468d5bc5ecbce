/**
 * Returns the query for the sums of each trace over `source`, whose rows are spans. The query uses only minima, maxima and
 * counts, so that the order of the spans and their division into commits do not change the result.
 */
const sumsOf = (source: string) => `
  SELECT project, trace_id,
    min(day) AS first_day, max(day) AS last_day, min(lsn) AS first_lsn, max(lsn) AS lsn,
    min(start_ns) AS started_ns, max(end_ns) AS ended_ns,
    count(*) AS spans, count(*) FILTER (status = 2) AS errors,
    min({'start': start_ns, 'name': name, 'end': end_ns}) FILTER (parent_span_id IS NULL) AS root,
    min({'rank': conversation_rank, 'name': conversation}) FILTER (conversation IS NOT NULL) AS conversation,
    min({'start': start_ns, 'name': agent}) FILTER (agent IS NOT NULL) AS agent,
    min(service) AS service,
    min(received_ms) AS received_first_ms, max(received_ms) AS received_last_ms
  FROM (${source}) GROUP BY project, trace_id`;

/** The name of a simulated conversation is the simulation's id, also on spans that the agent sends. */
const sourceOf = (conversation: string) =>
  `if(starts_with(coalesce(${conversation}, ''), 'sim_'), 'simulation', 'production')`;

const SUMS_AS_COLUMNS = {
  project: "m.project",
  trace_id: "m.trace_id",
  first_day: "m.first_day",
  last_day: "m.last_day",
  first_lsn: "m.first_lsn",
  lsn: "m.lsn",
  started_ns: "m.started_ns",
  ended_ns: "m.ended_ns",
  spans: "m.spans",
  errors: "m.errors",
  root_name: "m.root.name",
  root_start_ns: "m.root.start",
  root_end_ns: "m.root.end",
  conversation: "m.conversation.name",
  conversation_rank: "m.conversation.rank",
  source: sourceOf("m.conversation.name"),
  agent: "m.agent.name",
  agent_start_ns: "m.agent.start",
  service: "m.service",
  received_first_ms: "m.received_first_ms",
  received_last_ms: "m.received_last_ms",
};

const names = Object.keys(SUMS_AS_COLUMNS).join(", ");
const values = Object.values(SUMS_AS_COLUMNS).join(", ");

const rootIsEarlier = earlier(
  "m.root",
  "{'start': t.root_start_ns, 'name': t.root_name, 'end': t.root_end_ns}",
  "t.root_start_ns",
);
const conversationIsStronger = earlier(
  "m.conversation",
  "{'rank': t.conversation_rank, 'name': t.conversation}",
  "t.conversation",
);
const agentIsEarlier = earlier("m.agent", "{'start': t.agent_start_ns, 'name': t.agent}", "t.agent");

function earlier(theirs: string, ours: string, ourMark: string): string {
  return `${theirs} IS NOT NULL AND (${ourMark} IS NULL OR ${theirs} < ${ours})`;
}

const either = (condition: string, theirs: string, ours: string) =>
  `CASE WHEN ${condition} THEN ${theirs} ELSE ${ours} END`;

/**
 * Returns the statement that adds the sums over new spans to `traces`. It marks the traces as read only up to the
 * record before, because a large record takes several commits, and the reading may contain only its earlier spans. None of
 * the spans' traces began before the record `firstLsn`; rows of `traces` are in that order, and DuckDB skips the earlier ones.
 */
export const mergeSums = (source: string, firstLsn: number) => `
MERGE INTO traces t USING (${sumsOf(source)}) m
ON t.project = m.project AND t.trace_id = m.trace_id AND t.first_lsn >= ${firstLsn}
WHEN MATCHED THEN UPDATE SET
  first_day = least(t.first_day, m.first_day), last_day = greatest(t.last_day, m.last_day),
  first_lsn = least(t.first_lsn, m.first_lsn), lsn = greatest(t.lsn, m.lsn),
  started_ns = least(t.started_ns, m.started_ns), ended_ns = greatest(t.ended_ns, m.ended_ns),
  spans = t.spans + m.spans, errors = t.errors + m.errors,
  root_name = ${either(rootIsEarlier, "m.root.name", "t.root_name")},
  root_start_ns = ${either(rootIsEarlier, "m.root.start", "t.root_start_ns")},
  root_end_ns = ${either(rootIsEarlier, "m.root.end", "t.root_end_ns")},
  conversation = ${either(conversationIsStronger, "m.conversation.name", "t.conversation")},
  conversation_rank = ${either(conversationIsStronger, "m.conversation.rank", "t.conversation_rank")},
  source = ${sourceOf(either(conversationIsStronger, "m.conversation.name", "t.conversation"))},
  agent = ${either(agentIsEarlier, "m.agent.name", "t.agent")},
  agent_start_ns = ${either(agentIsEarlier, "m.agent.start", "t.agent_start_ns")},
  service = least(t.service, m.service),
  received_first_ms = least(t.received_first_ms, m.received_first_ms),
  received_last_ms = greatest(t.received_last_ms, m.received_last_ms),
  projected_lsn = least(t.projected_lsn, m.lsn - 1)
WHEN NOT MATCHED THEN INSERT (${names}) VALUES (${values})`;

/** Returns the statement that replaces sums in `traces` by the sums over `source`, all remaining spans of a trace. */
export const replaceSums = (source: string) => `
UPDATE traces t SET projected_lsn = 0, ${Object.entries(SUMS_AS_COLUMNS)
  .filter(([name]) => name !== "project" && name !== "trace_id")
  .map(([name, value]) => `${name} = ${value}`)
  .join(", ")}
FROM (${sumsOf(source)}) m WHERE t.project = m.project AND t.trace_id = m.trace_id`;
