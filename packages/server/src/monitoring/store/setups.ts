import { LIMITS } from "@svc/contract";
import { notFound } from "../../errors.ts";
import { newId } from "../../ids.ts";
import type { Db } from "../../stores/relational.ts";
import type { Schema } from "../../stores/schema.ts";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import { transaction } from "../../stores/transaction.ts";
import { type AgentPlatform, afterSuccess, type Health } from "../rules.ts";

export type SetupRow = Schema["monitoring_setups"];
export type AgentRow = Schema["monitored_agents"];
export type FailureRow = Schema["import_failures"];

/** A setup with what is shown of it. */
export type SetupWithAgents = { setup: SetupRow; hint: string | null; agents: AgentWithFailures[] };
export type AgentWithFailures = { agent: AgentRow; failures: FailureRow[]; openFailures: number };

export type OwningProject = { id: string; organizationId: string };
type ChosenAgent = { id: string; name: string };

export type SetupStore = ReturnType<typeof openSetupStore>;

export function openSetupStore(db: Db, sealed: SealedCredentials) {
  const setupOf = (tx: Db, projectId: string, platform: AgentPlatform) =>
    tx
      .selectFrom("monitoring_setups")
      .selectAll()
      .where("project_id", "=", projectId)
      .where("agent_platform", "=", platform)
      .executeTakeFirst();

  async function withAgents(setup: SetupRow): Promise<SetupWithAgents> {
    const credential = await db
      .selectFrom("sealed_credentials")
      .select("hint")
      .where("owner_id", "=", setup.id)
      .executeTakeFirst();
    const agents = await db
      .selectFrom("monitored_agents")
      .selectAll()
      .where("setup_id", "=", setup.id)
      .where("dropped", "=", 0)
      .orderBy("platform_agent_name")
      .orderBy("id")
      .execute();
    const counts = new Map((await openFailures(setup.id)).map((row) => [row.agent_id, row.count]));
    return {
      setup,
      hint: credential?.hint ?? null,
      agents: await Promise.all(
        agents.map(async (agent) => {
          const count = counts.get(agent.id) ?? 0;
          return { agent, openFailures: count, failures: count === 0 ? [] : await failuresShown(agent.id) };
        }),
      ),
    };
  }

  const openFailures = (setupId: string) =>
    db
      .selectFrom("import_failures")
      .select((eb) => ["agent_id", eb.fn.countAll<number>().as("count")])
      .where("setup_id", "=", setupId)
      .where("status", "=", "open")
      .groupBy("agent_id")
      .execute();

  const failuresShown = (agentId: string) =>
    db
      .selectFrom("import_failures")
      .selectAll()
      .where("agent_id", "=", agentId)
      .where("status", "=", "open")
      .orderBy("id")
      .limit(LIMITS.failuresShown)
      .execute();

  /** Makes the setup or counts up its revision. */
  async function put(tx: Db, projectId: string, platform: AgentPlatform): Promise<SetupRow> {
    const now = new Date();
    const before = await setupOf(tx, projectId, platform);
    if (!before) {
      const made: SetupRow = {
        id: newId("mns"),
        project_id: projectId,
        agent_platform: platform,
        revision: 1,
        ...healthColumns(NEVER_ASKED),
        created_at: now.toISOString(),
        updated_at: now.toISOString(),
      };
      await tx.insertInto("monitoring_setups").values(made).execute();
      return made;
    }
    return tx
      .updateTable("monitoring_setups")
      .set({
        revision: before.revision + 1,
        ...healthColumns(afterSuccess(healthOf(before), now.getTime())),
        updated_at: now.toISOString(),
      })
      .where("id", "=", before.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  return {
    async list(projectId: string): Promise<SetupWithAgents[]> {
      const setups = await db
        .selectFrom("monitoring_setups")
        .selectAll()
        .where("project_id", "=", projectId)
        .orderBy("agent_platform")
        .execute();
      return Promise.all(setups.map(withAgents));
    },

    /** Keeps the key and the choice; agents that stay go on where they are, dropped ones stop. */
    async savePlatformA(project: OwningProject, apiKey: string, chosen: ChosenAgent[]): Promise<SetupWithAgents> {
      const setup = await transaction(db, async (tx) => {
        const saved = await put(tx, project.id, "platform_a");
        await sealed.put(tx, { id: saved.id, organizationId: project.organizationId }, apiKey, apiKey);
        await choose(tx, saved.id, chosen);
        return saved;
      });
      return withAgents(setup);
    },

    /** Makes the record, or leaves the one there is. */
    async savePlatformB(projectId: string): Promise<SetupWithAgents> {
      const setup = await transaction(
        db,
        async (tx) =>
          (await setupOf(tx, projectId, "platform_b_agents")) ?? (await put(tx, projectId, "platform_b_agents")),
      );
      return withAgents(setup);
    },

    /** Removes the setup with its key, agents and failures; what is imported stays. */
    async remove(projectId: string, platform: AgentPlatform): Promise<string> {
      return transaction(db, async (tx) => {
        const setup = await setupOf(tx, projectId, platform);
        if (!setup) throw notFound();
        await sealed.remove(tx, setup.id);
        await tx.deleteFrom("monitoring_setups").where("id", "=", setup.id).execute();
        return setup.id;
      });
    },

    /** The platform's key; undefined when no key that the service holds opens it. */
    keyOf: (setupId: string): Promise<string | undefined> => sealed.open(setupId),

    /** Changes the health as learned under one save of the setup; a later save is left alone. */
    async changeHealth(setup: Pick<SetupRow, "id" | "revision">, decide: (health: Health) => Health): Promise<void> {
      await transaction(db, async (tx) => {
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
      });
    },
  };
}

async function choose(tx: Db, setupId: string, chosen: ChosenAgent[]): Promise<void> {
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

const newAgent = (setupId: string, { id, name }: ChosenAgent): AgentRow => ({
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

const NEVER_ASKED: Health = {
  state: "healthy",
  blockedUntilMs: null,
  consecutiveFailures: 0,
  lastErrorMs: null,
  lastRecoveredMs: null,
};

const millisecondsOf = (at: string | null) => (at === null ? null : Date.parse(at));
const timestampOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

function healthOf(row: SetupRow): Health {
  return {
    state: row.health_state,
    blockedUntilMs: millisecondsOf(row.blocked_until),
    consecutiveFailures: row.consecutive_failures,
    lastErrorMs: millisecondsOf(row.last_error_at),
    lastRecoveredMs: millisecondsOf(row.last_recovered_at),
  };
}

const healthColumns = (health: Health) => ({
  health_state: health.state,
  blocked_until: timestampOf(health.blockedUntilMs),
  consecutive_failures: health.consecutiveFailures,
  last_error_at: timestampOf(health.lastErrorMs),
  last_recovered_at: timestampOf(health.lastRecoveredMs),
});
