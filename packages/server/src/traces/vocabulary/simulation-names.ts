import type { PacketCounts } from "@svc/contract";
import type { StoredSpan } from "../stored-span.ts";

export const SIMULATION_SCOPE = "svc.simulation";
export const SIMULATION_SPANS = {
  root: "simulation",
  caller: "caller_turn",
  agent: "agent_turn",
  tool: "tool_call",
} as const;

/** The type of the connection over which the service played the simulation. Earlier versions did not write it. */
export const CONNECTION_TYPE_KEY = "svc.connection_type";

/** Name of the spans of signalling steps, which are children of the simulation's root span. */
export const LINE_STEP_SPAN = "svc.line.step";

export const LINE_KEYS = {
  step: "svc.line.step",
  by: "svc.line.by",
  status: "svc.line.status",
  codec: "svc.line.codec",
  roundTripMs: "svc.line.round_trip_ms",
  condition: "svc.line.condition",
  estimatedMos: "svc.line.estimated_mos",
} as const;

const PACKET_NAMES: Record<keyof PacketCounts, string> = {
  packets: "packets",
  lost: "lost",
  late: "late",
  jitterMs: "jitter_ms",
  jitterMaxMs: "jitter_max_ms",
};

export const packetKey = (direction: "received" | "sent", name: keyof PacketCounts): string =>
  `svc.line.${direction}.${PACKET_NAMES[name]}`;

export const conditionKey = (direction: "toAgent" | "fromAgent", name: "packets" | "lost" | "late"): string =>
  `svc.line.condition.${direction === "toAgent" ? "to_agent" : "from_agent"}.${name}`;

export const isLineStep = (span: StoredSpan): boolean => isSimulated(span) && span.name === LINE_STEP_SPAN;

const isSimulated = ({ scopeName }: StoredSpan): boolean => scopeName === SIMULATION_SCOPE;

/** Returns whether all spans are spans that this service writes for a simulation, even when it ended before its first turn. */
export const isSimulationAlone = (spans: readonly StoredSpan[]): boolean =>
  spans.length > 0 && spans.every(isSimulated);

export const isRootOfCall = (span: StoredSpan): boolean =>
  isSimulated(span) &&
  span.name === SIMULATION_SPANS.root &&
  typeof span.attributes["svc.call.duration_ms"] === "number";

/** Returns whether the spans are of a simulation by text, even when only the agent's own spans have the turns. */
export const isTypedSimulation = (spans: readonly StoredSpan[]): boolean =>
  spans.some(isSimulated) && !spans.some((span) => isRootOfCall(span) || isLineStep(span));
