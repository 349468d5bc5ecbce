import { sha256 } from "../../secrets.ts";
import { KEY, ORDER_ONLY, PREFIX, SCOPE, SERVICE, SPAN } from "../../traces/vocabulary/platform-a/names.ts";
import type { PlatformACall, TranscriptItem } from "./call.ts";
import { attributes, type ExportRequest, FAILED, INTERNAL, type Span } from "./otlp.ts";
import { itemTimes, type ItemTime, wordsOf } from "./transcript-times.ts";

/** Of the spans' names and shapes; in their scope. */
const FORM = "1";
const MEMBERS_MAX = 50;
const MEMBER_BYTES_MAX = 64 * 1024;
const TOO_LARGE = "[too large]";

/** Below what an ingest takes; only a call that nobody had comes near. */
const SPANS_BYTES_MAX = 18 * 1024 * 1024;

/** Stands for a start that is not told; no complete call has it. */
const UNKNOWN_START_MS = 1;
const NOT_ENDED = 0n;

type Draft = { name: string; id: string; time: ItemTime; members: Record<string, unknown>; failed?: boolean };

/**
 * A call as an OTLP request. The same call always gives the same spans under the same ids, and what the platform adds to
 * it later, such as its analysis, is a span of its own that changes no other.
 */
export function callToSpans(call: PlatformACall): ExportRequest {
  const hashOf = (of: string) => sha256(`svc platform_a ${of} ${call.callId}`);
  const traceId = hashOf("trace").slice(0, 32);
  const spanId = (id: string) => hashOf(`span ${id}`).slice(0, 16);
  const rootId = spanId(SPAN.call);
  const span = ({ name, id, time, members, failed = false }: Draft): Span => ({
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
  const said = saidIn(call.transcript ?? [], startMs).map(span);
  const [record, ...reports] = reportsOn(call, startMs).map(span);
  const kept = thatFit([...reports, ...said, record!]);
  const leftOut = call.transcriptLeftOut + said.filter((span) => !kept.has(span)).length;
  const spans = [span(callItself(call, startMs, leftOut)), ...kept];
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

function callItself(call: PlatformACall, startMs: number, leftOut: number): Draft {
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

/** A span for each thing said or done; the result of a tool is on its call. */
function saidIn(items: readonly TranscriptItem[], startMs: number): Draft[] {
  const times = itemTimes(items, startMs);
  const resultOf = resultsByCall(items);
  const claimed = new Set(resultOf.values());
  return items.flatMap((item, at): Draft[] => {
    if (claimed.has(item)) return [];
    const place = { id: `item ${at}`, time: times[at]! };
    const index = { [KEY.index]: BigInt(at), [KEY.role]: item.role };
    if (item.role === "user" || item.role === "agent") {
      const words = item.words.length === 0 ? undefined : JSON.stringify(wordsOf(item));
      const members = { ...index, [KEY.content]: item.content, [KEY.words]: words };
      return [{ name: item.role === "user" ? SPAN.userTurn : SPAN.agentTurn, ...place, members }];
    }
    if (item.role !== INVOCATION) {
      return [{ name: SPAN.item, ...place, members: { ...index, [KEY.item]: JSON.stringify(item) } }];
    }
    const result = resultOf.get(item);
    const members = {
      ...index,
      [KEY.toolCallId]: item.tool_call_id,
      [KEY.toolName]: item.name,
      [KEY.arguments]: item.arguments,
      [KEY.result]: result?.content,
      [KEY.successful]: result?.successful,
    };
    return [{ name: SPAN.toolCall, ...place, members, failed: result?.successful === false }];
  });
}

const INVOCATION = "tool_call_invocation";
const RESULT = "tool_call_result";

/** Each result with the earliest call of its id that has none yet. */
function resultsByCall(items: readonly TranscriptItem[]): Map<TranscriptItem, TranscriptItem> {
  const open = new Map<string, TranscriptItem[]>();
  const resultOf = new Map<TranscriptItem, TranscriptItem>();
  for (const item of items) {
    const id = item.tool_call_id;
    if (id === undefined) continue;
    const calls = open.get(id) ?? [];
    open.set(id, calls);
    if (item.role === INVOCATION) calls.push(item);
    const call = item.role === RESULT ? calls.shift() : undefined;
    if (call !== undefined) resultOf.set(call, item);
  }
  return resultOf;
}

/** What the platform states of the whole call: first the rest of its record, then what is told apart, as far as there is any. */
function reportsOn({ latencies, tokens, cost, analysis, others, ...call }: PlatformACall, startMs: number): Draft[] {
  const atNs = nanoseconds(call.endMs ?? startMs);
  const time = { startNs: atNs, endNs: atNs, isKnown: false };
  const report = (name: string, members: Record<string, unknown>): Draft => ({ name, id: name, time, members });
  const told = (name: string, prefix: string, members: Record<string, unknown> | undefined) =>
    members === undefined || Object.keys(members).length === 0 ? [] : [report(name, prefixed(prefix, members))];
  return [
    report(SPAN.record, prefixed(PREFIX.record, others)),
    ...told(SPAN.latency, PREFIX.latency, latencies),
    ...(tokens === undefined ? [] : [report(SPAN.tokens, { [KEY.tokens]: tokens })]),
    ...told(SPAN.cost, PREFIX.cost, cost),
    ...told(SPAN.analysis, PREFIX.analysis, analysis),
  ];
}

/** A few members, none of them large, each under the platform's name for it. */
const prefixed = (prefix: string, members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(members)
      .slice(0, MEMBERS_MAX)
      .map(([name, value]) => [prefix + name, bytesOf(value) > MEMBER_BYTES_MAX ? TOO_LARGE : value]),
  );

/** Those that fit in one body, in their order. */
function thatFit(spans: readonly Span[]): Set<Span> {
  let bytes = 0;
  return new Set(spans.filter((span) => (bytes += bytesOf(span)) <= SPANS_BYTES_MAX));
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");

const nanoseconds = (ms: number): bigint => BigInt(ms) * 1_000_000n;
