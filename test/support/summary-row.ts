import type { TraceSummaryRow } from "../../packages/server/src/traces/summary-row.ts";
import { EPOCH_NS, TRACE_ID } from "./stored-span.ts";

/** Creates the summary row of a conversation for specs that have only its spans. */
export const summaryRow = (): TraceSummaryRow => ({
  traceId: TRACE_ID,
  traceIds: [TRACE_ID],
  traces: 1,
  source: "production",
  conversation: null,
  agent: null,
  agentVersion: null,
  channel: null,
  service: null,
  rootName: null,
  rootEnded: false,
  startedNs: EPOCH_NS,
  endedNs: null,
  spans: 1,
  errors: 0,
  isRead: true,
  turns: null,
  toolCalls: null,
  latency: null,
  textResponse: null,
  interruptions: null,
  qualityTopics: null,
  preview: null,
  reported: null,
  lastReceivedMs: 1_795_251_200_123,
});
