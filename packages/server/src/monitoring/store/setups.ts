import { LIMITS } from "@svc/contract";
import { notFound } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { Db } from "../../stores/relational.ts";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import { transaction } from "../../stores/transaction.ts";
import type { MonitoredPlatform } from "../refusal-rules.ts";
import { healthAfterSuccess, type SetupHealth } from "../rules.ts";
import { HEALTHY, healthColumns, healthOf } from "./health-columns.ts";
import { type ChosenAgent, saveAgents } from "./save-agents.ts";
import type { FailureRow, MonitoredAgentRow, SetupRow } from "./rows.ts";

export type SetupWithAgents = { setup: SetupRow; hint: string | null; agents: AgentWithFailures[] };
export type AgentWithFailures = {
  agent: MonitoredAgentRow;
  imported: number;
  failures: FailureRow[];
  openFailures: number;
};

/** When `fetchRecordings` is undefined, the setting stays unchanged. */
type SetupContent = { apiKey: string; agents: ChosenAgent[]; fetchRecordings: boolean | undefined };

export type OwningProject = { id: string; organizationId: string };

export type SetupStore = {
  list: (projectId: string) => Promise<SetupWithAgents[]>;
  /**
   * Saves the setup of platform_a. Agents that are chosen again keep their progress. The calls of agents that are not chosen again are no
   * longer imported.
   */
  savePlatformA: (project: OwningProject, content: SetupContent) => Promise<SetupWithAgents>;
  savePlatformB: (projectId: string) => Promise<SetupWithAgents>;
  /** Deletes the setup with its key, agents and failures, and returns the setup's id. Imported conversations stay. */
  delete: (projectId: string, platform: MonitoredPlatform) => Promise<string>;
  countByHealth: () => Promise<{ state: SetupHealth["state"]; count: number }[]>;
  /** Returns the API key of a setup; undefined when the service cannot decrypt it. */
  openKey: (setupId: string) => Promise<string | undefined>;
  /** Changes the setup's health, unless the setup was saved or deleted after it was read. */
  updateHealth: (
    setup: Pick<SetupRow, "id" | "revision">,
    decide: (health: SetupHealth) => SetupHealth,
  ) => Promise<void>;
};

export function createSetupStore(db: Db, sealed: SealedCredentials): SetupStore {
  const setupOf = (tx: Db, projectId: string, platform: MonitoredPlatform) =>
    tx
      .selectFrom("monitoring_setups")
      .selectAll()
      .where("project_id", "=", projectId)
      .where("agent_platform", "=", platform)
      .executeTakeFirst();

  async function withAgents(setup: SetupRow): Promise<SetupWithAgents> {
    const hints = await sealed.hints([setup.id]);
    const agents = await db
      .selectFrom("monitored_agents")
      .selectAll()
      .where("setup_id", "=", setup.id)
      .where("dropped", "=", 0)
      .orderBy("platform_agent_name")
      .orderBy("id")
      .execute();
    const imported = await countImported(setup.project_id, agents);
    const counts = new Map((await countOpenFailures(setup.id)).map((row) => [row.agent_id, row.count]));
    return {
      setup,
      hint: hints.get(setup.id) ?? null,
      agents: await Promise.all(
        agents.map(async (agent) => {
          const count = counts.get(agent.id) ?? 0;
          return {
            agent,
            imported: imported.get(agent.platform_agent_id) ?? 0,
            openFailures: count,
            failures: count === 0 ? [] : await listOpenFailures(agent.id),
          };
        }),
      ),
    };
  }

  async function countImported(projectId: string, agents: readonly MonitoredAgentRow[]): Promise<Map<string, number>> {
    if (agents.length === 0) return new Map();
    const ids = agents.map(({ platform_agent_id }) => platform_agent_id);
    const rows = await db
      .selectFrom("imported_calls")
      .select((eb) => ["platform_agent_id", eb.fn.countAll<number>().as("count")])
      .where("project_id", "=", projectId)
      .where("platform_agent_id", "in", ids)
      .groupBy("platform_agent_id")
      .execute();
    return new Map(rows.map(({ platform_agent_id, count }) => [platform_agent_id, count]));
  }

  const countOpenFailures = (setupId: string) =>
    db
      .selectFrom("import_failures")
      .select((eb) => ["agent_id", eb.fn.countAll<number>().as("count")])
      .where("setup_id", "=", setupId)
      .where("status", "=", "open")
      .groupBy("agent_id")
      .execute();

  const listOpenFailures = (agentId: string) =>
    db
      .selectFrom("import_failures")
      .selectAll()
      .where("agent_id", "=", agentId)
      .where("status", "=", "open")
      .orderBy("id")
      .limit(LIMITS.failuresShown)
      .execute();

  async function save(
    tx: Db,
    projectId: string,
    platform: MonitoredPlatform,
    fetchRecordings?: boolean,
  ): Promise<SetupRow> {
    const now = new Date();
    const before = await setupOf(tx, projectId, platform);
    if (!before) {
      const created: SetupRow = {
        id: newId("mns"),
        project_id: projectId,
        agent_platform: platform,
        revision: 1,
        ...healthColumns(HEALTHY),
        fetches_recordings: fetchRecordings ? 1 : 0,
        created_at: now.toISOString(),
        updated_at: now.toISOString(),
      };
      await tx.insertInto("monitoring_setups").values(created).execute();
      return created;
    }
    return tx
      .updateTable("monitoring_setups")
      .set({
        revision: before.revision + 1,
        ...healthColumns(healthAfterSuccess(healthOf(before), now.getTime())),
        fetches_recordings: (fetchRecordings ?? before.fetches_recordings === 1) ? 1 : 0,
        updated_at: now.toISOString(),
      })
      .where("id", "=", before.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  return {
    async list(projectId) {
      const setups = await db
        .selectFrom("monitoring_setups")
        .selectAll()
        .where("project_id", "=", projectId)
        .orderBy("agent_platform")
        .execute();
      return Promise.all(setups.map(withAgents));
    },

    async savePlatformA(project, { apiKey, agents, fetchRecordings }) {
      const setup = await transaction(db, project.id, async (tx) => {
        const saved = await save(tx, project.id, "platform_a", fetchRecordings);
        await sealed.put(tx, { id: saved.id, organizationId: project.organizationId }, apiKey, apiKey);
        await saveAgents(tx, saved.id, agents);
        return saved;
      });
      return withAgents(setup);
    },

    async savePlatformB(projectId) {
      const setup = await transaction(
        db,
        projectId,
        async (tx) =>
          (await setupOf(tx, projectId, "platform_b_agents")) ?? (await save(tx, projectId, "platform_b_agents")),
      );
      return withAgents(setup);
    },

    delete: (projectId, platform) =>
      transaction(db, projectId, async (tx) => {
        const setup = await setupOf(tx, projectId, platform);
        if (!setup) throw notFound();
        await sealed.remove(tx, setup.id);
        await tx.deleteFrom("monitoring_setups").where("id", "=", setup.id).execute();
        return setup.id;
      }),

    async countByHealth() {
      const rows = await db
        .selectFrom("monitoring_setups")
        .select((eb) => ["health_state as state", eb.fn.countAll<number>().as("count")])
        .where("agent_platform", "=", "platform_a")
        .groupBy("health_state")
        .execute();
      return rows.map(({ state, count }) => ({ state, count: Number(count) }));
    },

    openKey: sealed.open,

    updateHealth: (setup, decide) =>
      transaction(db, setup.id, async (tx) => {
        const current = await tx
          .selectFrom("monitoring_setups")
          .selectAll()
          .where("id", "=", setup.id)
          .where("revision", "=", setup.revision)
          .executeTakeFirst();
        if (!current) return;
        const before = healthOf(current);
        const after = decide(before);
        if (after === before) return;
        await tx
          .updateTable("monitoring_setups")
          .set(healthColumns(after))
          .where("id", "=", setup.id)
          .where("revision", "=", setup.revision)
          .execute();
      }),
  };
}
