import { LIMITS } from "@svc/contract";
import type { FailedConversation } from "../../grading/graders/failed-conversation.ts";
import { queueWhole } from "../../grading/graders/review/store/queue.ts";
import { recordEvent } from "../../stores/events.ts";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import type { Failure } from "../failure-rules.ts";
import {
  type Arrival,
  type DecidedGroup,
  type GroupDecision,
  groupReason,
  groupsOf,
  type MemberRow,
  newestOf,
  startOf,
  presentGroupOfEvent,
  anchorOf,
  type Place,
  type WordingRow,
} from "../rules.ts";
import type { GroupRow } from "../../stores/schema.ts";
import { joiningWords, typicalWording, type Wording } from "../similar-rules.ts";
import { type DueRow, takeDue } from "./due.ts";
import { namesOf } from "./groups.ts";

/** What a process read of a conversation that is due; null when nothing failed in it, or it is gone. */
export type ReadFailures = { due: DueRow; read: { conversation: FailedConversation; failures: Failure[] } | null };

/** How much of a project's failures is grouped; only specs change it. */
export type GroupBounds = { groups: number; failures: number; wordings: number };

export const BOUNDS: GroupBounds = {
  groups: LIMITS.groups,
  failures: LIMITS.groupedFailures,
  wordings: LIMITS.wordingsCompared,
};

/** What changed in the failures of one thing: wordings that came or went, and new failures. */
type Change = { what: string | null; touched: Set<Wording>; arrived: Map<Wording, Arrival[]> };

const ROWS_AT_ONCE = 500;

/** Conversations that a group brings into the review queue. */
const REVIEWED_MAX = 3;

export type GroupingStore = ReturnType<typeof createGroupingStore>;

/** Writes the groups of all projects. Each change of a member and of its groups is one transaction of the project. */
export function createGroupingStore(db: Db, bounds: GroupBounds) {
  return {
    /**
     * Replaces what the conversations have in groups by what failed in them now, and returns their number. A conversation that changed
     * meanwhile stays due.
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
        await regroup(tx, projectId, changes, bounds);
        await trim(tx, projectId, bounds);
        return replaced;
      }),

    /** Removes the failures of these conversations, by their names or the ids of their traces. */
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
            await remove(tx, projectId, await membersOf(tx, projectId).where(column, "in", some).execute(), bounds);
          }
        });
      }
    },

    /** Removes failures that were decided before the time, of one project or of all. */
    async removeBefore(time: string, only: string | undefined): Promise<void> {
      const old = db
        .selectFrom("grouped_failures")
        .select("project_id")
        .distinct()
        .where("known_at", "<", time)
        .$if(only !== undefined, (rows) => rows.where("project_id", "=", only!));
      for (const { project_id } of await old.execute())
        await transaction(db, project_id, async (tx) =>
          remove(tx, project_id, await membersOf(tx, project_id).where("known_at", "<", time).execute(), bounds),
        );
    },
  };
}

const membersOf = (tx: Db, projectId: string) =>
  tx.selectFrom("grouped_failures").selectAll().where("project_id", "=", projectId);

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

async function remove(tx: Db, projectId: string, rows: readonly MemberRow[], bounds: GroupBounds): Promise<void> {
  if (rows.length === 0) return;
  const changes = new Map<string, Change>();
  for (const { what_key, wording } of rows) changeOf(changes, what_key).touched.add(wording);
  await deleteMembers(tx, rows);
  await regroup(tx, projectId, changes, bounds);
}

/** Removes the oldest failures and the groups that failed longest ago, so that the project has no more than its bounds. */
async function trim(tx: Db, projectId: string, bounds: GroupBounds): Promise<void> {
  const count = async (table: "grouped_failures" | "failure_groups") => {
    const all = tx.selectFrom(table).select(({ fn }) => fn.countAll<number>().as("count"));
    return Number((await all.where("project_id", "=", projectId).executeTakeFirstOrThrow()).count);
  };
  const failures = (await count("grouped_failures")) - bounds.failures;
  if (failures > 0) {
    const oldest = membersOf(tx, projectId).orderBy("started_at").orderBy("conversation").limit(failures);
    await remove(tx, projectId, await oldest.execute(), bounds);
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
    await remove(tx, projectId, await membersOf(tx, projectId).where("group_id", "=", id).execute(), bounds);
}

async function regroup(
  tx: Db,
  projectId: string,
  changes: ReadonlyMap<string, Change>,
  bounds: GroupBounds,
): Promise<void> {
  for (const [whatKey, change] of [...changes].sort(([one], [other]) => (one < other ? -1 : 1)))
    await regroupThing(tx, { projectId, whatKey }, change, bounds);
}

async function regroupThing(tx: Db, place: Place, change: Change, bounds: GroupBounds): Promise<void> {
  const rows = await readWordings(tx, place);
  await markCompared(tx, place, rows, bounds.wordings);
  const before = await tx
    .selectFrom("failure_groups")
    .selectAll()
    .where("project_id", "=", place.projectId)
    .where("what_key", "=", place.whatKey)
    .execute();
  const former = new Map(before.map((row) => [row.id, row]));
  const groups = groupsOf(rows, former, change.arrived);
  const what = change.what ?? before[0]?.what;
  for (const group of groups) await writeGroup(tx, place, group, former, change, what!);
  await dropFormer(tx, [...former.keys()], groups);
  for (const { id, happened } of groups) if (happened !== null) await tell(tx, id, happened);
}

async function readWordings(tx: Db, { projectId, whatKey }: Place): Promise<WordingRow[]> {
  const rows = await tx
    .selectFrom("grouped_failures")
    .select(["wording", "group_id", "is_compared"])
    .select(({ fn }) => [
      fn.countAll<number>().as("size"),
      fn.min<string>("anchor").as("oldest"),
      fn.max<string>("started_at").as("newest"),
    ])
    .where("project_id", "=", projectId)
    .where("what_key", "=", whatKey)
    .groupBy(["wording", "group_id", "is_compared"])
    .execute();
  return rows
    .map(({ wording, group_id, is_compared, size, oldest, newest }) => ({
      wording,
      groupId: group_id,
      isCompared: is_compared === 1,
      size: Number(size),
      oldest,
      newest,
    }))
    .sort((one, other) => (one.oldest < other.oldest ? -1 : 1));
}

/** Marks the rows whose wordings are compared: those that are, and new ones while there are fewer than `max`. */
async function markCompared(tx: Db, { projectId, whatKey }: Place, rows: WordingRow[], max: number): Promise<void> {
  const compared = new Set(rows.filter(({ isCompared }) => isCompared).map(({ wording }) => wording));
  for (const row of rows) {
    if (row.isCompared || (!compared.has(row.wording) && (row.groupId !== null || compared.size >= max))) continue;
    compared.add(row.wording);
    row.isCompared = true;
    await tx
      .updateTable("grouped_failures")
      .set({ is_compared: 1 })
      .where("project_id", "=", projectId)
      .where("what_key", "=", whatKey)
      .where("wording", "=", row.wording)
      .execute();
  }
}

async function writeGroup(
  tx: Db,
  place: Place,
  { id, formerIds, wordings, decision }: DecidedGroup,
  former: ReadonlyMap<string, GroupRow>,
  change: Change,
  what: string,
): Promise<void> {
  const own = former.get(id);
  const isSame = own !== undefined && formerIds.length === 1 && wordings.every(({ groupId }) => groupId === id);
  if (isSame && !wordings.some(({ wording }) => change.touched.has(wording)) && own.size === sizeOf(wordings)) return;
  const sizes = new Map<Wording, number>();
  for (const { wording, size } of wordings) sizes.set(wording, (sizes.get(wording) ?? 0) + size);
  const typical = typicalWording(sizes);
  const titleFrom = wordings
    .filter(({ wording }) => wording === typical)
    .map(({ oldest }) => oldest)
    .sort()[0]!;
  const title = await membersOf(tx, place.projectId)
    .where("what_key", "=", place.whatKey)
    .where("anchor", "=", titleFrom)
    .executeTakeFirstOrThrow();
  const row: GroupRow = {
    id,
    project_id: place.projectId,
    what_key: place.whatKey,
    what: own?.what ?? what,
    ...pick(decision),
    size: sizeOf(wordings),
    first_seen: startOf(wordings.map(({ oldest }) => oldest).sort()[0]!),
    last_seen: newestOf(wordings),
    title: title.quote,
    title_from: titleFrom,
    words: JSON.stringify(joiningWords(sizes)),
  };
  await tx.deleteFrom("group_aliases").where("id", "=", id).execute();
  await tx
    .insertInto("failure_groups")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
  for (const { wording, groupId } of wordings) {
    if (groupId === id) continue;
    await tx
      .updateTable("grouped_failures")
      .set({ group_id: id })
      .where("project_id", "=", place.projectId)
      .where("what_key", "=", place.whatKey)
      .where("wording", "=", wording)
      .execute();
  }
}

const sizeOf = (wordings: readonly WordingRow[]) => wordings.reduce((sum, { size }) => sum + size, 0);

const pick = ({ state, resolved_at, resolved_by, resolved_except, regressed_at }: GroupDecision): GroupDecision => ({
  state,
  resolved_at,
  resolved_by,
  resolved_except,
  regressed_at,
});

const pickArrival = ({ startedAt, agentVersion }: FailedConversation): Arrival => ({ startedAt, agentVersion });

/** Deletes groups that are no more. The ids of those that others took up lead to these. */
async function dropFormer(tx: Db, ids: readonly string[], groups: readonly DecidedGroup[]): Promise<void> {
  const now = new Set(groups.map(({ id }) => id));
  for (const old of ids) {
    if (now.has(old)) continue;
    const taker = groups.find(({ formerIds }) => formerIds.includes(old));
    if (taker !== undefined) {
      await tx.updateTable("group_aliases").set({ group_id: taker.id }).where("group_id", "=", old).execute();
      await tx.insertInto("group_aliases").values({ id: old, group_id: taker.id }).execute();
    }
    await tx.deleteFrom("failure_groups").where("id", "=", old).execute();
  }
}

async function tell(tx: Db, id: string, happened: "opened" | "regressed"): Promise<void> {
  const row = await tx.selectFrom("failure_groups").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const { agents, versions } = await namesOf(tx, [id]);
  const agentNames = agents.get(id) ?? [];
  await queueForReview(tx, row, happened);
  await recordEvent(tx, row.project_id, {
    type: happened === "opened" ? "group.opened" : "group.regressed",
    about: id,
    agentName: agentNames.length === 1 ? agentNames[0]! : null,
    data: { group: presentGroupOfEvent(row, agentNames, versions.get(id) ?? []) },
  });
}

/** Brings the newest conversations of a group into the review queue, when it has this source. */
async function queueForReview(tx: Db, group: GroupRow, happened: "opened" | "regressed"): Promise<void> {
  const members = await membersOf(tx, group.project_id)
    .where("group_id", "=", group.id)
    .orderBy("started_at", "desc")
    .orderBy("conversation")
    .limit(REVIEWED_MAX)
    .execute();
  for (const { conversation, source, trace_id, run_id, agent, started_at } of members)
    await queueWhole(
      tx,
      group.project_id,
      {
        source,
        name: conversation,
        names: trace_id === null ? [conversation] : [conversation, trace_id],
        traceId: trace_id,
        runId: run_id,
        startedAt: started_at,
        agent,
      },
      groupReason(group, happened),
    );
}
