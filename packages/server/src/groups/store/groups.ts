import { type GroupState, LIMITS } from "@svc/contract";
import { sql } from "kysely";
import type { FindProjects } from "../../access/projects.ts";
import { notFound } from "../../base/errors.ts";
import { projectOfRow } from "../../stores/project-of-row.ts";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import type { GroupRow } from "../../stores/schema.ts";
import { decideState, type GroupFacts, type ListCursor, type MemberRow, trendDays } from "../rules.ts";

type GroupFilter = {
  state?: GroupState | undefined;
  agent?: string | undefined;
  source?: "production" | "simulation" | undefined;
};

export type ShownGroup = GroupRow & { resolved_by_name: string | null };

export type GroupStore = ReturnType<typeof createGroupStore>;

export function createGroupStore(db: Db) {
  const shown = (projectId: string) =>
    db
      .selectFrom("failure_groups")
      .leftJoin("users", "users.id", "resolved_by")
      .selectAll("failure_groups")
      .select("users.name as resolved_by_name")
      .where("project_id", "=", projectId);

  /** Returns the id of the group that has this id, or into which the group with this id was merged. */
  async function idOf(id: string): Promise<string> {
    const alias = await db.selectFrom("group_aliases").select("group_id").where("id", "=", id).executeTakeFirst();
    return alias?.group_id ?? id;
  }

  const findProjects: FindProjects = async (id) => projectOfRow(db, "failure_groups", await idOf(id));

  const get = async (projectId: string, id: string): Promise<ShownGroup> =>
    shown(projectId)
      .where("failure_groups.id", "=", await idOf(id))
      .executeTakeFirstOrThrow(notFound);

  return {
    findProjects,

    /** Returns a group. The id may also be that of a group that was merged into this group. Throws `not_found` for any other id. */
    get,

    async list(
      projectId: string,
      { state, agent, source }: GroupFilter,
      by: "last_seen" | "size",
      limit: number,
      after: ListCursor | undefined,
    ): Promise<ShownGroup[]> {
      let rows = shown(projectId);
      if (state !== undefined) rows = rows.where("state", "=", state);
      if (agent !== undefined || source !== undefined)
        rows = rows.where(({ exists, selectFrom }) => {
          let members = selectFrom("grouped_failures")
            .select("conversation")
            .whereRef("group_id", "=", "failure_groups.id");
          if (agent !== undefined) members = members.where("agent", "=", agent);
          if (source !== undefined) members = members.where("source", "=", source);
          return exists(members);
        });
      if (after !== undefined) {
        const value = by === "size" ? Number(after.value) : after.value;
        rows = rows.where(sql<boolean>`(${sql.ref(by)}, failure_groups.id) < (${value}, ${after.id})`);
      }
      return rows.orderBy(by, "desc").orderBy("failure_groups.id", "desc").limit(limit).execute();
    },

    async factsOf(ids: readonly string[], nowMs: number): Promise<GroupFacts> {
      if (ids.length === 0) return { agents: new Map(), versions: new Map(), failuresOn: new Map() };
      const day = sql<string>`substr(started_at, 1, 10)`;
      const counts = await db
        .selectFrom("grouped_failures")
        .select(["group_id", day.as("day")])
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("group_id", "in", ids)
        .where("started_at", ">=", trendDays(nowMs)[0]!)
        .groupBy(["group_id", day])
        .execute();
      const failuresOn = new Map(
        [...Map.groupBy(counts, ({ group_id }) => group_id!)].map(([id, rows]) => [
          id,
          new Map(rows.map((row) => [row.day, Number(row.count)])),
        ]),
      );
      return { ...(await namesOf(db, ids)), failuresOn };
    },

    /** Returns the words of a group's title, and the trace of their conversation; null when the group is gone or has no title. */
    async readTitle(projectId: string, id: string) {
      const row = await db
        .selectFrom("failure_groups")
        .innerJoin("grouped_failures", (join) =>
          join.onRef("group_id", "=", "failure_groups.id").onRef("anchor", "=", "title_from"),
        )
        .select(["quote", "trace_id"])
        .where("failure_groups.project_id", "=", projectId)
        .where("failure_groups.id", "=", await idOf(id))
        .executeTakeFirst();
      if (row === undefined || row.quote === null) return null;
      return { words: row.quote, quote: null, traceId: row.trace_id };
    },

    /** Newest first. */
    listMembers(groupId: string, limit: number, after: ListCursor | undefined): Promise<MemberRow[]> {
      let rows = db.selectFrom("grouped_failures").selectAll().where("group_id", "=", groupId);
      if (after !== undefined)
        rows = rows.where(sql<boolean>`(started_at, conversation) < (${after.value}, ${after.id})`);
      return rows.orderBy("started_at", "desc").orderBy("conversation", "desc").limit(limit).execute();
    },

    setState: (
      projectId: string,
      id: string,
      decision: Parameters<typeof decideState>[1],
      userId: string,
    ): Promise<void> =>
      transaction(db, projectId, async (tx) => {
        const row = await tx
          .selectFrom("failure_groups")
          .selectAll()
          .where("project_id", "=", projectId)
          .where("id", "=", id)
          .executeTakeFirstOrThrow(notFound);
        const next = decideState(row, decision, new Date().toISOString(), userId);
        const { state, resolved_at, resolved_by, resolved_except, regressed_at } = next;
        await tx
          .updateTable("failure_groups")
          .set({ state, resolved_at, resolved_by, resolved_except, regressed_at })
          .where("id", "=", id)
          .execute();
      }),
  };
}

/**
 * Returns the agents and the agent versions of groups. Agents are in alphabetical order; the version that failed last is first. Each list
 * has at most `LIMITS.agentsOfFilter` entries.
 */
export async function namesOf(db: Db, ids: readonly string[]): Promise<Pick<GroupFacts, "agents" | "versions">> {
  const rows = await db
    .selectFrom("grouped_failures")
    .select(["group_id", "agent", "agent_version"])
    .select(({ fn }) => fn.max<string>("started_at").as("last"))
    .where("group_id", "in", ids)
    .groupBy(["group_id", "agent", "agent_version"])
    .execute();
  const distinct = <Name>(own: typeof rows, nameOf: (row: (typeof rows)[number]) => Name) =>
    [...new Set(own.map(nameOf))].slice(0, LIMITS.agentsOfFilter);
  const groups = [...Map.groupBy(rows, ({ group_id }) => group_id!)];
  const byName = groups.map(([id, own]) => {
    const sorted = own.toSorted((one, other) => ((one.agent ?? "") < (other.agent ?? "") ? -1 : 1));
    return [id, distinct(sorted, ({ agent }) => agent)] as const;
  });
  const byLast = groups.map(([id, own]) => {
    const known = own.filter(({ agent_version }) => agent_version !== null);
    const sorted = known.toSorted((one, other) => (one.last > other.last ? -1 : 1));
    return [id, distinct(sorted, ({ agent_version }) => agent_version!)] as const;
  });
  return { agents: new Map(byName), versions: new Map(byLast) };
}
