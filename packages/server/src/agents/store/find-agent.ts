import { CONNECTION_OPTIONS } from "@svc/contract";
import { sql } from "kysely";
import { notFound } from "../../base/errors.ts";
import type { Db } from "../../stores/relational.ts";
import type { AgentRow } from "../rules.ts";

/** Connection types of platform_a. An agent on platform_a has the modality of its connections of these types. */
const PLATFORM_A_TYPES = CONNECTION_OPTIONS.filter(({ agentPlatform }) => agentPlatform === "platform_a").map(
  ({ connectionType }) => connectionType,
);

export async function findAgent(db: Db, projectId: string, id: string): Promise<AgentRow> {
  return agentsOf(db, projectId).where("id", "=", id).executeTakeFirstOrThrow(notFound);
}

export async function unknownAgentIds(db: Db, projectId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("agents")
    .select("id")
    .where("project_id", "=", projectId)
    .where("id", "in", ids)
    .execute();
  const existing = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !existing.has(id));
}

/**
 * Selects the project's agents, each with the modality of its oldest live platform_a connection. Without a live connection, an archived one
 * decides.
 */
export const agentsOf = (db: Db, projectId: string) =>
  db
    .selectFrom("agents")
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom("connections")
        .select("modality")
        .whereRef("connections.agent_id", "=", "agents.id")
        .where("connection_type", "in", PLATFORM_A_TYPES)
        .orderBy(sql`connections.archived_at IS NOT NULL`)
        .orderBy("connections.id")
        .limit(1)
        .as("platform_a_modality"),
    )
    .where("project_id", "=", projectId);
