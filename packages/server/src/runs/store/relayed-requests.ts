import { sql } from "kysely";
import { postgresNowMs as nowMs } from "../../stores/dialect.ts";
import type { Db } from "../../stores/relational.ts";

/**
 * Requests that one process passes to another process through the database. `holder` is the name of a conversation; the process that plays
 * it answers the request.
 */
export type RelayedRequestStore = {
  add: (id: string, holder: string, request: unknown) => Promise<void>;
  take: (holders: readonly string[]) => Promise<{ id: string; holder: string; request: string }[]>;
  answer: (id: string, answer: unknown) => Promise<void>;
  /** Returns whether a process took the request, and its answer. Undefined when the request does not exist any more. */
  read: (id: string) => Promise<{ taken: 0 | 1; answer: string | null } | undefined>;
  /** Deletes the request if no process has taken it. */
  withdraw: (id: string) => Promise<boolean>;
  remove: (id: string) => Promise<void>;
  removeOld: () => Promise<void>;
};

/** `removeOld` deletes a request `keptMs` after its creation; no process waits longer for an answer. */
export function createRelayedRequestStore(db: Db, keptMs: number): RelayedRequestStore {
  const one = (id: string) => db.deleteFrom("relayed_requests").where("id", "=", id);

  return {
    async add(id, holder, request) {
      const ends_ms = sql<number>`${nowMs} + ${sql.lit(keptMs)}`;
      await db
        .insertInto("relayed_requests")
        .values({ id, holder, request: JSON.stringify(request), ends_ms })
        .execute();
    },

    take: (holders) =>
      db
        .updateTable("relayed_requests")
        .set({ taken: 1 })
        .where("holder", "in", holders)
        .where("taken", "=", 0)
        .returning(["id", "holder", "request"])
        .execute(),

    async answer(id, answer) {
      await db
        .updateTable("relayed_requests")
        .set({ answer: JSON.stringify(answer) })
        .where("id", "=", id)
        .execute();
    },

    read: (id) => db.selectFrom("relayed_requests").select(["taken", "answer"]).where("id", "=", id).executeTakeFirst(),

    withdraw: async (id) => (await one(id).where("taken", "=", 0).executeTakeFirst()).numDeletedRows > 0n,

    async remove(id) {
      await one(id).execute();
    },

    async removeOld() {
      await db.deleteFrom("relayed_requests").where("ends_ms", "<", nowMs).execute();
    },
  };
}
