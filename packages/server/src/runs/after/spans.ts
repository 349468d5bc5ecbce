import { sha256 } from "../../secrets.ts";
import type { StoredSpan } from "../../traces/stored-span.ts";
import { SIMULATION_SCOPE, SIMULATION_SPANS } from "../../traces/vocabulary/simulation.ts";
import type { PlayedToolUse, PlayedTurn } from "../play/play.ts";
import type { Transcript } from "../play/transcript.ts";

type AboutSimulation = {
  id: string;
  runId: string;
  attempt: number;
  agentName: string;
  testName: string;
  personaName: string;
  endingReason: string;
};

type Value = string | number | boolean;

export const traceIdOf = (simulationId: string, attempt: number): string =>
  sha256(`simulation ${simulationId} ${attempt}`).slice(0, 32);

/**
 * A played conversation as spans: a root, and below it each turn and tool call. The same conversation always has the same
 * ids. `rootOnly`: the agent sends spans of its own, which tell what was said.
 */
export function spansOf(about: AboutSimulation, transcript: Transcript, rootOnly: boolean): StoredSpan[] {
  const traceId = traceIdOf(about.id, about.attempt);
  const spanId = (part: string) => sha256(`${traceId} ${part}`).slice(0, 16);
  const resource = {
    "service.name": "svc-simulator",
    "svc.session_id": about.id,
    "svc.agent_name": about.agentName,
  };
  const span = (
    part: string,
    name: string,
    startNs: bigint,
    endNs: bigint,
    attributes: Record<string, Value>,
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
    "svc.run_id": about.runId,
    "svc.simulation_id": about.id,
    "svc.test_name": about.testName,
    "svc.persona_name": about.personaName,
    "svc.ending_reason": about.endingReason,
  });
  if (rootOnly) return [root];
  const turn = ({ role, text, startedMs, endedMs }: PlayedTurn, index: number) =>
    span(`turn ${index}`, SIMULATION_SPANS[role], ns(startedMs, index), ns(endedMs, index), {
      "svc.turn.index": index,
      "svc.turn.text": text,
      ...(role === "agent" &&
        transcript.turns[index - 1]?.role === "caller" && { "svc.turn.response_latency_ms": endedMs - startedMs }),
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
  return [root, ...transcript.turns.map(turn), ...transcript.toolUses.map(tool)];
}

/** JSON's null would read as withheld. */
const withContent = (key: string, value: unknown) =>
  value === null || value === undefined ? {} : { [key]: JSON.stringify(value) };

/** What is said in one millisecond keeps its order. */
const ns = (ms: number, order = 0): bigint => BigInt(Math.round(ms)) * 1_000_000n + BigInt(order);

/** The same as an OTLP/JSON request. */
export function otlpOf(spans: readonly StoredSpan[]): object {
  const keyValues = (attributes: Record<string, unknown>) =>
    Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value as Value) }));
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

function anyValue(value: Value): object {
  if (typeof value === "string") return { stringValue: value };
  return typeof value === "boolean" ? { boolValue: value } : { intValue: String(Math.round(value)) };
}
