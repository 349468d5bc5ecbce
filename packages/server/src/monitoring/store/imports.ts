import type { Db } from "../../stores/relational.ts";

export function openImportStore(db: Db) {
  /** When the newest imported call of each agent came in. */
  const lastImports = (projectId: string, agentIds: readonly string[]) =>
    db
      .selectFrom("imported_calls")
      .select((eb) => ["platform_agent_id as id", eb.fn.max("imported_at").as("at")])
      .where("project_id", "=", projectId)
      .where("platform_agent_id", "in", agentIds)
      .groupBy("platform_agent_id")
      .execute();

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
      const { at } = await db
        .selectFrom("imported_calls")
        .select((eb) => eb.fn.max<string | null>("imported_at").as("at"))
        .where("project_id", "=", projectId)
        .executeTakeFirstOrThrow();
      return at;
    },

    /** The monitoring of platform_a agents, by the platform's ids; one that was never chosen is in the map all the same. */
    async monitoringOfAgents(projectId: string, platformAgentIds: readonly string[]) {
      const hints = new Map((await chosenAmong(projectId, platformAgentIds)).map(({ id, hint }) => [id, hint]));
      const imports = new Map((await lastImports(projectId, platformAgentIds)).map((row) => [row.id, row.at]));
      return new Map(
        platformAgentIds.map((id) => {
          const configured = hints.has(id);
          const keyHint = hints.get(id) ?? null;
          const lastReceivedAt = imports.get(id) ?? null;
          return [id, { keyPresent: keyHint !== null, keyHint, pull: configured, configured, lastReceivedAt }];
        }),
      );
    },
  };
}
