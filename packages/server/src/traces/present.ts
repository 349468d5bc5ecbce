import type * as Wire from "@svc/contract";
import { LIMITS } from "@svc/contract/constants";
import type { Conversation, SpeechPeriod } from "./conversation/conversation.ts";
import { previewOf } from "./conversation/preview.ts";
import { reportedOutcomeOf } from "./conversation/reported-outcome.ts";
import { maskCredentials } from "./mask-credentials.ts";
import { isFinal, type TraceSummaryRow } from "./summary-row.ts";
import { heardSpeech } from "./measures/heard.ts";
import type { Measure } from "./measures/measure.ts";
import { interruptionsOf, latencyOf, readMeasures } from "./measures/measures-of.ts";
import { impossibleSpans, isPossibleSpeech, momentsOf, possibleDurationMs } from "./measures/plausible.ts";
import { qualityOf, topicsOf } from "./conversation/quality.ts";
import { preOrder, type SpanNode, spanTree } from "./conversation/span-tree.ts";
import type { ListedTurnRow } from "./store/trace-store.ts";
import type { StoredSpan } from "./stored-span.ts";

const KINDS = ["unspecified", "internal", "server", "client", "producer", "consumer"] as const;

export function presentSummary(row: TraceSummaryRow, nowMs: number): Wire.TraceSummary {
  return {
    traceId: row.traceId,
    traceIds: row.traceIds,
    traceCount: row.traces,
    conversationId: row.conversation,
    source: row.source,
    status: row.errors > 0 ? "error" : "ok",
    agentName: row.agent,
    agentVersion: row.agentVersion,
    channel: row.channel,
    serviceName: row.service,
    rootName: row.rootName,
    ...presentTimes(row.startedNs, row.endedNs),
    complete: row.rootEnded,
    state: isFinal(row, nowMs) ? "final" : "provisional",
    spanCount: row.spans,
    errorCount: row.errors,
    turnCount: row.turns,
    toolCallCount: row.toolCalls,
    responseLatency: row.latency,
    textResponseTime: row.textResponse,
    interruptionCount: row.interruptions,
    qualityTopics: row.qualityTopics,
    ...presentPreview(row.preview),
    reportedOutcome: row.reported,
    lastReceivedAt: new Date(row.lastReceivedMs).toISOString(),
  };
}

export const presentTurn = ({ traceId, source, agent, agentVersion, channel, row }: ListedTurnRow): Wire.ListedTurn => {
  const { startedNs, ...turn } = row;
  return { traceId, ...turn, startedAt: isoTime(startedNs), source, agentName: agent, agentVersion, channel };
};

const presentPreview = (preview: TraceSummaryRow["preview"]) => ({
  preview: preview?.text ?? null,
  previewRole: preview?.role ?? null,
});

export const presentTotal = (total: number | null) => ({
  total: total === null ? null : Math.min(total, LIMITS.conversationsCounted),
  totalIsMore: (total ?? 0) > LIMITS.conversationsCounted,
});

export function presentTrace(
  row: TraceSummaryRow,
  spans: readonly StoredSpan[],
  conversation: Conversation,
  spansTruncated: boolean,
  nowMs: number,
  upToDate: boolean | null = null,
): Wire.Trace {
  const counted = conversation.vocabulary !== null && !spansTruncated && conversation.lostSpans === undefined;
  const { measures, impossibleValues } = readMeasures(conversation);
  const impossibleTimes = impossibleSpans(spans) + impossibleValues;
  const quality = qualityOf(conversation, { ...row, truncated: spansTruncated, impossibleTimes });
  return {
    ...presentSummary(row, nowMs),
    ...(counted && {
      turnCount: conversation.turns.length,
      toolCallCount: conversation.toolCalls.length,
      responseLatency: latencyOf(measures),
      textResponseTime: latencyOf(measures, "text_response_time"),
      interruptionCount: interruptionsOf(measures),
      ...presentPreview(previewOf(conversation)),
      reportedOutcome: reportedOutcomeOf(conversation),
    }),
    qualityTopics: topicsOf(quality),
    vocabulary: conversation.vocabulary,
    generation: conversation.generation,
    turns: conversation.turns.map(presentTimed),
    unspokenTurns: conversation.unspokenTurns.map(presentTimed),
    speech: presentSpeech(conversation),
    toolCalls: conversation.toolCalls.map(({ resultNs: _, ...call }) => presentTimed(call)),
    modelCalls: conversation.modelCalls.map(presentTimed),
    speechCalls: conversation.speechCalls.map(presentTimed),
    callReport: presentReport(conversation.callReport),
    line: conversation.line ?? null,
    measures: measures.map(presentMeasure),
    quality,
    spans: preOrder(spanTree(spans)).map((node) => maskCredentials(presentSpan(node))),
    spansTruncated,
    upToDate,
  };
}

function presentTimed<Timed extends { startNs: bigint; endNs: bigint | null }>({ startNs, endNs, ...rest }: Timed) {
  return { ...rest, ...presentTimes(startNs, endNs) };
}

/** If the spans report no speech, returns the speech found in the sound of the call. */
function presentSpeech(conversation: Conversation): Wire.SpeechPeriod[] {
  const belongs = momentsOf(conversation);
  const ofRole = (role: Wire.SpeechPeriod["role"], periods: readonly SpeechPeriod[]) =>
    periods.map((period) => ({ role, ...period }));
  const reported = [
    ...ofRole("user", conversation.userSpeech),
    ...ofRole("agent", conversation.agentSpeech),
    ...ofRole("third_party", conversation.thirdPartySpeech),
  ];
  const isHeard = reported.length === 0 && conversation.heard !== undefined;
  const provenance = isHeard ? "heard" : (conversation.timing ?? "measured");
  return (isHeard ? heardSpeech(conversation) : reported)
    .filter((period) => belongs(period.startNs) && isPossibleSpeech(period))
    .sort((a, b) => (a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0))
    .map(({ role, startNs, endNs, turnIndex, spanId }) => ({
      role,
      turnIndex,
      spanId,
      provenance,
      startedAt: isoTime(startNs),
      endedAt: isoTime(endNs),
      durationMs: Number(endNs - startNs) / 1e6,
    }));
}

function presentReport(report: Conversation["callReport"]): Wire.CallReport | null {
  if (report === undefined) return null;
  const { measures: _amongTheMeasures, ...rest } = report;
  return { provenance: "provider_reported", ...rest };
}

function presentMeasure(measure: Measure): Wire.Measure {
  const samples = measure.samples.map(({ atNs, ...sample }) => ({ ...sample, at: isoTime(atNs) }));
  return { ...measure, samples };
}

function presentSpan({ span, depth }: SpanNode): Wire.Span {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    depth,
    name: span.name,
    kind: KINDS[span.kind] ?? "unspecified",
    startTimeUnixNano: String(span.startNs),
    endTimeUnixNano: span.endNs === null ? null : String(span.endNs),
    durationMs: possibleDurationMs(span.startNs, span.endNs),
    status: span.status,
    statusMessage: span.statusMessage,
    attributes: span.attributes,
    events: span.events.map(({ timeNs, name, attributes }) => ({ timeUnixNano: String(timeNs), name, attributes })),
    links: span.links,
    resource: span.resource,
    scope: { name: span.scopeName, version: span.scopeVersion },
  };
}

const presentTimes = (startNs: bigint, endNs: bigint | null) => ({
  startedAt: isoTime(startNs),
  endedAt: endNs === null ? null : isoTime(endNs),
  durationMs: possibleDurationMs(startNs, endNs),
});

const isoTime = (ns: bigint): string => isoTimeMs(Number(ns / 1_000_000n));

const isoTimeMs = (ms: number): string => new Date(ms).toISOString();
