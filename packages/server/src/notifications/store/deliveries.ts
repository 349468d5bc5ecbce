import type { DeliveryState, DestinationKind, EventType } from "@svc/contract";
import { sql } from "kysely";
import { leasesOfProcesses, RELEASED } from "../../stores/lease.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import type { Db } from "../../stores/relational.ts";
import type { DestinationRow } from "../../stores/schema.ts";
import { transaction } from "../../stores/transaction.ts";
import { type DeliveryRow, type EventRow, nextAttemptMs, pausedUntilMs } from "../rules.ts";

export type DueDelivery = { delivery: DeliveryRow; event: EventRow };

/** A failed attempt to deliver events. `status` is null when the receiver sent no answer. */
export type FailedAttempt = {
  status: number | null;
  problem: string;
  retryAfterMs?: number | undefined;
  /** Whether the receiver answered 410, which asks for no more events. Default: false. */
  isGone?: boolean;
};

type Counts = { waiting: number; failed: number };

/** Number of waiting deliveries to all destinations of one kind, and the time of the oldest event among them. */
export type WaitingOfKind = { kind: DestinationKind; count: number; oldestAt: string };

/** SQL condition with the same text as in the partial index. SQLite would not use the index for a bound value. */
const isWaiting = sql<boolean>`deliveries.state = 'waiting'`;
export const isFailed = sql<boolean>`deliveries.state = 'failed'`;

const DIGEST_EVENTS_MAX = 100;

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

export function createDeliveryStore(db: Db) {
  const leases = leasesOfProcesses(db);

  return {
    async count(ids: readonly string[]): Promise<Map<string, Counts>> {
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

    /** Counts the waiting deliveries by kind of destination. Leaves out destinations that a person paused. */
    async countWaiting(): Promise<WaitingOfKind[]> {
      const rows = await db
        .selectFrom(
          db
            .selectFrom("deliveries")
            .select(({ fn }) => [
              "destination_id",
              fn.countAll<number>().as("count"),
              fn.min("deliveries.created_at").as("oldest_at"),
            ])
            .where(isWaiting)
            .groupBy("destination_id")
            .as("waiting"),
        )
        .innerJoin("destinations", "destinations.id", "waiting.destination_id")
        .select(({ fn }) => [
          "kind",
          fn.sum<number>("waiting.count").as("count"),
          fn.min("waiting.oldest_at").as("oldest_at"),
        ])
        .where(({ eb, or }) => or([eb("pause_reason", "is", null), eb("pause_reason", "=", "gone")]))
        .groupBy("kind")
        .execute();
      return rows.map(({ kind, count, oldest_at }) => ({ kind, count: Number(count), oldestAt: oldest_at }));
    },

    list: (
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

    /**
     * Makes failed deliveries wait for new attempts: the deliveries with these ids, or all deliveries that were created since a time. Also
     * ends the destination's pause. Returns the number of the changed deliveries.
     */
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

    read: (id: string, nowMs: number): Promise<DestinationRow | undefined> =>
      db
        .selectFrom("destinations")
        .selectAll()
        .where("id", "=", id)
        .where("pause_reason", "is", null)
        .where("retry_ms", "<=", nowMs)
        .executeTakeFirst(),

    async renew(id: string, leaseMs: number): Promise<void> {
      await db
        .updateTable("destinations")
        .set({ leased_until_ms: leases.until(leaseMs) })
        .where("id", "=", id)
        .execute();
    },

    async release(id: string): Promise<void> {
      await db.updateTable("destinations").set({ leased_until_ms: RELEASED }).where("id", "=", id).execute();
    },

    /**
     * Returns the deliveries to send next to the destination. Leaves out a delivery while an earlier delivery about the same subject waits.
     * Of the remaining deliveries, returns the one with the fewest attempts, so that an event that always fails does not block the other
     * events. If that delivery belongs to a digest, returns all due deliveries of the digest.
     */
    async nextDue(destinationId: string, nowMs: number): Promise<DueDelivery[]> {
      const due = db
        .selectFrom("deliveries")
        .selectAll("deliveries")
        .where("destination_id", "=", destinationId)
        .where(isWaiting)
        // The `+` prevents the use of the index by time. With that index, the engine would sort all waiting deliveries at each attempt.
        .where(sql<boolean>`+next_ms <= ${nowMs}`)
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

    /**
     * Records that the destination accepted deliveries. When the destination had failed at least twice in a row before, makes all its
     * waiting deliveries due, except digests.
     */
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

    /**
     * Records a failed attempt: sets the times of the next attempts, or the state `failed` when no attempt is left. Returns the number of
     * deliveries that have no attempt left.
     */
    recordFailed: (
      { id, project_id, failures, failing_since }: DestinationRow,
      deliveries: readonly DeliveryRow[],
      { status, problem, retryAfterMs, isGone = false }: FailedAttempt,
      nowMs: number,
    ): Promise<number> =>
      transaction(db, project_id, async (tx) => {
        const now = new Date(nowMs).toISOString();
        let givenUp = 0;
        for (const delivery of deliveries) {
          const attempts = delivery.attempts + 1;
          const next = nextAttemptMs(attempts, nowMs, Math.random(), retryAfterMs);
          const isGivenUp = next === undefined && !isGone;
          if (isGivenUp) givenUp++;
          const left = isGivenUp ? ({ state: "failed", ended_at: now } as const) : { next_ms: next ?? nowMs };
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
        return givenUp;
      }),
  };
}

/** Makes all waiting deliveries of the destination due now, except digests. */
export async function bringForward(tx: Db, destinationId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable("deliveries")
    .set({ next_ms: nowMs })
    .where("destination_id", "=", destinationId)
    .where(isWaiting)
    .where("next_ms", ">", nowMs)
    .where("is_digest", "=", 0)
    .execute();
}
