import type { Answer, Operations } from "@svc/sdk";

type Setup = Answer<Operations["monitoring"]["list"]>["setups"][number];
type Agent = Setup["agents"][number];

const DAY_MS = 86_400_000;

/** Progress of an agent's first import, in days. The number of calls is unknown until the import has ended. */
type ImportProgress = { days: number; all: number };

/** Returns undefined if the first import has ended. */
export function firstImport({ state, scan }: Agent): ImportProgress | undefined {
  if (state !== "importing") return undefined;
  if (scan === null) return { days: 0, all: 30 };
  const from = Date.parse(scan.from);
  const all = Math.max(1, Math.round((Date.parse(scan.to) - from) / DAY_MS));
  return { days: Math.min(all, Math.floor((Date.parse(scan.reached) - from) / DAY_MS)), all };
}

export type OpenFailure = Agent["failures"][number] & { agentName: string };

/** The failure with the latest attempt comes first. */
export const openFailures = (agents: readonly Agent[]): OpenFailure[] =>
  agents
    .flatMap(({ failures, platform_agent_name: agentName }) => failures.map((failure) => ({ ...failure, agentName })))
    .toSorted((a, b) => b.last_attempt_at.localeCompare(a.last_attempt_at));

/** These texts describe the whole setup, not single calls or agents. */
export const HEALTH: Record<
  Setup["health"]["state"],
  { word: string; tone: "passed" | "failed" | "warning"; remedy: string }
> = {
  healthy: { word: "Healthy", tone: "passed", remedy: "" },
  invalid_credential: {
    word: "Key refused",
    tone: "failed",
    remedy: "The platform refuses the key. Replace it; calls are fetched from where the import stopped.",
  },
  rate_limited: {
    word: "Waits",
    tone: "warning",
    remedy: "The platform limits requests. The service continues by itself.",
  },
  provider_unavailable: {
    word: "No answer",
    tone: "warning",
    remedy: "The platform does not answer. The service tries again by itself.",
  },
};
