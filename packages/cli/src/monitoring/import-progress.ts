import type { MonitoringSetup } from "@svc/contract";
import { counted } from "../terminal/output.ts";

const BAR_CELLS = 20;

export const isImporting = ({ agents }: MonitoringSetup): boolean => agents.some(({ state }) => state === "importing");

/** The progress is the share of the 30 days whose calls have been read. */
export function importProgress({ agents, health }: MonitoringSetup): string {
  const share = agents.reduce((sum, agent) => sum + shareOf(agent), 0) / Math.max(agents.length, 1);
  const imported = agents.reduce((sum, { scan }) => sum + (scan?.kind === "first" ? scan.imported : 0), 0);
  const cells = Math.floor(share * BAR_CELLS);
  const bar = "#".repeat(cells).padEnd(BAR_CELLS, "-");
  const problem = health.state === "healthy" ? "" : ` (${health.state.replaceAll("_", " ")}, trying again)`;
  const done = agents.filter(({ state }) => state !== "importing").length;
  return `First 30 days [${bar}] ${Math.floor(share * 100)} %, ${counted(imported, "conversation")}, ${done} of ${counted(agents.length, "agent")} done${problem}`;
}

function shareOf({ state, scan }: MonitoringSetup["agents"][number]): number {
  if (state !== "importing") return 1;
  if (scan === null) return 0;
  const [from, to, reached] = [scan.from, scan.to, scan.reached].map(Date.parse) as [number, number, number];
  return to > from ? Math.min(Math.max((reached - from) / (to - from), 0), 1) : 0;
}
