import type { DeliveryState, EventType } from "@svc/contract";
import { sql } from "kysely";
import type { FindProjects } from "../access/projects.ts";
import { AppError, notFound } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { leasesOfProcesses, RELEASED } from "../stores/lease.ts";
import { type Page, type PageRequest, readPage } from "../stores/page.ts";
import { projectOfRow } from "../stores/project-of-row.ts";
import { type Db, refuseTaken } from "../stores/relational.ts";
import type { DestinationRow } from "../stores/schema.ts";
import { transaction } from "../stores/transaction.ts";
import type { ConversationTexts } from "../traces/erasure/open.ts";
import {
  type DeliveryRow,
  type DestinationContent,
  type EventRow,
  type FailingDestination,
  FAILURES_OF_CONDITION,
  nextAttemptMs,
  pausedUntilMs,
} from "./rules.ts";

/** A delivery with the event that it sends. */
export type DueDelivery = { delivery: DeliveryRow; event: EventRow };

/** How an attempt failed. */
export type FailedAttempt = {
  status: number | null;
  problem: string;
  retryAfterMs?: number | undefined;
  /** The receiver asks for no more events. */
  isGone?: boolean;
};

type Counts = { waiting: number; failed: number };

/** Written exactly like the condition of the partial indexes: SQLite ignores an index for a bound value. */
const isWaiting = sql<boolean>`deliveries.state = 'waiting'`;
const isFailed = sql<boolean>`deliveries.state = 'failed'`;

const DIGEST_EVENTS_MAX = 100;

export type NotificationStore = ReturnType<typeof createNotificationStore>;

/** The destinations of all projects, and their deliveries. */
export function createNotificationStore(db: Db) {
  const leases = leasesOfProcesses(db);
  const findProjects: FindProjects = (id) => projectOfRow(db, "destinations", id);

  const taken = refuseTaken("The project has a destination with this name. Choose another name.");

  return {
    /** Returns a destination of the project; refuses any other id. */
    get: (projectId: string, id: string) => find(db, projectId, id),

    /** Finds the project of a destination by its id. */
    findProjects,

    /** Returns a page of the project's destinations, newest first. */
    list: (projectId: string, page: PageRequest): Promise<Page<DestinationRow>> =>
      readPage(db.selectFrom("destinations").selectAll().where("project_id", "=", projectId), page),

    /** Creates a destination; `withSecret` stores its secret in the same transaction. Refuses one more than `max`. */
    create: (
      projectId: string,
      content: DestinationContent,
      max: number,
      withSecret: (tx: Db, id: string) => Promise<void>,
    ): Promise<DestinationRow> =>
      transaction(db, projectId, async (tx) => {
        const { count } = await tx
          .selectFrom("destinations")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("project_id", "=", projectId)
          .executeTakeFirstOrThrow();
        if (Number(count) >= max)
          throw new AppError("unprocessable", `A project has at most ${max} destinations. Delete one first.`);
        const now = new Date().toISOString();
        const id = newId("dst");
        const row = await tx
          .insertInto("destinations")
          .values({
            id,
            project_id: projectId,
            ...columns(content),
            pause_reason: null,
            failing_since: null,
            problem: null,
            last_delivered_at: null,
            created_at: now,
            updated_at: now,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        await withSecret(tx, id);
        return row;
      }).catch(taken),

    /**
     * Reads the destination, lets `decide` return its new content, and writes it, in one transaction. A new address and the end of
     * a pause end the wait after failures, too.
     */
    edit: (
      projectId: string,
      id: string,
      decide: (
        row: DestinationRow,
        tx: Db,
      ) => Promise<{ content: DestinationContent; pauseReason: DestinationRow["pause_reason"] }>,
    ): Promise<DestinationRow> =>
      transaction(db, projectId, async (tx) => {
        const row = await find(tx, projectId, id);
        const { content, pauseReason } = await decide(row, tx);
        const edited = await tx
          .updateTable("destinations")
          .set({
            ...columns(content),
            pause_reason: pauseReason,
            retry_ms: 0,
            updated_at: new Date().toISOString(),
          })
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirstOrThrow();
        if (row.failures > 0) await bringForward(tx, id, Date.now());
        return edited;
      }).catch(taken),

    /** Deletes a destination of the project with its deliveries; refuses any other id. */
    delete: (projectId: string, id: string, withSecret: (tx: Db) => Promise<void>): Promise<void> =>
      transaction(db, projectId, async (tx) => {
        const deleted = await tx
          .deleteFrom("destinations")
          .where("project_id", "=", projectId)
          .where("id", "=", id)
          .executeTakeFirst();
        if (deleted.numDeletedRows === 0n) throw notFound();
        await withSecret(tx);
      }),

    /** Counts the deliveries of each destination that wait and that failed. */
    async countDeliveries(ids: readonly string[]): Promise<Map<string, Counts>> {
      const counts = new Map<string, Counts>(ids.map((id) => [id, { waiting: 0, failed: 0 }]));
      if (ids.length === 0) return counts;
      for (const [state, isInState] of [
        ["waiting", isWaiting],
        ["failed", isFailed],
      ] as const) {
        const rows = await db
          .selectFrom("deliveries")
          .select("destination_id")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("destination_id", "in", ids)
          .where(isInState)
          .groupBy("destination_id")
          .execute();
        for (const { destination_id, count } of rows) counts.get(destination_id)![state] = Number(count);
      }
      return counts;
    },

    /** Returns a page of the destination's deliveries, newest first. */
    listDeliveries: (
      destinationId: string,
      state: DeliveryState | undefined,
      page: PageRequest,
    ): Promise<Page<DeliveryRow & { type: EventType }>> => {
      const all = db
        .selectFrom("deliveries")
        .innerJoin("events", "events.id", "event_id")
        .selectAll("deliveries")
        .select("events.type")
        .where("destination_id", "=", destinationId);
      return readPage(state === undefined ? all : all.where("state", "=", state), page, "deliveries.id");
    },

    /** Makes failed deliveries wait again, and returns how many: these, or those whose event happened since a time. */
    async sendAgain(
      destinationId: string,
      { deliveryIds, since }: { deliveryIds?: readonly string[] | undefined; since?: string | undefined },
    ): Promise<number> {
      let failed = db
        .updateTable("deliveries")
        .set({ state: "waiting", attempts: 0, next_ms: Date.now(), ended_at: null })
        .where("destination_id", "=", destinationId)
        .where("state", "=", "failed");
      if (deliveryIds !== undefined) failed = failed.where("id", "in", deliveryIds);
      if (since !== undefined) failed = failed.where("created_at", ">=", new Date(since).toISOString());
      const { numUpdatedRows } = await failed.executeTakeFirst();
      await db.updateTable("destinations").set({ retry_ms: 0 }).where("id", "=", destinationId).execute();
      return Number(numUpdatedRows);
    },

    /** Returns a page of the project's events, newest first. */
    listEvents: (projectId: string, type: EventType | undefined, page: PageRequest): Promise<Page<EventRow>> => {
      const all = db.selectFrom("events").selectAll().where("project_id", "=", projectId);
      return readPage(type === undefined ? all : all.where("type", "=", type), page);
    },

    /** Returns what the addresses of the project's pages name. */
    async placeOf(projectId: string): Promise<{ organizationId: string; slug: string }> {
      const { organization_id, slug } = await db
        .selectFrom("projects")
        .select(["organization_id", "slug"])
        .where("id", "=", projectId)
        .executeTakeFirstOrThrow();
      return { organizationId: organization_id, slug };
    },

    /** Returns whether mail to the address reaches a member of the organization. */
    async isMember(organizationId: string, address: string): Promise<boolean> {
      const member = db
        .selectFrom("memberships")
        .innerJoin("users", "users.id", "user_id")
        .select("users.id")
        .where("organization_id", "=", organizationId)
        .where("address", "=", address);
      return (await member.limit(1).executeTakeFirst()) !== undefined;
    },

    /** Returns the ids of destinations with something to send that no process sends now, at most `limit`. */
    async listDue(nowMs: number, limit: number): Promise<string[]> {
      const rows = await db
        .selectFrom("destinations")
        .select("id")
        .where("pause_reason", "is", null)
        .where("retry_ms", "<=", nowMs)
        .where(leases.isFree("leased_until_ms"))
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("deliveries")
              .select("deliveries.id")
              .whereRef("destination_id", "=", "destinations.id")
              .where(isWaiting)
              .where("next_ms", "<=", nowMs),
          ),
        )
        .orderBy("retry_ms")
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Leases the destination for this process; undefined when another process sends, or nothing may be sent now. */
    lease: (id: string, leaseMs: number, nowMs: number): Promise<DestinationRow | undefined> =>
      db
        .updateTable("destinations")
        .set({ leased_until_ms: leases.until(leaseMs) })
        .where("id", "=", id)
        .where("pause_reason", "is", null)
        .where("retry_ms", "<=", nowMs)
        .where(leases.isFree("leased_until_ms"))
        .returningAll()
        .executeTakeFirst(),

    /** Returns the destination as it is now; undefined when it is deleted, paused or waits. */
    read: (id: string, nowMs: number): Promise<DestinationRow | undefined> =>
      db
        .selectFrom("destinations")
        .selectAll()
        .where("id", "=", id)
        .where("pause_reason", "is", null)
        .where("retry_ms", "<=", nowMs)
        .executeTakeFirst(),

    /** Extends the lease. */
    async renew(id: string, leaseMs: number): Promise<void> {
      await db
        .updateTable("destinations")
        .set({ leased_until_ms: leases.until(leaseMs) })
        .where("id", "=", id)
        .execute();
    },

    /** Ends the lease. */
    async release(id: string): Promise<void> {
      await db.updateTable("destinations").set({ leased_until_ms: RELEASED }).where("id", "=", id).execute();
    },

    /**
     * Returns what the destination gets next: the delivery with the fewest attempts whose subject has no earlier one, so that one event
     * that always fails does not keep the others; or all due deliveries of a digest.
     */
    async nextDue(destinationId: string, nowMs: number): Promise<DueDelivery[]> {
      const due = db
        .selectFrom("deliveries")
        .selectAll("deliveries")
        .where("destination_id", "=", destinationId)
        .where(isWaiting)
        .where("next_ms", "<=", nowMs)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("deliveries as earlier")
                .select("earlier.id")
                .whereRef("earlier.destination_id", "=", "deliveries.destination_id")
                .whereRef("earlier.subject", "=", "deliveries.subject")
                .where(sql<boolean>`earlier.state = 'waiting'`)
                .whereRef("earlier.seq", "<", "deliveries.seq"),
            ),
          ),
        );
      const first = await due.orderBy("attempts").orderBy("seq").limit(1).executeTakeFirst();
      if (first === undefined) return [];
      const digest = db
        .selectFrom("deliveries")
        .selectAll()
        .where("destination_id", "=", destinationId)
        .where(isWaiting)
        .where("next_ms", "<=", nowMs)
        .where("is_digest", "=", 1)
        .orderBy("seq")
        .limit(DIGEST_EVENTS_MAX);
      const rows = first.is_digest === 1 ? await digest.execute() : [first];
      const events = await db
        .selectFrom("events")
        .selectAll()
        .where(
          "id",
          "in",
          rows.map(({ event_id }) => event_id),
        )
        .execute();
      const byId = new Map(events.map((event) => [event.id, event]));
      return rows.flatMap((delivery) => {
        const event = byId.get(delivery.event_id);
        return event === undefined ? [] : [{ delivery, event }];
      });
    },

    /** Records that the receiver accepted these deliveries. After an outage, everything that waits is due at once. */
    recordDelivered: (destination: DestinationRow, ids: readonly string[], status: number | null): Promise<void> =>
      transaction(db, destination.project_id, async (tx) => {
        const now = new Date();
        await tx
          .updateTable("deliveries")
          .set((eb) => ({
            state: "delivered",
            attempts: eb("attempts", "+", 1),
            status,
            problem: null,
            ended_at: now.toISOString(),
          }))
          .where("id", "in", ids)
          .where("state", "=", "waiting")
          .execute();
        await tx
          .updateTable("destinations")
          .set({ failures: 0, failing_since: null, problem: null, last_delivered_at: now.toISOString() })
          .where("id", "=", destination.id)
          .execute();
        if (destination.failures > 1) await bringForward(tx, destination.id, now.getTime());
      }),

    /** Records that an attempt failed: when these deliveries and the destination are tried again, or that it was the last attempt. */
    recordFailed: (
      { id, project_id, failures, failing_since }: DestinationRow,
      deliveries: readonly DeliveryRow[],
      { status, problem, retryAfterMs, isGone = false }: FailedAttempt,
      nowMs: number,
    ): Promise<void> =>
      transaction(db, project_id, async (tx) => {
        const now = new Date(nowMs).toISOString();
        for (const delivery of deliveries) {
          const attempts = delivery.attempts + 1;
          const next = nextAttemptMs(attempts, nowMs, Math.random(), retryAfterMs);
          const left =
            next === undefined && !isGone ? ({ state: "failed", ended_at: now } as const) : { next_ms: next ?? nowMs };
          await tx
            .updateTable("deliveries")
            .set({ attempts, status, problem, ...left })
            .where("id", "=", delivery.id)
            .where("state", "=", "waiting")
            .execute();
        }
        await tx
          .updateTable("destinations")
          .set({
            failures: failures + 1,
            failing_since: failing_since ?? now,
            problem,
            retry_ms: pausedUntilMs(failures + 1, nowMs, retryAfterMs),
            ...(isGone && { pause_reason: "gone" as const }),
          })
          .where("id", "=", id)
          .execute();
      }),

    /** Returns the organization's destinations that fail, are gone, or have failed deliveries. */
    async listFailing(organizationId: string): Promise<FailingDestination[]> {
      const rows = await db
        .selectFrom("destinations")
        .innerJoin("projects", "projects.id", "project_id")
        .selectAll("destinations")
        .select(({ selectFrom }) => [
          "organization_id",
          selectFrom("deliveries")
            .select(({ fn }) => fn.countAll<number>().as("count"))
            .whereRef("destination_id", "=", "destinations.id")
            .where(isFailed)
            .as("failed"),
        ])
        .where("organization_id", "=", organizationId)
        .orderBy("destinations.id")
        .execute();
      return rows
        .map((row) => ({ ...row, failed: Number(row.failed ?? 0) }))
        .filter(
          ({ failed, failures, pause_reason }) =>
            failed > 0 || failures >= FAILURES_OF_CONDITION || pause_reason === "gone",
        );
    },

    /** Deletes the events from before the time with their deliveries, and returns their number. */
    async deleteBefore(time: string): Promise<number> {
      const deleted = await db.deleteFrom("events").where("created_at", "<", time).executeTakeFirst();
      return Number(deleted.numDeletedRows);
    },
  };
}

const find = (db: Db, projectId: string, id: string): Promise<DestinationRow> =>
  db
    .selectFrom("destinations")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow(notFound);

const columns = ({ name, kind, address, eventTypes, agents }: DestinationContent) => ({
  name,
  kind,
  address,
  event_types: JSON.stringify(eventTypes),
  agents: JSON.stringify(agents),
});

/** Makes everything that waits for the destination due now, except digests. */
async function bringForward(tx: Db, destinationId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable("deliveries")
    .set({ next_ms: nowMs })
    .where("destination_id", "=", destinationId)
    .where(isWaiting)
    .where("next_ms", ">", nowMs)
    .where("is_digest", "=", 0)
    .execute();
}

const NAMES_AT_ONCE = 500;

/** Creates the erasure of events about conversations, with their deliveries. */
export function createEventTexts(db: Db): ConversationTexts {
  return {
    async eraseConversations(projectId, names) {
      for (let from = 0; from < names.length; from += NAMES_AT_ONCE)
        await db
          .deleteFrom("events")
          .where("project_id", "=", projectId)
          .where("about", "in", names.slice(from, from + NAMES_AT_ONCE))
          .execute();
    },

    async eraseBefore(time, projectId) {
      await db
        .deleteFrom("events")
        .where("created_at", "<", time)
        .where("type", "in", ["simulation.failed", "conversation.failed"])
        .$if(projectId !== undefined, (events) => events.where("project_id", "=", projectId!))
        .execute();
    },
  };
}
