import { LIMITS } from "@svc/contract/constants";
import { sha256 } from "../../base/secrets/secrets.ts";
import { KEY, ORDER_ONLY, PREFIX, SCOPE, SERVICE, SPAN } from "../../traces/vocabulary/platform-a/names.ts";
import type { PlatformACall, TranscriptItem } from "./call.ts";
import { attributes, type CallSpan, type ExportRequest, FAILED, INTERNAL } from "./otlp.ts";
import { textIfWhole } from "./without-secrets.ts";
import { itemTimes, type ItemTime, wordsOf } from "./transcript-times.ts";

/** Version of the names and shapes of the spans. It is sent as the version of the spans' scope. */
const FORM = "1";
const MEMBERS_MAX = 50;
const MEMBER_BYTES_MAX = 64 * 1024;
const TOO_LARGE = "[too large]";

/** Largest size of a call's spans. It is below the limit of the intake, and far above the size of any real call. */
const SPANS_BYTES_MAX = 18 * 1024 * 1024;

/** Stands for the start time of a call that has none. No complete call starts at this time. */
const UNKNOWN_START_MS = 1;
const NOT_ENDED = 0n;

type SpanDraft = { name: string; id: string; time: ItemTime; members: Record<string, unknown>; failed?: boolean };

/**
 * Converts a call to spans. The same call always gives the same spans with the same ids. Data that the platform adds later, such as the
 * analysis, becomes a new span and changes no other span.
 */
export function callToSpans(call: PlatformACall): ExportRequest {
  const hashOf = (name: string) => sha256(`svc platform_a ${name} ${call.callId}`);
  const traceId = hashOf("trace").slice(0, 32);
  const spanId = (id: string) => hashOf(`span ${id}`).slice(0, 16);
  const rootId = spanId(SPAN.call);
  const span = ({ name, id, time, members, failed = false }: SpanDraft): CallSpan => ({
    traceId,
    spanId: spanId(id),
    ...(id !== SPAN.call && { parentSpanId: rootId }),
    name,
    kind: INTERNAL,
    startTimeUnixNano: String(time.startNs),
    endTimeUnixNano: String(time.endNs),
    attributes: attributes({ ...(!time.isKnown && { [KEY.timing]: ORDER_ONLY }), ...members }),
    ...(failed && { status: { code: FAILED } }),
  });

  const startMs = call.startMs ?? UNKNOWN_START_MS;
  const items = itemSpans(call.transcript ?? [], startMs).map(span);
  const [record, ...reports] = reportSpans(call, startMs).map(span);
  const fitting = spansThatFit([...reports, ...items, record!]);
  const leftOut = call.transcriptLeftOut + items.filter((item) => !fitting.has(item)).length;
  const spans = [span(rootSpan(call, startMs, leftOut)), ...fitting];
  return {
    resourceSpans: [
      { resource: { attributes: origin(call) }, scopeSpans: [{ scope: { name: SCOPE, version: FORM }, spans }] },
    ],
  };
}

const origin = ({ callId, agentId, agentName }: PlatformACall) =>
  attributes({
    "service.name": SERVICE,
    "svc.session_id": callId,
    "svc.agent_name": agentName?.trim() || agentId,
    [KEY.agentId]: agentId,
  });

function rootSpan(call: PlatformACall, startMs: number, leftOut: number): SpanDraft {
  const endNs = call.endMs === undefined ? NOT_ENDED : nanoseconds(call.endMs);
  return {
    name: SPAN.call,
    id: SPAN.call,
    time: { startNs: nanoseconds(startMs), endNs, isKnown: true },
    members: {
      [KEY.callId]: call.callId,
      [KEY.agentVersion]: call.agentVersion,
      [KEY.status]: call.status,
      [KEY.reason]: call.disconnectionReason,
      [KEY.contentWithheld]: call.contentWithheld || undefined,
      [KEY.leftOut]: leftOut === 0 ? undefined : BigInt(leftOut),
    },
    failed: call.status === "error",
  };
}

/** Returns a span for each item of the transcript, except tool results: the span of the tool call contains its result. */
function itemSpans(items: readonly TranscriptItem[], startMs: number): SpanDraft[] {
  const times = itemTimes(items, startMs);
  const resultOf = resultsByCall(items);
  const claimed = new Set(resultOf.values());
  return items.flatMap((item, at): SpanDraft[] => {
    if (claimed.has(at)) return [];
    const identity = { id: `item ${at}`, time: times[at]! };
    const index = { [KEY.index]: BigInt(at), [KEY.role]: item.role };
    const turn = TURN_SPAN[item.role ?? ""];
    if (turn !== undefined) {
      const words = item.words.length === 0 ? undefined : textIfWhole(JSON.stringify(wordsOf(item)));
      const removed = removalOf(item.content, JSON.stringify(item.words));
      const members = { ...index, [KEY.content]: textIfWhole(item.content), [KEY.words]: words, ...removed };
      return [{ name: turn, ...identity, members }];
    }
    if (item.role !== INVOCATION) {
      return [{ name: SPAN.item, ...identity, members: { ...index, [KEY.item]: JSON.stringify(item) } }];
    }
    const resultAt = resultOf.get(item) ?? items.length;
    const result = items[resultAt];
    const members = {
      ...index,
      [KEY.toolCallId]: item.tool_call_id,
      [KEY.toolName]: item.name,
      [KEY.arguments]: textIfWhole(item.arguments),
      [KEY.result]: textIfWhole(result?.content),
      [KEY.successful]: result?.successful,
      [KEY.resultTime]: times[resultAt]?.startNs.toString(),
      ...removalOf(item.arguments, result?.content),
    };
    return [{ name: SPAN.toolCall, ...identity, members, failed: result?.successful === false }];
  });
}

const removalOf = (...texts: (string | undefined)[]) =>
  texts.some((text) => text !== undefined && textIfWhole(text) === undefined) ? { [KEY.credentialRemoved]: true } : {};

const TURN_SPAN: Record<string, string | undefined> = {
  user: SPAN.userTurn,
  agent: SPAN.agentTurn,
  transfer_target: SPAN.thirdPartyTurn,
};

const INVOCATION = "tool_call_invocation";
const RESULT = "tool_call_result";

/** Returns the index of the result of each tool call. Calls with the same id get the results with that id in their order. */
function resultsByCall(items: readonly TranscriptItem[]): Map<TranscriptItem, number> {
  const open = new Map<string, TranscriptItem[]>();
  const resultOf = new Map<TranscriptItem, number>();
  for (const [at, item] of items.entries()) {
    const id = item.tool_call_id;
    if (id === undefined) continue;
    const calls = open.get(id) ?? [];
    open.set(id, calls);
    if (item.role === INVOCATION) calls.push(item);
    const call = item.role === RESULT ? calls.shift() : undefined;
    if (call !== undefined) resultOf.set(call, at);
  }
  return resultOf;
}

function reportSpans(
  { latencies, latencySummaries, tokens, cost, analysis, others, ...call }: PlatformACall,
  startMs: number,
): SpanDraft[] {
  const atNs = nanoseconds(call.endMs ?? startMs);
  const time = { startNs: atNs, endNs: atNs, isKnown: false };
  const report = (name: string, members: Record<string, unknown>): SpanDraft => ({ name, id: name, time, members });
  const reports = [report(SPAN.record, prefixed(PREFIX.record, others))];
  const latencyMembers = {
    ...prefixed(PREFIX.latency, latencies),
    ...prefixed(PREFIX.latencySummary, latencySummaries),
  };
  if (hasMembers(latencyMembers)) reports.push(report(SPAN.latency, latencyMembers));
  if (tokens !== undefined) reports.push(report(SPAN.tokens, { [KEY.tokens]: tokens }));
  if (hasMembers(cost)) reports.push(report(SPAN.cost, prefixed(PREFIX.cost, cost)));
  if (hasMembers(analysis)) reports.push(report(SPAN.analysis, prefixed(PREFIX.analysis, analysis)));
  return reports;
}

const hasMembers = (members: Record<string, unknown> | undefined): members is Record<string, unknown> =>
  members !== undefined && Object.keys(members).length > 0;

const prefixed = (prefix: string, members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(members)
      .slice(0, MEMBERS_MAX)
      .map(([name, value]) => [prefix + name, bytesOf(value) > MEMBER_BYTES_MAX ? TOO_LARGE : value]),
  );

function spansThatFit(spans: readonly CallSpan[]): Set<CallSpan> {
  let bytes = 0;
  return new Set(spans.slice(0, LIMITS.traceBodySpans).filter((span) => (bytes += bytesOf(span)) <= SPANS_BYTES_MAX));
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");

const nanoseconds = (ms: number): bigint => BigInt(ms) * 1_000_000n;
