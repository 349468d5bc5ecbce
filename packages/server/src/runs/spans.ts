import { sha256 } from "../secrets.ts";
import type { Played } from "./play.ts";

export type SimulationSpans = {
  simulationId: string;
  runId: string;
  attempt: number;
  agentName: string;
  testName: string;
  personaName: string;
  /** The agent sends spans of its own, which tell what was said. */
  rootOnly: boolean;
};

const ns = (ms: number) => String(BigInt(Math.round(ms)) * 1_000_000n);
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
const flag = (key: string, value: boolean) => ({ key, value: { boolValue: value } });

export const traceIdOf = (simulationId: string, attempt: number): string =>
  sha256(`simulation ${simulationId} ${attempt}`).slice(0, 32);

/** A played conversation as an OTLP/JSON request; the same conversation always gives the same ids. */
export function spansOf(about: SimulationSpans, played: Played): object {
  const traceId = traceIdOf(about.simulationId, about.attempt);
  const spanId = (part: string) => sha256(`${traceId} ${part}`).slice(0, 16);
  const root = {
    traceId,
    spanId: spanId("root"),
    name: "simulation",
    kind: 1,
    startTimeUnixNano: ns(played.startedMs),
    endTimeUnixNano: ns(played.endedMs),
    attributes: [
      text("svc.run_id", about.runId),
      text("svc.simulation_id", about.simulationId),
      text("svc.test_name", about.testName),
      text("svc.persona_name", about.personaName),
      text("svc.ending_reason", played.reason),
    ],
  };
  const child = (part: string, name: string, startedMs: number, endedMs: number, attributes: object[]) => ({
    traceId,
    spanId: spanId(part),
    parentSpanId: root.spanId,
    name,
    kind: 1,
    startTimeUnixNano: ns(startedMs),
    endTimeUnixNano: ns(endedMs),
    attributes,
  });
  const turns = played.turns.map((turn, index) =>
    child(`turn ${index}`, `${turn.role}_turn`, turn.startedMs, turn.endedMs, [
      { key: "svc.turn.index", value: { intValue: index } },
      text("svc.turn.text", turn.text),
    ]),
  );
  const tools = played.toolUses.map((use, index) =>
    child(`tool ${index}`, "tool_call", use.startedMs, use.endedMs, [
      { key: "svc.turn.index", value: { intValue: use.turnIndex } },
      text("svc.tool.name", use.name),
      ...(use.id === null ? [] : [text("svc.tool.call_id", use.id)]),
      text("svc.tool.arguments", JSON.stringify(use.arguments ?? null)),
      text("svc.tool.result", JSON.stringify(use.error ?? use.result ?? null)),
      flag("svc.tool.is_error", use.error !== null),
      flag("svc.tool.mocked", use.mocked),
    ]),
  );
  const resource = [
    text("service.name", "svc-simulator"),
    text("svc.session_id", about.simulationId),
    text("svc.agent_name", about.agentName),
  ];
  const spans = about.rootOnly ? [root] : [root, ...turns, ...tools];
  return {
    resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope: { name: "svc.simulation" }, spans }] }],
  };
}
