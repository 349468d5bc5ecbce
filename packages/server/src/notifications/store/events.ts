import type { EventType } from "@svc/contract";
import { type Page, type PageRequest, readPage, readPages } from "../../stores/page.ts";
import type { Db } from "../../stores/relational.ts";
import type { ConversationTexts } from "../../traces/erasure/open.ts";
import type { EventRow } from "../rules.ts";

export type EventStore = ReturnType<typeof createEventStore>;

export function createEventStore(db: Db) {
  return {
    list: (projectId: string, type: EventType | undefined, page: PageRequest): Promise<Page<EventRow>> => {
      const all = db.selectFrom("events").selectAll().where("project_id", "=", projectId);
      return readPage(type === undefined ? all : all.where("type", "=", type), page);
    },

    /** Deletes the events that are older than the time, and their deliveries. */
    async deleteBefore(time: string): Promise<number> {
      const deleted = await db.deleteFrom("events").where("created_at", "<", time).executeTakeFirst();
      return Number(deleted.numDeletedRows);
    },
  };
}

const NAMES_AT_ONCE = 500;

/** Returns the functions that erase the events about conversations, and the deliveries of these events. */
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

/** Small, because an event can have 64 KiB. */
const EXPORTED_AT_ONCE = 100;

/** The rows of the export, oldest first, with the names of the exported columns. */
export const exportEvents = (db: Db, projectId: string) =>
  readPages((after: { id: string } | undefined) =>
    db
      .selectFrom("events")
      .select(["id", "type", "created_at as at", "data"])
      .where("project_id", "=", projectId)
      .where("id", ">", after?.id ?? "")
      .orderBy("id")
      .limit(EXPORTED_AT_ONCE)
      .execute(),
  );
