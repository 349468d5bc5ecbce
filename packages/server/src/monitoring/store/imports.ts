import type { Db } from "../../stores/relational.ts";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";

type AgentMonitoring = {
  keyPresent: boolean;
  keyHint: string | null;
  pull: boolean;
  configured: boolean;
  lastReceivedAt: string | null;
};

export type ImportStore = {
  /** Returns the time of the project's last import in ISO 8601; null before the first import. */
  findLastImport: (projectId: string) => Promise<string | null>;
  /** Returns how each agent is monitored, even for an agent that is not. */
  monitoringOfAgents: (projectId: string, platformAgentIds: readonly string[]) => Promise<Map<string, AgentMonitoring>>;
};

export function createImportStore(db: Db, sealed: SealedCredentials): ImportStore {
  const lastImports = (projectId: string, platformAgentIds: readonly string[]) =>
    db
      .selectFrom("imported_calls")
      .select((eb) => ["platform_agent_id as id", eb.fn.max("imported_at").as("at")])
      .where("project_id", "=", projectId)
      .where("platform_agent_id", "in", platformAgentIds)
      .groupBy("platform_agent_id")
      .execute();

  const setupsOf = (projectId: string, platformAgentIds: readonly string[]) =>
    db
      .selectFrom("monitored_agents as a")
      .innerJoin("monitoring_setups as s", "s.id", "a.setup_id")
      .select(["a.platform_agent_id as id", "s.id as setupId"])
      .where("s.project_id", "=", projectId)
      .where("s.agent_platform", "=", "platform_a")
      .where("a.dropped", "=", 0)
      .where("a.platform_agent_id", "in", platformAgentIds)
      .execute();

  return {
    async findLastImport(projectId) {
      const { at } = await db
        .selectFrom("imported_calls")
        .select((eb) => eb.fn.max<string | null>("imported_at").as("at"))
        .where("project_id", "=", projectId)
        .executeTakeFirstOrThrow();
      return at;
    },

    async monitoringOfAgents(projectId, platformAgentIds) {
      const setups = new Map((await setupsOf(projectId, platformAgentIds)).map(({ id, setupId }) => [id, setupId]));
      const hints = await sealed.hints([...new Set(setups.values())]);
      const imports = new Map((await lastImports(projectId, platformAgentIds)).map(({ id, at }) => [id, at]));
      return new Map(
        platformAgentIds.map((id) => {
          const setupId = setups.get(id);
          const configured = setupId !== undefined;
          const keyHint = configured ? (hints.get(setupId) ?? null) : null;
          const lastReceivedAt = imports.get(id) ?? null;
          return [id, { keyPresent: keyHint !== null, keyHint, pull: configured, configured, lastReceivedAt }];
        }),
      );
    },
  };
}
