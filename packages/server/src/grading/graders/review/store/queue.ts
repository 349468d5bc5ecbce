import { LIMITS } from "@svc/contract";
import { sql } from "kysely";
import { newId } from "../../../../base/ids.ts";
import { leasesOn } from "../../../../stores/lease.ts";
import type { Db } from "../../../../stores/relational.ts";
import type { Schema } from "../../../../stores/schema.ts";
import { lockIn } from "../../../../stores/transaction.ts";
import type { NewGrade } from "../../grader.ts";
import { type GradeInDoubt, hasScope, type NewReason, reviewOf, urgencyOf } from "../rules.ts";
import { readSettings, scopeOf } from "./settings.ts";

/** Time for which an item stays reserved after a person's last action on it. */
const CLAIM_MS = 10 * 60_000;

type QueuedConversation = {
  source: "production" | "simulation";
  /** Name under which the conversation is graded; for a simulation, the simulation's id. */
  name: string;
  /** All names under which the conversation may already be in the queue. */
  names: readonly string[];
  traceId: string | null;
  runId: string | null;
  startedAt: string | null;
};

/** What a conversation brings to the review queue. An item without a grade to label waits for a grade. */
type Arrival = {
  reasons: readonly (NewReason & { alertId?: string })[];
  grades: readonly Pick<GradeInDoubt, "id" | "graderId">[];
  peopleWanted: number;
  /** Whether these grades replace the earlier ones, because a simulation was graded again. */
  replaces?: boolean;
};

type ItemRow = Schema["review_items"];

/** `tx` must be the transaction that stores the conversation's grades. */
export async function queueGraded(
  tx: Db,
  projectId: string,
  conversation: QueuedConversation,
  grades: readonly GradeInDoubt[],
  agentOf: () => Promise<string | null>,
): Promise<void> {
  const { settings } = await readSettings(tx, projectId);
  if (!settings.enabled || grades.length === 0) return;
  await lockIn(tx, scopeOf(projectId));
  const item = await findItem(tx, projectId, conversation.names);
  const isAwaited = item?.state === "waiting";
  const { reasons, gradeIds, peopleWanted } = reviewOf(settings, projectId, conversation, grades, isAwaited);
  if (gradeIds.length === 0 || (reasons.length === 0 && !isAwaited)) return;
  const asked = grades.filter(({ id }) => gradeIds.includes(id));
  const replaces = conversation.source === "simulation";
  const arrival = { reasons, grades: asked, peopleWanted, replaces };
  if (item === undefined) await insertItem(tx, projectId, conversation, arrival, await agentOf());
  else await addTo(tx, item, arrival);
}

export type QueuedWithAgent = QueuedConversation & { agent: string | null };

/**
 * Adds a conversation with all its grades to the review queue, for a reason other than its grades, such as an alert. `tx` must be the
 * transaction that records the reason.
 */
export async function queueWhole(
  tx: Db,
  projectId: string,
  conversation: QueuedWithAgent,
  reason: NewReason & { alertId?: string },
): Promise<void> {
  const { settings } = await readSettings(tx, projectId);
  if (!settings.enabled || !settings.sources.includes(reason.reason) || !hasScope(settings, conversation.source))
    return;
  await lockIn(tx, scopeOf(projectId));
  const stored = await gradesOf(tx, projectId, conversation);
  const { gradeIds, peopleWanted } = reviewOf(settings, projectId, conversation, stored, true);
  const grades = stored.filter(({ id }) => gradeIds.includes(id));
  const arrival = { reasons: [reason], grades, peopleWanted };
  const item = await findItem(tx, projectId, conversation.names);
  if (item === undefined) await insertItem(tx, projectId, conversation, arrival, conversation.agent);
  else await addTo(tx, item, arrival);
}

/** Returns the grades of a conversation; for a simulation, the grades of its last grading. */
async function gradesOf(
  tx: Db,
  projectId: string,
  { source, name, names }: QueuedConversation,
): Promise<GradeInDoubt[]> {
  const rows =
    source === "simulation"
      ? await tx
          .selectFrom("grades")
          .select(["id", "grade"])
          .where("simulation_id", "=", name)
          .where("grading", "=", ({ selectFrom, fn }) =>
            selectFrom("grades").select(fn.max("grading").as("last")).where("simulation_id", "=", name),
          )
          .orderBy("position")
          .execute()
      : await tx
          .selectFrom("production_grades")
          .select(["id", "grade"])
          .where("project_id", "=", projectId)
          .where("conversation", "in", names)
          .orderBy("id")
          .execute();
  return rows.map(({ id, grade }) => ({ ...(JSON.parse(grade) as NewGrade), id }));
}

const findItem = (db: Db, projectId: string, names: readonly string[]): Promise<ItemRow | undefined> =>
  db
    .selectFrom("review_items")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("conversation", "in", names)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();

/** Inserts an item for a conversation. If the queue is full, only counts the conversation as left out. */
async function insertItem(
  tx: Db,
  projectId: string,
  { source, name, traceId, runId, startedAt }: QueuedConversation,
  arrival: Arrival,
  agent: string | null,
): Promise<void> {
  if (!(await hasRoom(tx, projectId))) return;
  const id = newId("rvi");
  await tx
    .insertInto("review_items")
    .values({
      id,
      project_id: projectId,
      source,
      conversation: name,
      trace_id: traceId,
      run_id: runId,
      agent,
      started_at: startedAt,
      state: arrival.grades.length === 0 ? "waiting" : "open",
      urgency: Math.min(...arrival.reasons.map(({ reason }) => urgencyOf(reason))),
      people_wanted: arrival.peopleWanted,
      created_at: new Date().toISOString(),
      closed_at: null,
    })
    .execute();
  await insertReasons(tx, id, arrival);
  await insertGrades(tx, id, arrival);
}

/**
 * Adds reasons and grades to an item of the queue. A finished item becomes open again if it gets a new reason and a new grade. A skipped
 * item stays skipped.
 */
async function addTo(tx: Db, item: ItemRow, arrival: Arrival): Promise<void> {
  const newReasons = await insertReasons(tx, item.id, arrival);
  if (item.state === "skipped" || (item.state === "done" && newReasons === 0)) return;
  if (arrival.replaces && item.state === "open" && arrival.grades.length > 0)
    await tx.deleteFrom("review_grades").where("item_id", "=", item.id).execute();
  const newGrades = await insertGrades(tx, item.id, arrival);
  const comesBack = item.state === "done" && newGrades > 0;
  if (item.state === "done" && !comesBack) return;
  if (comesBack) {
    if (!(await hasRoom(tx, item.project_id))) return;
    await tx.deleteFrom("review_people").where("item_id", "=", item.id).execute();
  }
  const isReady = item.state !== "waiting" || newGrades > 0;
  await tx
    .updateTable("review_items")
    .set({
      state: isReady ? "open" : "waiting",
      urgency: Math.min(item.urgency, ...arrival.reasons.map(({ reason }) => urgencyOf(reason))),
      closed_at: null,
    })
    .where("id", "=", item.id)
    .execute();
}

/** Returns whether the queue has room. If it has no room, counts a conversation as left out. */
async function hasRoom(tx: Db, projectId: string): Promise<boolean> {
  const { count } = await tx
    .selectFrom("review_items")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("project_id", "=", projectId)
    .where("state", "in", ["waiting", "open"])
    .executeTakeFirstOrThrow();
  if (Number(count) < LIMITS.reviewItems) return true;
  await tx
    .updateTable("review_settings")
    .set({ left_out: sql<number>`left_out + 1` })
    .where("project_id", "=", projectId)
    .execute();
  return false;
}

/** Inserts the reasons that an item does not have yet, and returns their number. */
async function insertReasons(tx: Db, itemId: string, { reasons }: Arrival): Promise<number> {
  if (reasons.length === 0) return 0;
  const created_at = new Date().toISOString();
  const inserted = await tx
    .insertInto("review_reasons")
    .values(
      reasons.map(({ reason, about, graderId, sentence, alertId }) => ({
        item_id: itemId,
        reason,
        about,
        grader_id: graderId,
        alert_id: alertId ?? null,
        sentence,
        created_at,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning("reason")
    .execute();
  return inserted.length;
}

/** Inserts the grades that an item does not have yet, up to the limit, and returns their number. */
async function insertGrades(tx: Db, itemId: string, { grades }: Arrival): Promise<number> {
  const { count } = await tx
    .selectFrom("review_grades")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("item_id", "=", itemId)
    .executeTakeFirstOrThrow();
  const some = grades.slice(0, LIMITS.gradesOfReviewItem - Number(count));
  if (some.length === 0) return 0;
  const inserted = await tx
    .insertInto("review_grades")
    .values(some.map(({ id, graderId }) => ({ item_id: itemId, grade_id: id, grader_id: graderId })))
    .onConflict((conflict) => conflict.doNothing())
    .returning("grade_id")
    .execute();
  return inserted.length;
}

/**
 * Records, in the transaction of a label, that a person works on the items with this grade. If the person has labeled all grades of an
 * item, the person has finished the item. An item is done when as many people as it needs have finished it.
 */
export async function noteLabel(tx: Db, projectId: string, gradeId: string, userId: string): Promise<void> {
  await lockIn(tx, scopeOf(projectId));
  const items = await tx
    .selectFrom("review_items")
    .innerJoin("review_grades", "review_grades.item_id", "review_items.id")
    .selectAll("review_items")
    .where("project_id", "=", projectId)
    .where("grade_id", "=", gradeId)
    .execute();
  for (const item of items) {
    const left = await tx
      .selectFrom("review_grades")
      .leftJoin("grade_labels", (join) =>
        join.onRef("grade_labels.grade_id", "=", "review_grades.grade_id").on("grade_labels.user_id", "=", userId),
      )
      .select("review_grades.grade_id")
      .where("item_id", "=", item.id)
      .where("grade_labels.grade_id", "is", null)
      .limit(1)
      .executeTakeFirst();
    if (left !== undefined) {
      if (item.state === "open") await notePerson(tx, item.id, userId, "reviewing");
      continue;
    }
    await notePerson(tx, item.id, userId, "labeled");
    if (item.state === "done") continue;
    const { count } = await tx
      .selectFrom("review_people")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("item_id", "=", item.id)
      .where("did", "=", "labeled")
      .executeTakeFirstOrThrow();
    if (Number(count) >= item.people_wanted) await closeItem(tx, item.id, "done");
  }
}

/** Stores the state of a person's work on an item. The state `reviewing` reserves the item for the person. */
export async function notePerson(
  tx: Db,
  itemId: string,
  userId: string,
  did: Schema["review_people"]["did"],
): Promise<void> {
  const row = { did, until_ms: leasesOn(tx).until(CLAIM_MS), at: new Date().toISOString() };
  await tx
    .insertInto("review_people")
    .values({ item_id: itemId, user_id: userId, ...row })
    .onConflict((conflict) => conflict.columns(["item_id", "user_id"]).doUpdateSet(row))
    .execute();
}

export async function closeItem(tx: Db, itemId: string, state: "done" | "skipped"): Promise<void> {
  await tx
    .updateTable("review_items")
    .set({ state, closed_at: new Date().toISOString() })
    .where("id", "=", itemId)
    .execute();
}

/** Deletes the items of conversations. `names` are names of conversations or ids of traces. */
export async function deleteItems(tx: Db, projectId: string, names: readonly string[]): Promise<void> {
  await tx
    .deleteFrom("review_items")
    .where("project_id", "=", projectId)
    .where((eb) => eb.or([eb("conversation", "in", names), eb("trace_id", "in", names)]))
    .execute();
}

/** Deletes the items that were created before a time. Without `projectId`, it does so in all projects. */
export async function deleteItemsBefore(db: Db, time: string, projectId?: string): Promise<void> {
  await db
    .deleteFrom("review_items")
    .where("created_at", "<", time)
    .$if(projectId !== undefined, (items) => items.where("project_id", "=", projectId!))
    .execute();
}

export async function deleteWaiting(db: Db, projectId: string, time: string): Promise<void> {
  await db
    .deleteFrom("review_items")
    .where("project_id", "=", projectId)
    .where("state", "=", "waiting")
    .where("created_at", "<", time)
    .execute();
}
