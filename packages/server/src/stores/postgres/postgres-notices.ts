import { setTimeout as delay } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Client } from "pg";
import { every } from "../../base/async/every.ts";
import type { Log } from "../../base/log/log.ts";
import { createListeners, type Notices, type Topic } from "../notices.ts";
import type { Db } from "../relational.ts";
import { TAKE_SERVING_LOCK } from "../serving.ts";

/** Notices within this time after a first notice are sent together with it. A record that changed several times gets one notice. */
const GATHER_MS = 50;
const RECONNECT_MS = 1_000;
/** Listeners are also called at this interval, because a process may die between its commit and its notice. */
const READ_AGAIN_MS = 60_000;
const ANSWER_MS = 10_000;
const CHANNEL = "svc";

/** The name of the listening connection in PostgreSQL's list of connections. */
export const LISTENER_NAME = "svc notices";

/**
 * Sends notices between processes through PostgreSQL. If the connection that receives notices is lost, opens a new connection. Then calls
 * every listener, because PostgreSQL does not store the notices that were sent meanwhile.
 */
export function openPostgresNotices(url: string, db: Db, log: Log): Notices {
  const { listen, call, callAll } = createListeners();
  const sender = randomUUID();
  const closing = new AbortController();
  const waiting = new Set<string>();
  let gathering: Promise<void> | undefined;

  async function sendWaiting(): Promise<void> {
    while (waiting.size > 0) {
      const payloads = [...waiting].map((notice) => `${sender} ${notice}`);
      waiting.clear();
      await sql`SELECT pg_notify(${CHANNEL}, payload) FROM unnest(${payloads}::text[]) AS payload`
        .execute(db)
        .catch((error: unknown) =>
          log.warn({ err: error }, "notices of changes did not reach other processes, which read again by themselves"),
        );
      await delay(GATHER_MS, undefined, { ref: false, signal: closing.signal }).catch(() => undefined);
    }
    gathering = undefined;
  }

  function receive(payload = ""): void {
    const [from, topic, id] = payload.split(" ");
    if (from !== sender && topic !== undefined && id !== undefined) call(topic as Topic, id);
  }

  async function listenOnce(): Promise<void> {
    const { default: pg } = await import("pg");
    const client = new pg.Client({
      connectionString: url,
      application_name: LISTENER_NAME,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    const lost = Promise.withResolvers<void>();
    client.on("error", () => lost.resolve());
    client.on("end", () => lost.resolve());
    client.on("notification", ({ payload }) => receive(payload));
    const pinged = new AbortController();
    const leave = () => lost.resolve();
    closing.signal.addEventListener("abort", leave, { once: true });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      await client.query(TAKE_SERVING_LOCK);
      callAll();
      every(READ_AGAIN_MS, () => ping(client), pinged.signal, leave);
      if (!closing.signal.aborted) await lost.promise;
    } finally {
      closing.signal.removeEventListener("abort", leave);
      pinged.abort();
      await client.end().catch(() => undefined);
    }
  }

  async function ping(client: Client): Promise<void> {
    await client.query("SELECT 1");
    callAll();
  }

  async function listenAlways(): Promise<void> {
    while (!closing.signal.aborted) {
      await listenOnce().catch((error: unknown) =>
        log.warn({ err: error }, "the service does not hear of changes by other processes; it connects again"),
      );
      await delay(RECONNECT_MS, undefined, { ref: false, signal: closing.signal }).catch(() => undefined);
    }
  }

  const listening = listenAlways();

  return {
    send(topic, id) {
      call(topic, id);
      waiting.add(`${topic} ${id}`);
      gathering ??= sendWaiting();
    },
    listen,
    async close() {
      closing.abort();
      await Promise.all([listening, gathering]);
    },
  };
}
