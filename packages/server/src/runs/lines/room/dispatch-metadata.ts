import { LIMITS } from "@svc/contract";

/** Data about a simulation for the agent's worker: the member `svc` of the dispatch's metadata. */
type SimulationMetadata = {
  simulationId: string;
  attempt: number;
  tools: { names: readonly string[]; token: string };
};

/** Values that are at least as long as any real value, to compute the largest size of the metadata. */
const LONGEST: Pick<SimulationMetadata, "simulationId" | "attempt"> = { simulationId: "x".repeat(64), attempt: 1_000 };
const LONGEST_TOKEN = "x".repeat(64);

export const dispatchMetadata = (configured: string | undefined, svc: SimulationMetadata): string =>
  JSON.stringify({ ...objectIn(configured), svc });

export function metadataProblem(configured: string | undefined, toolNames: readonly string[]): string | undefined {
  if (objectIn(configured) === undefined)
    return "The connection's metadata is not a JSON object. Simulations and their mock tools travel in it under the name `svc`: write it as a JSON object.";
  const longest = dispatchMetadata(configured, { ...LONGEST, tools: { names: toolNames, token: LONGEST_TOKEN } });
  const bytes = Buffer.byteLength(longest);
  if (bytes <= LIMITS.dispatchMetadataBytes) return undefined;
  return `The names of ${toolNames.length} mock tools and the connection's metadata have ${bytes} bytes, and the metadata of a dispatch has room for ${LIMITS.dispatchMetadataBytes}: mock fewer tools, or shorten the metadata.`;
}

function objectIn(configured: string | undefined): Record<string, unknown> | undefined {
  if (configured === undefined || configured.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(configured);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
