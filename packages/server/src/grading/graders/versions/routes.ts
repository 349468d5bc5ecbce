import { LIMITS } from "@svc/contract/constants";
import { inSlices } from "../../../base/async/in-slices.ts";
import type { Routes } from "../../../http/operation.ts";
import type { TraceReader } from "../../../traces/store/trace-store.ts";
import type { ProductionStore } from "../store/production.ts";
import { comparisonWords, computeVersionComparison, decideComparison, type VersionOutcomes } from "./rules.ts";

type Project = { id: string; number: number };

export function agentVersionRoutes(
  reader: TraceReader,
  { listDecisions }: Pick<ProductionStore, "listDecisions">,
): Routes<"agentVersions"> {
  async function readVersion(
    project: Project,
    agent: string,
    version: string,
    period: { fromMs: number; toMs: number },
  ): Promise<VersionOutcomes & { total: number }> {
    const read = await reader.readVersion({ project: project.number, agent, version, ...period });
    return { ...read, grades: await listDecisions(project.id, read.conversations) };
  }

  return {
    agentVersions: {
      list: async ({ project, query }) => {
        const rows = await reader.listAgentVersions(project.number, query.agent);
        return {
          agentVersions: rows.slice(0, LIMITS.agentVersionsShown).map(({ agent, version, firstMs, lastMs }) => ({
            agentName: agent,
            version,
            firstSeenAt: new Date(firstMs).toISOString(),
            lastSeenAt: new Date(lastMs).toISOString(),
          })),
          isMore: rows.length > LIMITS.agentVersionsShown,
        };
      },

      compare: async ({ project, query }) => {
        const period = decideComparison(query, Date.now());
        const { agent } = query;
        const first = await readVersion(project, agent, query.version, period);
        const second = await readVersion(project, agent, query.with, period);
        const quantities = await inSlices(computeVersionComparison(first, second));
        const sideOf = (version: string, { total, conversations }: typeof first) => ({
          version,
          conversations: total,
          compared: conversations.length,
        });
        const sides = { first: sideOf(query.version, first), second: sideOf(query.with, second) };
        return {
          comparison: {
            agentName: agent,
            from: new Date(period.fromMs).toISOString(),
            to: new Date(period.toMs).toISOString(),
            ...sides,
            differs: quantities.some(({ verdict }) => ["worse", "better", "differs"].includes(verdict)),
            words: comparisonWords({ agent, ...sides, quantities }),
            quantities,
          },
        };
      },
    },
  };
}
