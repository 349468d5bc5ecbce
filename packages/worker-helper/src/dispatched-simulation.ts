/** Simulation for which the service dispatched this job of the LiveKit worker. */
export type DispatchedSimulation = {
  simulationId: string;
  attempt: number | undefined;
  /** Names of the simulation's mock tools, and the bearer token for calls of them. */
  tools: { names: string[]; token: string } | undefined;
};

const SIMULATION_ID = /^sim_[0-9a-z]{1,100}$/;

/**
 * Returns the simulation in the metadata of the job's dispatch; undefined without one. The service writes the simulation into the
 * metadata under the name `svc`. Any other metadata belongs to the customer. Never throws.
 */
export function dispatchedSimulation(metadata: string | undefined): DispatchedSimulation | undefined {
  const svc = recordOf(recordOf(jsonOf(metadata))?.svc);
  const simulationId = svc?.simulationId;
  if (typeof simulationId !== "string" || !SIMULATION_ID.test(simulationId)) return undefined;
  const tools = recordOf(svc?.tools);
  const names = tools?.names;
  const token = tools?.token;
  const areNames = Array.isArray(names) && names.every((name) => typeof name === "string");
  return {
    simulationId,
    attempt: Number.isSafeInteger(svc?.attempt) ? (svc!.attempt as number) : undefined,
    tools: areNames && typeof token === "string" ? { names, token } : undefined,
  };
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

const recordOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
