import { setTimeout as delay } from "node:timers/promises";
import type { DestinationKind, ProjectEvent } from "@svc/contract";
import { every } from "../base/async/every.ts";
import { createCounts } from "../base/counts.ts";
import type { Log } from "../base/log/log.ts";
import type { DestinationRow } from "../stores/schema.ts";
import type { ProjectAddress } from "../stores/project-address.ts";
import { presentEvent } from "./rules.ts";
import type { Send } from "./send.ts";
import type { DeliveryStore, DueDelivery } from "./store/deliveries.ts";

/** Only specs change these intervals. */
export type SenderPace = {
  everyMs: number;
  /** Milliseconds after which a lease on a destination ends unless its process renews the lease. Must be longer than one attempt. */
  leaseMs: number;
  /** Milliseconds after which a request of a webhook or of Slack fails when the receiver has not answered. */
  timeoutMs: number;
};

export const PACE: SenderPace = { everyMs: 1_000, leaseMs: 60_000, timeoutMs: 10_000 };

const DESTINATIONS_AT_ONCE = 200;
/** Pause of a destination after an error of the service itself. */
const AGAIN_AFTER_FAULT_MS = 30_000;

type Needs = {
  deliveries: DeliveryStore;
  send: Send;
  placeOf: (projectId: string) => Promise<ProjectAddress>;
  log: Log;
  pace?: Partial<SenderPace> | undefined;
};

/**
 * Starts the sender of events. Each destination gets one request at a time. Different destinations do not wait for each other, so a slow
 * receiver does not delay other receivers. The sender retries an event until the receiver accepts the event or no attempt is left. When the
 * process ends during an attempt, the event may be sent twice.
 */
export function startSender({ deliveries: store, send, placeOf, log, pace = {} }: Needs) {
  const { everyMs, leaseMs } = { ...PACE, ...pace };
  const stopping = new AbortController();
  const { signal } = stopping;
  const counts = {
    sent: createCounts<DestinationKind>(),
    failed: createCounts<DestinationKind>(),
    given_up: createCounts<DestinationKind>(),
  };
  const sending = new Map<string, Promise<void>>();

  const looking = every(everyMs, startSending, signal, (error) =>
    log.error({ err: error }, "the service could not look for events to send; it tries again"),
  );

  async function startSending(): Promise<void> {
    const room = DESTINATIONS_AT_ONCE - sending.size;
    if (room <= 0) return;
    const due = await store.listDue(Date.now(), DESTINATIONS_AT_ONCE);
    for (const id of due.filter((each) => !sending.has(each)).slice(0, room)) {
      const done = sendAll(id)
        .catch(async (error: unknown) => {
          log.error({ err: error, destination: id }, "events could not be sent; the service tries again");
          await delay(AGAIN_AFTER_FAULT_MS, undefined, { signal, ref: false }).catch(() => undefined);
        })
        .finally(() => void sending.delete(id));
      sending.set(id, done);
    }
  }

  async function sendAll(id: string): Promise<void> {
    let destination = await store.lease(id, leaseMs, Date.now());
    if (destination === undefined) return;
    let renewedAt = performance.now();
    try {
      const place = await placeOf(destination.project_id);
      while (destination !== undefined && !signal.aborted) {
        const due = await store.nextDue(id, Date.now());
        if (due.length === 0) return;
        await attempt(destination, due, place);
        if (performance.now() - renewedAt > leaseMs / 3) {
          await store.renew(id, leaseMs);
          renewedAt = performance.now();
        }
        destination = await store.read(id, Date.now());
      }
    } finally {
      await store.release(id);
    }
  }

  async function attempt(destination: DestinationRow, due: DueDelivery[], place: ProjectAddress): Promise<void> {
    const events = due.map(({ event }) => presentEvent(event, place)) as [ProjectEvent, ...ProjectEvent[]];
    const deliveries = due.map(({ delivery }) => delivery);
    const outcome = await send(destination, events, signal);
    // The stop of the service aborted the attempt, so the failure is not the receiver's.
    if (!outcome.delivered && signal.aborted) return;
    const { kind } = destination;
    if (outcome.delivered) {
      const ids = deliveries.map(({ id }) => id);
      await store.recordDelivered(destination, ids, outcome.status);
      return counts.sent.add(kind, ids.length);
    }
    const givenUp = await store.recordFailed(destination, deliveries, outcome, Date.now());
    counts.given_up.add(kind, givenUp);
    counts.failed.add(kind, deliveries.length - givenUp);
  }

  return {
    counts,
    wake: looking.now,
    /** Stops the sender and aborts the running requests. The next start sends their events again. */
    async close(): Promise<void> {
      stopping.abort();
      await looking.idle();
      await Promise.all(sending.values());
    },
  };
}
