import type { ConnectionType } from "@svc/contract";
import { sha256 } from "../../base/secrets/secrets.ts";
import type { StoredSpan } from "../../traces/stored-span.ts";
import { ATTEMPT_KEY } from "../../traces/conversation/identity-keys.ts";
import { CONNECTION_TYPE_KEY, SIMULATION_SCOPE, SIMULATION_SPANS } from "../../traces/vocabulary/simulation-names.ts";
import type { PlayedToolUse, PlayedTurn } from "../play/play.ts";
import { callAttributes, callSpans } from "./call-spans.ts";
import { lineAttributes, lineSpans } from "./line-spans.ts";
import { responseTimesOf, type Transcript } from "../play/transcript.ts";
import type { SimulationRow } from "../rules.ts";

type AttributeValue = string | number | boolean;

export const traceIdOf = (simulationId: string, attempt: number): string =>
  sha256(`simulation ${simulationId} ${attempt}`).slice(0, 32);

type SpansOfSimulation = { root: StoredSpan; turns: StoredSpan[]; toolUses: StoredSpan[]; ofCall: StoredSpan[] };

/**
 * Returns the spans of a simulation. The spans of the same attempt always have the same ids. Only the channel of the conversation depends
 * on the type of the connection.
 */
export function spansOf(
  simulation: SimulationRow,
  agentName: string,
  transcript: Transcript,
  connectionType: ConnectionType | null = null,
): SpansOfSimulation {
  const traceId = traceIdOf(simulation.id, simulation.attempt);
  const spanId = (part: string) => sha256(`${traceId} ${part}`).slice(0, 16);
  const resource = {
    "service.name": "svc-simulator",
    "svc.session_id": simulation.id,
    [ATTEMPT_KEY]: simulation.attempt,
    "svc.agent_name": agentName,
  };
  const span = (
    part: string,
    name: string,
    startNs: bigint,
    endNs: bigint,
    attributes: Record<string, AttributeValue>,
  ): StoredSpan => ({
    traceId,
    spanId: spanId(part),
    parentSpanId: part === "root" ? null : spanId("root"),
    name,
    kind: 1,
    startNs,
    endNs,
    status: "unset",
    statusMessage: null,
    attributes,
    events: [],
    links: [],
    resource,
    scopeName: SIMULATION_SCOPE,
    scopeVersion: null,
  });
  const root = span("root", SIMULATION_SPANS.root, ns(transcript.startedMs), ns(transcript.endedMs, 999_999), {
    "svc.run_id": simulation.run_id,
    "svc.simulation_id": simulation.id,
    "svc.test_name": simulation.test_name,
    "svc.persona_name": simulation.persona_name,
    "svc.ending_reason": simulation.ending_reason!,
    ...(connectionType !== null && { [CONNECTION_TYPE_KEY]: connectionType }),
    ...(transcript.call && callAttributes(transcript.call)),
    ...(transcript.line && lineAttributes(transcript.line)),
  });
  // For a call with sound, `callSpans` writes the response times that the caller heard.
  const responseTimes = transcript.call ? new Map<number, number>() : responseTimesOf(transcript.turns);
  const turn = ({ role, text, startedMs, endedMs, stalledMs }: PlayedTurn, index: number) =>
    span(`turn ${index}`, SIMULATION_SPANS[role], ns(startedMs, index), ns(endedMs, index), {
      "svc.turn.index": index,
      ...(text !== null && { "svc.turn.text": text }),
      ...(responseTimes.has(index) && { "svc.turn.response_latency_ms": responseTimes.get(index)! }),
      ...(stalledMs !== undefined && { "svc.turn.stalled_ms": stalledMs }),
    });
  const tool = (use: PlayedToolUse, index: number) =>
    span(`tool ${index}`, SIMULATION_SPANS.tool, ns(use.startedMs, index), ns(use.endedMs, index), {
      "svc.turn.index": use.turnIndex,
      "svc.tool.name": use.name,
      ...(use.id !== null && { "svc.tool.call_id": use.id }),
      ...withContent("svc.tool.arguments", use.arguments),
      ...withContent("svc.tool.result", use.error ?? use.result),
      "svc.tool.is_error": use.error !== null,
      "svc.tool.mocked": use.mocked,
    });
  const ofCall = [
    ...(transcript.call ? callSpans(transcript.call, transcript.turns) : []),
    ...(transcript.line ? lineSpans(transcript.line) : []),
  ];
  return {
    root,
    turns: transcript.turns.map(turn),
    toolUses: transcript.toolUses.map(tool),
    ofCall: ofCall.map(({ part, name, startMs, endMs, order, attributes }) =>
      span(part, name, ns(startMs, order), ns(endMs, order), attributes),
    ),
  };
}

/** Returns an attribute with content as JSON, and no attribute for null, because null means that the content was withheld. */
const withContent = (key: string, value: unknown) =>
  value === null || value === undefined ? {} : { [key]: JSON.stringify(value) };

/** Converts milliseconds to nanoseconds. `order` is added, so that turns of the same millisecond keep their order. */
const ns = (ms: number, order = 0): bigint => BigInt(Math.round(ms)) * 1_000_000n + BigInt(order);

export function otlpOf(spans: readonly StoredSpan[]): object {
  const keyValues = (attributes: Record<string, unknown>) =>
    Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value as AttributeValue) }));
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(spans[0]!.resource) },
        scopeSpans: [
          {
            scope: { name: SIMULATION_SCOPE },
            spans: spans.map((span) => ({
              traceId: span.traceId,
              spanId: span.spanId,
              ...(span.parentSpanId !== null && { parentSpanId: span.parentSpanId }),
              name: span.name,
              kind: span.kind,
              startTimeUnixNano: String(span.startNs),
              endTimeUnixNano: String(span.endNs),
              attributes: keyValues(span.attributes),
            })),
          },
        ],
      },
    ],
  };
}

function anyValue(value: AttributeValue): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
