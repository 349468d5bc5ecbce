import { sql } from "kysely";
import type { Channel } from "@svc/contract";
import type { Db } from "../../../stores/relational.ts";
import type { Preview } from "../../conversation/preview.ts";
import type { QualityTopic } from "../../conversation/quality.ts";
import type { ReportedOutcome } from "../../conversation/reported-outcome.ts";
import type { LatencyRow, TraceSummaryRow } from "../../summary-row.ts";
import { listOf } from "./dialect.ts";
import { tracesOf } from "./due-conversations.ts";
import { IS_READ } from "./sort-keys.ts";
import type { ConversationKey, TraceKey } from "./writes.ts";

export type SpanCounts = TraceKey & { spans: number; errors: number };
export type CountSpans = (traces: readonly TraceKey[]) => Promise<SpanCounts[]>;

/** If spans arrived since the conversation was derived, the counts in the row are outdated. */
export type SummaryColumns = {
  project: number;
  key: string;
  trace_id: string;
  trace_ids: string[] | string;
  traces: number;
  conversation: string | null;
  source: TraceSummaryRow["source"];
  agent: string | null;
  agent_version: string | null;
  channel: Channel | null;
  service: string | null;
  root_name: string | null;
  root_ended: boolean | 0 | 1;
  started: string;
  ended: string | null;
  is_read: boolean | 0 | 1;
  spans: number | null;
  errors: number | null;
  received_last_ms: number;
  turns: number | null;
  tool_calls: number | null;
  interruptions: number | null;
  quality: QualityTopic[] | string | null;
  preview: string | null;
  preview_role: Preview["role"] | null;
  reported_successful: boolean | 0 | 1 | null;
  reported_ending: string | null;
  reported_summary: string | null;
} & Record<`${"latency" | "text_response"}_${"n" | "mean" | "max" | "p50" | "p95"}`, number | null>;

export const SUMMARY_COLUMNS =
  sql.raw(`project, key, trace_id, trace_ids, traces, conversation, source, agent, agent_version, channel, service, root_name,
  root_end_ns IS NOT NULL AS root_ended, CAST(started_ns AS TEXT) AS started, CAST(ended_ns AS TEXT) AS ended, ${IS_READ} AS is_read,
  spans, errors, received_last_ms, turns, tool_calls, interruptions, quality, preview, preview_role,
  reported_successful, reported_ending, reported_summary,
  latency_n, latency_mean, latency_max, latency_p50, latency_p95, text_response_n, text_response_mean, text_response_max,
  text_response_p50, text_response_p95`);

/** Counts the spans of conversations that got spans since they were derived. */
export async function summariesOf(
  countSpans: CountSpans,
  db: Db,
  rows: readonly SummaryColumns[],
): Promise<TraceSummaryRow[]> {
  const changed = rows.filter((row) => !row.is_read).map(({ project, key }) => ({ project, key }));
  const counts = changed.length === 0 ? undefined : await countedSpans(countSpans, db, changed);
  return rows.map((row) => (row.is_read ? toSummary(row) : toChanged(row, counts!(row))));
}

async function countedSpans(countSpans: CountSpans, db: Db, keys: readonly ConversationKey[]) {
  const traces = await tracesOf(db, keys, Number.MAX_SAFE_INTEGER);
  const keyOf = new Map(traces.map(({ project, key, traceId }) => [`${project} ${traceId}`, `${project} ${key}`]));
  const sums = new Map<string, { spans: number; errors: number }>();
  for (const { project, traceId, spans, errors } of await countSpans(traces)) {
    const key = keyOf.get(`${project} ${traceId}`)!;
    const sum = sums.get(key) ?? { spans: 0, errors: 0 };
    sums.set(key, { spans: sum.spans + spans, errors: sum.errors + errors });
  }
  return ({ project, key }: ConversationKey) => sums.get(`${project} ${key}`) ?? { spans: 0, errors: 0 };
}

/**
 * The summary has the present sums. Of the derived conversation, it has only the agent's version, the channel, the preview and the
 * outcome that the platform reports.
 */
const toChanged = (row: SummaryColumns, counts: { spans: number; errors: number }): TraceSummaryRow => ({
  ...toSummary(row),
  ...counts,
  turns: null,
  toolCalls: null,
  latency: null,
  textResponse: null,
  interruptions: null,
  qualityTopics: null,
});

const toSummary = (row: SummaryColumns): TraceSummaryRow => ({
  traceId: row.trace_id,
  traceIds: listOf(row.trace_ids)!,
  traces: row.traces,
  conversation: row.conversation,
  source: row.source,
  agent: row.agent,
  agentVersion: row.agent_version,
  channel: row.channel,
  service: row.service,
  rootName: row.root_name,
  rootEnded: Boolean(row.root_ended),
  startedNs: BigInt(row.started),
  endedNs: row.ended === null ? null : BigInt(row.ended),
  spans: row.spans ?? 0,
  errors: row.errors ?? 0,
  isRead: Boolean(row.is_read),
  turns: row.turns,
  toolCalls: row.tool_calls,
  latency: timesOf(row, "latency"),
  textResponse: timesOf(row, "text_response"),
  interruptions: row.interruptions,
  qualityTopics: listOf(row.quality),
  preview: row.preview === null ? null : { text: row.preview, role: row.preview_role },
  reported: reportedOf(row),
  lastReceivedMs: row.received_last_ms,
});

function reportedOf(row: SummaryColumns): ReportedOutcome | null {
  const { reported_successful: successful, reported_ending: ending, reported_summary: summary } = row;
  if (successful === null && ending === null && summary === null) return null;
  return { successful: successful === null ? null : Boolean(successful), ending, summary };
}

function timesOf(row: SummaryColumns, name: "latency" | "text_response"): LatencyRow | null {
  const n = row[`${name}_n`];
  if (n === null) return null;
  const [mean, max, p50, p95] = [row[`${name}_mean`], row[`${name}_max`], row[`${name}_p50`], row[`${name}_p95`]];
  return { n, mean, max, p50, p95 };
}
