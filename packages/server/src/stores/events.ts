import type { EventData, EventType } from "@svc/contract";
import { sql } from "kysely";
import { AppError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { Db } from "./relational.ts";
import { lockIn } from "./transaction.ts";

export type NewEvent<Type extends EventType = EventType> = {
  type: Type;
  data: EventData[Type];
  about: string;
  /** A destination gets the events with the same subject in the order in which they were recorded. Default: `about`. */
  subject?: string;
  /** Name of the agent that the event is about; null if it is about no agent. A destination may select events by the agent. */
  agentName?: string | null;
  /** Whether to record the event only if there is no earlier event of this type about the same record. Default: false. */
  once?: boolean;
  /**
   * Ids of the destinations that get the event. Without ids, or when none of these destinations exists any more, the event goes to
   * all destinations that select its type and agent.
   */
  destinationIds?: readonly string[];
};

/** Types of the events that are emailed at once. An event of another type waits for the next digest. */
const MAILED_AT_ONCE = new Set<EventType>(["run.completed", "alert.raised", "alert.cleared", "alert.reminded"]);
const DIGEST_EVERY_MS = 15 * 60_000;

/**
 * Records an event in the transaction of its cause, and a delivery for each destination that gets the event. A rollback removes
 * the event and its deliveries. The sender finds the deliveries after the commit.
 */
export async function recordEvent<Type extends EventType>(
  tx: Db,
  projectId: string,
  { type, data, about, subject = about, agentName = null, once = false, destinationIds = [] }: NewEvent<Type>,
): Promise<void> {
  // Without the lock, an event could become visible after another event with a higher number.
  await lockIn(tx, `events ${projectId}`);
  if (once) {
    const earlier = tx
      .selectFrom("events")
      .select("id")
      .where("project_id", "=", projectId)
      .where("about", "=", about)
      .where("type", "=", type);
    if (await earlier.limit(1).executeTakeFirst()) return;
  }
  const id = newId("evt");
  const now = new Date();
  const created_at = now.toISOString();
  const { seq } = await tx
    .insertInto("events")
    .values({
      id,
      project_id: projectId,
      seq: sql<number>`(SELECT coalesce(max(seq), 0) + 1 FROM events WHERE project_id = ${projectId})`,
      type,
      subject,
      about,
      data: JSON.stringify(data),
      created_at,
    })
    .returning("seq")
    .executeTakeFirstOrThrow();
  const destinations = await wanting(tx, projectId, { type, agentName, destinationIds });
  const rows = destinations.map(({ id: destination_id, kind }) => {
    const is_digest = kind === "email" && !MAILED_AT_ONCE.has(type) ? (1 as const) : (0 as const);
    const next_ms = is_digest === 1 ? Math.ceil(now.getTime() / DIGEST_EVERY_MS) * DIGEST_EVERY_MS : now.getTime();
    return {
      id: newId("dlv"),
      destination_id,
      event_id: id,
      seq,
      subject,
      is_digest,
      state: "waiting" as const,
      attempts: 0,
      next_ms,
      status: null,
      problem: null,
      created_at,
      ended_at: null,
    };
  });
  if (rows.length > 0) await tx.insertInto("deliveries").values(rows).execute();
  if (!MAILED_AT_ONCE.has(type)) return;
  // Deliveries about a subject keep their order, so a digest about this subject must not wait.
  const mailed = destinations.flatMap(({ id: destinationId, kind }) => (kind === "email" ? [destinationId] : []));
  if (mailed.length === 0) return;
  await tx
    .updateTable("deliveries")
    .set({ next_ms: now.getTime() })
    .where("destination_id", "in", mailed)
    .where("subject", "=", subject)
    .where("is_digest", "=", 1)
    // SQLite uses the partial index only for a value in the statement itself.
    .where(sql<boolean>`state = 'waiting'`)
    .where("next_ms", ">", now.getTime())
    .execute();
}

/** Changes the stored data of the events about some records, for example when a conversation is deleted. */
export async function changeEvents<Data extends EventData[EventType]>(
  tx: Db,
  projectId: string,
  about: readonly string[],
  change: (data: Data) => Data,
): Promise<void> {
  if (about.length === 0) return;
  const rows = await tx
    .selectFrom("events")
    .select(["id", "data"])
    .where("project_id", "=", projectId)
    .where("about", "in", about)
    .execute();
  for (const { id, data } of rows)
    await tx
      .updateTable("events")
      .set({ data: JSON.stringify(change(JSON.parse(data) as Data)) })
      .where("id", "=", id)
      .execute();
}

/** Records an event of the whole organization in each project of the organization that has a destination for this type of event. */
export async function recordOrganizationEvent<Type extends EventType>(
  tx: Db,
  organizationId: string,
  event: NewEvent<Type>,
): Promise<void> {
  const rows = await tx
    .selectFrom("destinations")
    .innerJoin("projects", "projects.id", "project_id")
    .select(["project_id", "event_types"])
    .where("organization_id", "=", organizationId)
    .orderBy("project_id")
    .execute();
  const wanted = rows.filter(({ event_types }) => (JSON.parse(event_types) as string[]).includes(event.type));
  for (const projectId of new Set(wanted.map(({ project_id }) => project_id))) await recordEvent(tx, projectId, event);
}

type Wanted = { type: EventType; agentName: string | null; destinationIds: readonly string[] };

async function wanting(tx: Db, projectId: string, { type, agentName, destinationIds }: Wanted) {
  const rows = await tx
    .selectFrom("destinations")
    .select(["id", "kind", "event_types", "agents", "pause_reason"])
    .where("project_id", "=", projectId)
    .orderBy("id")
    .execute();
  const named = rows.filter(({ id }) => destinationIds.includes(id));
  // A destination that gets an alert also gets its reminders.
  const chosenType = type === "alert.reminded" ? "alert.raised" : type;
  const choosing = rows.filter(({ event_types, agents }) => {
    const chosen = JSON.parse(agents) as string[];
    return (
      (JSON.parse(event_types) as string[]).includes(chosenType) &&
      (agentName === null || chosen.length === 0 || chosen.includes(agentName))
    );
  });
  return (named.length > 0 ? named : choosing).filter(({ pause_reason }) => pause_reason === null);
}

export async function requireDestinations(tx: Db, projectId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await tx
    .selectFrom("destinations")
    .select("id")
    .where("project_id", "=", projectId)
    .where("id", "in", ids)
    .execute();
  const missing = ids.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined)
    throw new AppError("unprocessable", `The project has no destination "${missing}". List its destinations.`);
}
