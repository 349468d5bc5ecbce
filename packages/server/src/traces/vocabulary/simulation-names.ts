import type { PacketCounts } from "@svc/contract";
import type { StoredSpan } from "../stored-span.ts";

/** Scope and names of the spans that the service writes for a simulated conversation. */
export const SIMULATION_SCOPE = "svc.simulation";
export const SIMULATION_SPANS = {
  root: "simulation",
  caller: "caller_turn",
  agent: "agent_turn",
  tool: "tool_call",
} as const;

/** Name of the span of one step of a call's signalling. The span is a child of the simulation's root. */
export const LINE_STEP_SPAN = "svc.line.step";

/** Attributes of a call's signalling, on the spans of its steps and on the root. */
export const LINE_KEYS = {
  step: "svc.line.step",
  by: "svc.line.by",
  status: "svc.line.status",
  codec: "svc.line.codec",
  roundTripMs: "svc.line.round_trip_ms",
  estimatedMos: "svc.line.estimated_mos",
} as const;

const PACKET_NAMES: Record<keyof PacketCounts, string> = {
  packets: "packets",
  lost: "lost",
  late: "late",
  jitterMs: "jitter_ms",
  jitterMaxMs: "jitter_max_ms",
};

/** Returns the key of the root's attribute that has this packet count for one direction. */
export const packetKey = (direction: "received" | "sent", name: keyof PacketCounts): string =>
  `svc.line.${direction}.${PACKET_NAMES[name]}`;

/** Returns whether the span is a step of the signalling of a call that the service placed. */
export const isLineStep = (span: StoredSpan): boolean => isSimulated(span) && span.name === LINE_STEP_SPAN;

const isSimulated = ({ scopeName }: StoredSpan): boolean => scopeName === SIMULATION_SCOPE;

/** Returns whether the service itself wrote all spans. This also applies to a simulation that ended before its first turn. */
export const isSimulationAlone = (spans: readonly StoredSpan[]): boolean =>
  spans.length > 0 && spans.every(isSimulated);

/** Returns whether the span is the root of a simulation with sound. */
export const isRootOfCall = (span: StoredSpan): boolean =>
  isSimulated(span) &&
  span.name === SIMULATION_SPANS.root &&
  typeof span.attributes["svc.call.duration_ms"] === "number";

/** Returns whether the spans belong to a simulation by text. Works even when only the agent's own spans have the turns. */
export const isTypedSimulation = (spans: readonly StoredSpan[]): boolean =>
  spans.some(isSimulated) && !spans.some((span) => isRootOfCall(span) || isLineStep(span));
