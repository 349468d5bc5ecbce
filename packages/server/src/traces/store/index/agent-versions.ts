import { type RawBuilder, sql } from "kysely";
import { LIMITS } from "@svc/contract/constants";
import type { Db } from "../../../stores/relational.ts";
import type { AgentVersionRow, VersionAttribute, VersionConversation, VersionRequest } from "../trace-store.ts";
import { indexDialectOf, listOf } from "./dialect.ts";
import { HAS_ERRORS } from "./quarter-counts.ts";
import { inTransaction } from "./transaction.ts";

const VERSIONS_LOOKED_MAX = 5_000;

/** Replaces the attributes of all projects. */
export const setVersionAttributes = (db: Db, attributes: readonly VersionAttribute[]): Promise<void> =>
  inTransaction(db, async (tx) => {
    const columns = { project: "integer", attribute: "text" } as const;
    await sql`DELETE FROM version_attributes`.execute(tx);
    if (attributes.length === 0) return;
    await sql`
      INSERT INTO version_attributes (project, attribute)
      SELECT project, attribute FROM ${indexDialectOf(tx).table("a", columns, attributes)}`.execute(tx);
  });

/**
 * The database index has the conversations of a version side by side, so the query needs only a few steps for each
 * version, however many conversations the version has.
 */
export async function listAgentVersions(
  db: Db,
  project: number,
  agents: readonly string[] | undefined,
): Promise<AgentVersionRow[]> {
  const ofProject = sql`project = ${project} AND source = 'production' AND agent_version IS NOT NULL AND traces > 0`;
  const { table, inBytes } = indexDialectOf(db);
  const names =
    agents &&
    table(
      "named",
      { agent: "text" },
      agents.map((agent) => ({ agent })),
    );
  const nextAgent = (beyond: RawBuilder<unknown>) =>
    names === undefined
      ? sql`(SELECT min(agent) FROM conversations WHERE ${ofProject} AND agent ${beyond})`
      : sql`(SELECT min(agent) FROM ${names} WHERE agent ${beyond})`;
  const ofVersion = sql`${ofProject} AND agent = seen.agent AND agent_version`;
  const [none, noVersion] = [inBytes(""), sql`seen.version IS NULL`];
  // Each step finds the agent's next version. After the last version, it finds the next agent, starting with an empty version.
  const { rows } = await sql<Record<"agent" | "version" | "first" | "last", string>>`
    WITH RECURSIVE seen (agent, version, step) AS (
      SELECT ${nextAgent(sql`IS NOT NULL`)}, ${none}, 0
      UNION ALL
      SELECT CASE WHEN ${noVersion} THEN ${nextAgent(sql`> seen.agent`)} ELSE seen.agent END,
        CASE WHEN ${noVersion} THEN ${none}
          ELSE (SELECT min(agent_version) FROM conversations WHERE ${ofVersion} > seen.version) END,
        step + 1
      FROM seen WHERE seen.agent IS NOT NULL AND step < ${VERSIONS_LOOKED_MAX})
    SELECT agent, version, CAST(first_ns AS TEXT) AS first, CAST(last_ns AS TEXT) AS last FROM (
      SELECT agent, version,
        (SELECT min(started_ns) FROM conversations WHERE ${ofVersion} = seen.version) AS first_ns,
        (SELECT max(started_ns) FROM conversations WHERE ${ofVersion} = seen.version) AS last_ns
      FROM seen WHERE agent IS NOT NULL AND version <> '') AS versions
    ORDER BY first_ns DESC, agent, version LIMIT ${LIMITS.agentVersionsShown + 1}`.execute(db);
  return rows.map(({ agent, version, first, last }) => ({
    agent,
    version,
    firstMs: Number(BigInt(first) / 1_000_000n),
    lastMs: Number(BigInt(last) / 1_000_000n),
  }));
}

/**
 * Returns the number of production conversations of the version that started in the period. Also returns the newest of these
 * conversations whose turns and measures are already derived.
 */
export async function findVersionConversations(
  db: Db,
  { project, agent, version, fromMs, toMs }: VersionRequest,
): Promise<{ total: number; conversations: (VersionConversation & { key: string; reading: number })[] }> {
  const ofVersion = sql`project = ${project} AND source = 'production' AND agent = ${agent} AND agent_version = ${version}
    AND traces > 0 AND started_ns >= CAST(${String(fromMs)} AS BIGINT) * 1000000
    AND started_ns < CAST(${String(Math.ceil(toMs))} AS BIGINT) * 1000000`;
  const { rows: counted } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM conversations WHERE ${ofVersion}`.execute(db);
  const { rows } = await sql<{
    key: string;
    reading: number;
    trace_ids: string[] | string;
    conversation: string | null;
    failed: boolean | 0 | 1;
  }>`
    SELECT key, reading, trace_ids, conversation, ${sql.raw(HAS_ERRORS)} AS failed
    FROM conversations WHERE ${ofVersion} AND reading IS NOT NULL
    ORDER BY started_ns DESC LIMIT ${LIMITS.comparedConversations}`.execute(db);
  return {
    total: counted[0]!.total,
    conversations: rows.map(({ key, reading, trace_ids, conversation, failed }) => {
      const traceIds = listOf(trace_ids)!;
      return {
        key,
        reading,
        names: conversation === null ? traceIds : [conversation, ...traceIds],
        hasErrors: Boolean(failed),
      };
    }),
  };
}
