import { LIMITS } from "@svc/contract";
import { queueWhole } from "../../grading/graders/review/store/queue.ts";
import { recordEvent } from "../../stores/events.ts";
import type { Db } from "../../stores/relational.ts";
import type { GroupRow } from "../../stores/schema.ts";
import {
  type Arrival,
  type DecidedGroup,
  type GroupDecision,
  groupReason,
  groupsOf,
  newestOf,
  sizeOf,
  startOf,
  presentGroupOfEvent,
  type Place,
  type WordingRow,
} from "../rules.ts";
import { joiningWords, typicalWording, type Wording } from "../similar-rules.ts";
import { namesOf } from "./groups.ts";
import { compareMeanings } from "./vectors.ts";
import type { Meaning } from "../meaning.ts";

/** Only specs change these bounds. */
export type GroupBounds = { groups: number; failures: number; wordings: number };

/** `meaning` is undefined when the settings name no embedding model: wordings are compared by their words alone. */
export type Grouping = { bounds: GroupBounds; meaning?: Meaning | undefined };

export const BOUNDS: GroupBounds = {
  groups: LIMITS.groups,
  failures: LIMITS.groupedFailures,
  wordings: LIMITS.wordingsCompared,
};

/**
 * Changes in the failures of one thing: the wordings of added and removed failures (`touched`), and the new failures by wording
 * (`arrived`). `revealed` are wordings of earlier failures whose meaning became known; their failures are in `arrived` too.
 */
export type Change = {
  what: string | null;
  touched: Set<Wording>;
  arrived: Map<Wording, Arrival[]>;
  revealed?: ReadonlySet<Wording>;
};

/** Largest number of conversations that a group adds to the review queue at once. */
const REVIEWED_MAX = 3;

export const membersOf = (tx: Db, projectId: string) =>
  tx.selectFrom("grouped_failures").selectAll().where("project_id", "=", projectId);

/** Computes the groups again after failures changed. `tx` must be the transaction that changed the failures. */
export async function regroup(
  tx: Db,
  projectId: string,
  changes: ReadonlyMap<string, Change>,
  grouping: Grouping,
): Promise<void> {
  for (const [whatKey, change] of [...changes].sort(([one], [other]) => (one < other ? -1 : 1)))
    await regroupThing(tx, { projectId, whatKey }, change, grouping);
}

async function regroupThing(tx: Db, place: Place, change: Change, { bounds, meaning }: Grouping): Promise<void> {
  const rows = await readWordings(tx, place);
  await markCompared(tx, place, rows, bounds.wordings);
  const compared = rows.filter(({ isCompared }) => isCompared).map(({ wording }) => wording);
  const sameAs = await compareMeanings(tx, place, new Set(compared), meaning);
  const before = await tx
    .selectFrom("failure_groups")
    .selectAll()
    .where("project_id", "=", place.projectId)
    .where("what_key", "=", place.whatKey)
    .execute();
  const former = new Map(before.map((row) => [row.id, row]));
  const byMeaning = sameAs && { sameAs, revealed: change.revealed ?? new Set() };
  const groups = groupsOf(rows, former, change.arrived, byMeaning);
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

/**
 * Sets `isCompared` of the rows with new wordings, until `max` wordings are compared. Also sets it for rows whose wording is already
 * compared.
 */
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
  { id, formerIds, wordings, byMeaning, decision }: DecidedGroup,
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
    joined_by_meaning: byMeaning,
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

const pick = ({ state, resolved_at, resolved_by, resolved_except, regressed_at }: GroupDecision): GroupDecision => ({
  state,
  resolved_at,
  resolved_by,
  resolved_except,
  regressed_at,
});

/** Deletes groups that no longer exist. The id of a merged group becomes an alias of the group into which it was merged. */
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
