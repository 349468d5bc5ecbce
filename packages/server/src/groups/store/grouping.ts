import type { FailedConversation } from "../../grading/graders/failed-conversation.ts";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import type { Failure } from "../failure-rules.ts";
import { type Arrival, type MemberRow, anchorOf } from "../rules.ts";
import { type DueRow, takeDue } from "./due.ts";
import { type Change, type Grouping, membersOf, regroup } from "./regroup.ts";

/**
 * The failures that were read from a conversation. `read` is null when nothing failed in the conversation, or when the conversation does
 * not exist any more.
 */
export type ReadFailures = { due: DueRow; read: { conversation: FailedConversation; failures: Failure[] } | null };

const ROWS_AT_ONCE = 500;

export type GroupingStore = ReturnType<typeof createGroupingStore>;

/** Creates the store. It changes failures and their groups in one transaction of the project. */
export function createGroupingStore(db: Db, grouping: Grouping) {
  return {
    /**
     * Replaces the stored failures of these conversations by the failures in `read`. Returns the number of conversations whose failures
     * were replaced. A conversation that changed after it was read stays due.
     */
    replace: (projectId: string, read: readonly ReadFailures[]): Promise<number> =>
      transaction(db, projectId, async (tx) => {
        let replaced = 0;
        const changes = new Map<string, Change>();
        for (const { due, read: found } of read) {
          const isGrouped = found === null || (await found.conversation.isUnchanged(tx));
          if (!(await takeDue(tx, due, isGrouped))) continue;
          await replaceMembers(tx, due, found, changes);
          replaced++;
        }
        await regroup(tx, projectId, changes, grouping);
        await trim(tx, projectId, grouping);
        return replaced;
      }),

    /** Removes the failures of conversations. `names` are names of conversations or ids of their traces. */
    async removeConversations(projectId: string, names: readonly string[]): Promise<void> {
      for (let from = 0; from < names.length; from += ROWS_AT_ONCE) {
        const some = names.slice(from, from + ROWS_AT_ONCE);
        await transaction(db, projectId, async (tx) => {
          for (const column of ["conversation", "trace_id"] as const) {
            await tx
              .deleteFrom("ungrouped_failures")
              .where("project_id", "=", projectId)
              .where(column, "in", some)
              .execute();
            await remove(tx, projectId, await membersOf(tx, projectId).where(column, "in", some).execute(), grouping);
          }
        });
      }
    },

    /** Removes the failures of conversations before a time. `only` is the id of a project; undefined means all projects. */
    async removeBefore(time: string, only: string | undefined): Promise<void> {
      const old = db
        .selectFrom("grouped_failures")
        .select("project_id")
        .distinct()
        .where("known_at", "<", time)
        .$if(only !== undefined, (rows) => rows.where("project_id", "=", only!));
      for (const { project_id } of await old.execute())
        await transaction(db, project_id, async (tx) =>
          remove(tx, project_id, await membersOf(tx, project_id).where("known_at", "<", time).execute(), grouping),
        );
    },
  };
}

function changeOf(changes: Map<string, Change>, whatKey: string): Change {
  const change = changes.get(whatKey) ?? { what: null, touched: new Set(), arrived: new Map() };
  changes.set(whatKey, change);
  return change;
}

async function replaceMembers(
  tx: Db,
  { project_id, conversation: dueName }: DueRow,
  read: ReadFailures["read"],
  changes: Map<string, Change>,
): Promise<void> {
  const names = [...new Set([dueName, ...(read?.conversation.names ?? [])])];
  const before = await membersOf(tx, project_id).where("conversation", "in", names).execute();
  await deleteMembers(tx, before);
  const wasIn = new Map(before.map((member) => [`${member.what_key} ${member.wording}`, member]));
  for (const { what_key, wording } of before) changeOf(changes, what_key).touched.add(wording);
  if (read === null) return;
  const { conversation, failures } = read;
  for (const { whatKey, what, turn, quote, wording } of failures) {
    const same = wasIn.get(`${whatKey} ${wording}`);
    const change = changeOf(changes, whatKey);
    change.what = JSON.stringify(what);
    change.touched.add(wording);
    if (same === undefined)
      change.arrived.set(wording, [...(change.arrived.get(wording) ?? []), pickArrival(conversation)]);
    const member: MemberRow = {
      project_id,
      conversation: conversation.name,
      what_key: whatKey,
      group_id: same?.group_id ?? null,
      wording,
      is_compared: same?.is_compared ?? 0,
      quote,
      turn,
      source: conversation.source,
      trace_id: conversation.traceId,
      run_id: conversation.runId,
      agent: conversation.agentName,
      agent_version: conversation.agentVersion,
      started_at: conversation.startedAt,
      anchor: anchorOf({ projectId: project_id, whatKey }, conversation.startedAt, conversation.name),
      known_at: conversation.decidedAt,
    };
    await tx.insertInto("grouped_failures").values(member).execute();
  }
}

async function deleteMembers(tx: Db, rows: readonly MemberRow[]): Promise<void> {
  for (const { project_id, conversation, what_key } of rows)
    await tx
      .deleteFrom("grouped_failures")
      .where("project_id", "=", project_id)
      .where("conversation", "=", conversation)
      .where("what_key", "=", what_key)
      .execute();
}

async function remove(tx: Db, projectId: string, rows: readonly MemberRow[], grouping: Grouping): Promise<void> {
  if (rows.length === 0) return;
  const changes = new Map<string, Change>();
  for (const { what_key, wording } of rows) changeOf(changes, what_key).touched.add(wording);
  await deleteMembers(tx, rows);
  await regroup(tx, projectId, changes, grouping);
}

/** Removes the oldest failures, and the groups with the oldest last failure, until the project is within its bounds. */
async function trim(tx: Db, projectId: string, grouping: Grouping): Promise<void> {
  const { bounds } = grouping;
  const count = async (table: "grouped_failures" | "failure_groups") => {
    const all = tx.selectFrom(table).select(({ fn }) => fn.countAll<number>().as("count"));
    return Number((await all.where("project_id", "=", projectId).executeTakeFirstOrThrow()).count);
  };
  const failures = (await count("grouped_failures")) - bounds.failures;
  if (failures > 0) {
    const oldest = membersOf(tx, projectId).orderBy("started_at").orderBy("conversation").limit(failures);
    await remove(tx, projectId, await oldest.execute(), grouping);
  }
  const groups = (await count("failure_groups")) - bounds.groups;
  if (groups <= 0) return;
  const oldest = await tx
    .selectFrom("failure_groups")
    .select("id")
    .where("project_id", "=", projectId)
    .orderBy("last_seen")
    .orderBy("id")
    .limit(groups)
    .execute();
  for (const { id } of oldest)
    await remove(tx, projectId, await membersOf(tx, projectId).where("group_id", "=", id).execute(), grouping);
}

const pickArrival = ({ startedAt, agentVersion }: FailedConversation): Arrival => ({ startedAt, agentVersion });
