import type { Db } from "../../stores/relational.ts";

/** What agents tell of the monitoring of theirs. */
type MonitoringOfAgent = {
  keyPresent: boolean;
  keyHint: string | null;
  pull: boolean;
  configured: boolean;
  lastReceivedAt: string | null;
};

const IDS_AT_ONCE = 500;

export function openImportStore(db: Db) {
  /** When the newest imported call of each agent came in. */
  function lastImports(projectId: string, agentIds?: readonly string[]) {
    let query = db
      .selectFrom("imported_calls")
      .select((eb) => ["platform_agent_id as id", eb.fn.max("imported_at").as("at")])
      .where("project_id", "=", projectId)
      .groupBy("platform_agent_id");
    if (agentIds) query = query.where("platform_agent_id", "in", agentIds);
    return query.execute();
  }

  /** Those among the agents whose calls are fetched, with the hint of the key. */
  const chosenAmong = (projectId: string, agentIds: readonly string[]) =>
    db
      .selectFrom("monitored_agents as a")
      .innerJoin("monitoring_setups as s", "s.id", "a.setup_id")
      .leftJoin("sealed_credentials as c", "c.owner_id", "s.id")
      .select(["a.platform_agent_id as id", "c.hint"])
      .where("s.project_id", "=", projectId)
      .where("s.agent_platform", "=", "platform_a")
      .where("a.dropped", "=", 0)
      .where("a.platform_agent_id", "in", agentIds)
      .execute();

  return {
    /** When the project's newest imported call came in. */
    async lastImportedAt(projectId: string): Promise<string | null> {
      const times = (await lastImports(projectId)).map(({ at }) => at);
      return times.sort().at(-1) ?? null;
    },

    /** The monitoring of platform_a agents, by the platform's ids; one that was never chosen is in the map all the same. */
    async monitoringOfAgents(
      projectId: string,
      platformAgentIds: readonly string[],
    ): Promise<Map<string, MonitoringOfAgent>> {
      const found = new Map<string, MonitoringOfAgent>();
      for (let at = 0; at < platformAgentIds.length; at += IDS_AT_ONCE) {
        const ids = platformAgentIds.slice(at, at + IDS_AT_ONCE);
        const hints = new Map((await chosenAmong(projectId, ids)).map(({ id, hint }) => [id, hint]));
        const imports = new Map((await lastImports(projectId, ids)).map((row) => [row.id, row.at]));
        for (const id of ids) {
          const configured = hints.has(id);
          const keyHint = hints.get(id) ?? null;
          found.set(id, {
            keyPresent: keyHint !== null,
            keyHint,
            pull: configured,
            configured,
            lastReceivedAt: imports.get(id) ?? null,
          });
        }
      }
      return found;
    },
  };
}
