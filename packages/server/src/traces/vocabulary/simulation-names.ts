import type { StoredSpan } from "../stored-span.ts";

/** The scope and the names of the spans that the service writes for a simulated conversation. */
export const SIMULATION_SCOPE = "svc.simulation";
export const SIMULATION_SPANS = {
  root: "simulation",
  caller: "caller_turn",
  agent: "agent_turn",
  tool: "tool_call",
} as const;

const isSimulated = ({ scopeName }: StoredSpan): boolean => scopeName === SIMULATION_SCOPE;

/** Returns whether the service itself wrote all spans, also of a simulation that ended before its first turn. */
export const isSimulationAlone = (spans: readonly StoredSpan[]): boolean =>
  spans.length > 0 && spans.every(isSimulated);

/** Returns whether the span is the root of a simulation with sound. */
export const isRootOfCall = (span: StoredSpan): boolean =>
  isSimulated(span) &&
  span.name === SIMULATION_SPANS.root &&
  typeof span.attributes["svc.call.duration_ms"] === "number";

/** Returns whether the spans belong to a simulation by text, also when only the agent's own spans show the turns. */
export const isTypedSimulation = (spans: readonly StoredSpan[]): boolean =>
  spans.some(isSimulated) && !spans.some(isRootOfCall);
