import { LIMITS } from "@svc/contract";
import { notFound } from "../../errors.ts";
import { newId } from "../../ids.ts";
import type { Db } from "../../stores/relational.ts";
import type { Schema } from "../../stores/schema.ts";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import { transaction } from "../../stores/transaction.ts";
import type { MonitoredPlatform } from "../refusal-rules.ts";
import { healthAfterSuccess, type SetupHealth } from "../rules.ts";

export type SetupRow = Schema["monitoring_setups"];
export type MonitoredAgentRow = Schema["monitored_agents"];
export type FailureRow = Schema["import_failures"];

/** A setup with the hint of its key and its agents. */
export type SetupWithAgents = { setup: SetupRow; hint: string | null; agents: AgentWithFailures[] };
/** An agent with the number of its open failures and the first of them. */
export type AgentWithFailures = { agent: MonitoredAgentRow; failures: FailureRow[]; openFailures: number };

export type OwningProject = { id: string; organizationId: string };
type ChosenAgent = { id: string; name: string };

/** The monitoring setups of projects, with their keys, agents and health. */
export type SetupStore = {
  list: (projectId: string) => Promise<SetupWithAgents[]>;
  /**
   * Creates the setup or replaces its key and agents. Agents that stay keep their progress; agents that are not chosen
   * again stop.
   */
  savePlatformA: (project: OwningProject, apiKey: string, chosen: ChosenAgent[]) => Promise<SetupWithAgents>;
  /** Returns the setup; creates a missing one. */
  savePlatformB: (projectId: string) => Promise<SetupWithAgents>;
  /** Deletes the setup with its key, agents and failures and returns its id; imported conversations stay. */
  delete: (projectId: string, platform: MonitoredPlatform) => Promise<string>;
  /** Returns the setup's key; undefined when the service holds no key that unseals it. */
  openKey: (setupId: string) => Promise<string | undefined>;
  /** Changes the setup's health, unless the setup was saved again or deleted since this revision. */
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
    const counts = new Map((await countOpenFailures(setup.id)).map((row) => [row.agent_id, row.count]));
    return {
      setup,
      hint: hints.get(setup.id) ?? null,
      agents: await Promise.all(
        agents.map(async (agent) => {
          const count = counts.get(agent.id) ?? 0;
          return { agent, openFailures: count, failures: count === 0 ? [] : await listOpenFailures(agent.id) };
        }),
      ),
    };
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

  /** Creates the setup, or raises its revision. */
  async function save(tx: Db, projectId: string, platform: MonitoredPlatform): Promise<SetupRow> {
    const now = new Date();
    const before = await setupOf(tx, projectId, platform);
    if (!before) {
      const created: SetupRow = {
        id: newId("mns"),
        project_id: projectId,
        agent_platform: platform,
        revision: 1,
        ...healthColumns(HEALTHY),
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

    async savePlatformA(project, apiKey, chosen) {
      const setup = await transaction(db, async (tx) => {
        const saved = await save(tx, project.id, "platform_a");
        await sealed.put(tx, { id: saved.id, organizationId: project.organizationId }, apiKey, apiKey);
        await saveAgents(tx, saved.id, chosen);
        return saved;
      });
      return withAgents(setup);
    },

    async savePlatformB(projectId) {
      const setup = await transaction(
        db,
        async (tx) =>
          (await setupOf(tx, projectId, "platform_b_agents")) ?? (await save(tx, projectId, "platform_b_agents")),
      );
      return withAgents(setup);
    },

    delete: (projectId, platform) =>
      transaction(db, async (tx) => {
        const setup = await setupOf(tx, projectId, platform);
        if (!setup) throw notFound();
        await sealed.remove(tx, setup.id);
        await tx.deleteFrom("monitoring_setups").where("id", "=", setup.id).execute();
        return setup.id;
      }),

    openKey: sealed.open,

    updateHealth: (setup, decide) =>
      transaction(db, async (tx) => {
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
        await tx.updateTable("monitoring_setups").set(healthColumns(after)).where("id", "=", setup.id).execute();
      }),
  };
}

async function saveAgents(tx: Db, setupId: string, chosen: ChosenAgent[]): Promise<void> {
  const ids = chosen.map(({ id }) => id);
  await tx
    .updateTable("monitored_agents")
    .set((eb) => ({ dropped: 1, lease: eb("lease", "+", 1), leased_until_ms: 0 }))
    .where("setup_id", "=", setupId)
    .where("dropped", "=", 0)
    .where("platform_agent_id", "not in", ids)
    .execute();
  await tx
    .insertInto("monitored_agents")
    .values(chosen.map((agent) => newAgent(setupId, agent)))
    .onConflict((conflict) =>
      conflict.columns(["setup_id", "platform_agent_id"]).doUpdateSet((eb) => ({
        platform_agent_name: eb.ref("excluded.platform_agent_name"),
        dropped: 0,
        next_turn_ms: 0,
      })),
    )
    .execute();
}

const newAgent = (setupId: string, { id, name }: ChosenAgent): MonitoredAgentRow => ({
  id: newId("mag"),
  setup_id: setupId,
  platform_agent_id: id,
  platform_agent_name: name,
  dropped: 0,
  scan_kind: null,
  scan_from_ms: null,
  scan_to_ms: null,
  scan_ended_from_ms: null,
  scan_reached_ms: null,
  scan_page_key: null,
  scan_pages: 0,
  scan_imported: 0,
  scan_done: 1,
  polled_to_ms: null,
  late_to_ms: null,
  reconciled_to_ms: null,
  next_turn_ms: 0,
  lease: 0,
  leased_until_ms: 0,
  last_success_at: null,
  last_conversation_at: null,
});

const HEALTHY: SetupHealth = {
  state: "healthy",
  blockedUntilMs: null,
  consecutiveFailures: 0,
  lastErrorMs: null,
  lastRecoveredMs: null,
};

const millisecondsOf = (at: string | null) => (at === null ? null : Date.parse(at));
const timestampOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

function healthOf(row: SetupRow): SetupHealth {
  return {
    state: row.health_state,
    blockedUntilMs: millisecondsOf(row.blocked_until),
    consecutiveFailures: row.consecutive_failures,
    lastErrorMs: millisecondsOf(row.last_error_at),
    lastRecoveredMs: millisecondsOf(row.last_recovered_at),
  };
}

const healthColumns = (health: SetupHealth) => ({
  health_state: health.state,
  blocked_until: timestampOf(health.blockedUntilMs),
  consecutive_failures: health.consecutiveFailures,
  last_error_at: timestampOf(health.lastErrorMs),
  last_recovered_at: timestampOf(health.lastRecoveredMs),
});
