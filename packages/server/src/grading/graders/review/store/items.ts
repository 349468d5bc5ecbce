import type { ReviewItem, ReviewReason, ReviewSettings } from "@svc/contract";
import { sql } from "kysely";
import type { FindProjects } from "../../../../access/projects.ts";
import { AppError, notFound } from "../../../../base/errors.ts";
import { dialectOf } from "../../../../stores/dialect.ts";
import { type Page, type PageRequest, readPage } from "../../../../stores/page.ts";
import { projectOfRow } from "../../../../stores/project-of-row.ts";
import type { Db } from "../../../../stores/relational.ts";
import type { Schema } from "../../../../stores/schema.ts";
import { transaction } from "../../../../stores/transaction.ts";
import { closeItem, notePerson } from "./queue.ts";
import { readSettings, scopeOf, type StoredSettings, writeSettings } from "./settings.ts";

export type ItemRow = Schema["review_items"];

export type ItemDetails = {
  reasons: Schema["review_reasons"][];
  grades: Schema["review_grades"][];
  people: (Schema["review_people"] & { user_name: string })[];
};

export type ItemFilters = {
  reason?: ReviewReason | undefined;
  graderId?: string | undefined;
  agent?: string | undefined;
};

export type QueueCounts = { waiting: number; open: number; inWork: number; done: number; skipped: number };

export type ReviewStore = {
  findProjects: FindProjects;
  settings: (projectId: string) => Promise<StoredSettings>;
  /** Stores the settings that `decide` returns, in one transaction. */
  configure: (projectId: string, decide: (current: ReviewSettings) => ReviewSettings) => Promise<StoredSettings>;
  count: (projectId: string) => Promise<QueueCounts>;
  /** Newest first. */
  list: (
    projectId: string,
    filters: ItemFilters & { state?: ReviewItem["state"] | undefined },
    page: PageRequest,
  ) => Promise<Page<ItemRow>>;
  get: (projectId: string, id: string) => Promise<ItemRow>;
  detailsOf: (items: readonly ItemRow[]) => Promise<Map<string, ItemDetails>>;
  /**
   * Returns the next item for a person, and reserves this item for the person. `after` is an item that the person leaves; its reservation
   * ends first.
   */
  take: (
    projectId: string,
    userId: string,
    filters: ItemFilters & { after?: string | undefined },
  ) => Promise<ItemRow | undefined>;
  /** Throws a conflict if the item is done. */
  skip: (projectId: string, id: string, userId: string) => Promise<void>;
};

export function createReviewStore(db: Db): ReviewStore {
  const { nowMs } = dialectOf(db);
  const isHeld = sql<boolean>`review_people.until_ms > ${nowMs}`;

  const itemsOf = (from: Db, projectId: string, { reason, graderId, agent }: ItemFilters) =>
    from
      .selectFrom("review_items")
      .selectAll("review_items")
      .where("project_id", "=", projectId)
      .$if(agent !== undefined, (items) => items.where("agent", "=", agent!))
      .$if(reason !== undefined, (items) =>
        items.where(({ exists, selectFrom }) =>
          exists(
            selectFrom("review_reasons")
              .select("item_id")
              .whereRef("item_id", "=", "review_items.id")
              .where("reason", "=", reason!),
          ),
        ),
      )
      .$if(graderId !== undefined, (items) =>
        items.where(({ exists, selectFrom }) =>
          exists(
            selectFrom("review_grades")
              .select("item_id")
              .whereRef("item_id", "=", "review_items.id")
              .where("grader_id", "=", graderId!),
          ),
        ),
      );

  const getItem = (from: Db, projectId: string, id: string): Promise<ItemRow> =>
    from
      .selectFrom("review_items")
      .selectAll()
      .where("project_id", "=", projectId)
      .where("id", "=", id)
      .executeTakeFirstOrThrow(notFound);

  const inWork = (tx: Db, projectId: string, userId: string, filters: ItemFilters): Promise<ItemRow | undefined> =>
    itemsOf(tx, projectId, filters)
      .innerJoin("review_people", "review_people.item_id", "review_items.id")
      .where("user_id", "=", userId)
      .where("did", "=", "reviewing")
      .where(isHeld)
      .where("state", "=", "open")
      .orderBy("review_people.at")
      .limit(1)
      .executeTakeFirst();

  /** Returns the first open item after `after` that the person has not finished and that still needs another person. */
  const firstFree = (tx: Db, projectId: string, userId: string, filters: ItemFilters, after: ItemRow | undefined) =>
    itemsOf(tx, projectId, filters)
      .where("state", "=", "open")
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("review_people")
              .select("item_id")
              .whereRef("item_id", "=", "review_items.id")
              .where("user_id", "=", userId)
              .where("did", "<>", "reviewing"),
          ),
        ),
      )
      .where(({ eb, selectFrom }) =>
        eb(
          selectFrom("review_people")
            .select(({ fn }) => fn.countAll<number>().as("count"))
            .whereRef("item_id", "=", "review_items.id")
            .where("user_id", "<>", userId)
            .where((person) => person.or([person("did", "=", "labeled"), isHeld])),
          "<",
          eb.ref("people_wanted"),
        ),
      )
      .$if(after !== undefined, (items) =>
        items.where(({ eb, or, and }) =>
          or([
            eb("urgency", ">", after!.urgency),
            and([eb("urgency", "=", after!.urgency), eb("review_items.id", ">", after!.id)]),
          ]),
        ),
      )
      .orderBy("urgency")
      .orderBy("review_items.id")
      .limit(1)
      .executeTakeFirst();

  return {
    findProjects: (id) => projectOfRow(db, "review_items", id),

    settings: (projectId) => readSettings(db, projectId),

    configure: (projectId, decide) =>
      transaction(db, scopeOf(projectId), async (tx) => {
        const current = await readSettings(tx, projectId);
        await writeSettings(tx, projectId, current, decide(current.settings));
        return readSettings(tx, projectId);
      }),

    async count(projectId) {
      const states = await db
        .selectFrom("review_items")
        .select("state")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("project_id", "=", projectId)
        .groupBy("state")
        .execute();
      const held = await db
        .selectFrom("review_items")
        .innerJoin("review_people", "review_people.item_id", "review_items.id")
        .select(({ fn }) => fn.count<number>("review_items.id").distinct().as("count"))
        .where("project_id", "=", projectId)
        .where("state", "=", "open")
        .where("did", "=", "reviewing")
        .where(isHeld)
        .executeTakeFirstOrThrow();
      const counts = { waiting: 0, open: 0, inWork: Number(held.count), done: 0, skipped: 0 };
      for (const { state, count } of states) counts[state] = Number(count);
      return counts;
    },

    list(projectId, { state, ...filters }, page) {
      const items = itemsOf(db, projectId, filters);
      return readPage(state === undefined ? items : items.where("state", "=", state), page, "review_items.id");
    },

    get: (projectId, id) => getItem(db, projectId, id),

    async detailsOf(items) {
      const ids = items.map(({ id }) => id);
      if (ids.length === 0) return new Map();
      const reasons = await db
        .selectFrom("review_reasons")
        .selectAll()
        .where("item_id", "in", ids)
        .orderBy("created_at")
        .orderBy("reason")
        .orderBy("about")
        .execute();
      const grades = await db
        .selectFrom("review_grades")
        .selectAll()
        .where("item_id", "in", ids)
        .orderBy("grade_id")
        .execute();
      const people = await db
        .selectFrom("review_people")
        .innerJoin("users", "users.id", "user_id")
        .selectAll("review_people")
        .select("users.name as user_name")
        .where("item_id", "in", ids)
        .where((person) => person.or([person("did", "<>", "reviewing"), isHeld]))
        .orderBy("at")
        .orderBy("user_id")
        .execute();
      const of = <Row extends { item_id: string }>(rows: readonly Row[]) => Map.groupBy(rows, ({ item_id }) => item_id);
      const [ofReasons, ofGrades, ofPeople] = [of(reasons), of(grades), of(people)];
      return new Map(
        ids.map((id) => [
          id,
          { reasons: ofReasons.get(id) ?? [], grades: ofGrades.get(id) ?? [], people: ofPeople.get(id) ?? [] },
        ]),
      );
    },

    take: (projectId, userId, { after, ...filters }) =>
      transaction(db, scopeOf(projectId), async (tx) => {
        const left = after === undefined ? undefined : await getItem(tx, projectId, after);
        if (left !== undefined) await release(tx, left.id, userId);
        const item =
          (left === undefined ? await inWork(tx, projectId, userId, filters) : undefined) ??
          (await firstFree(tx, projectId, userId, filters, left));
        if (item !== undefined) await notePerson(tx, item.id, userId, "reviewing");
        return item;
      }),

    skip: (projectId, id, userId) =>
      transaction(db, scopeOf(projectId), async (tx) => {
        const item = await getItem(tx, projectId, id);
        if (item.state === "done")
          throw new AppError("conflict", "The item is done. Its labels stay; label its grades again to change them.");
        if (item.state === "skipped") return;
        await notePerson(tx, id, userId, "skipped");
        await closeItem(tx, id, "skipped");
      }),
  };
}

async function release(tx: Db, itemId: string, userId: string): Promise<void> {
  await tx
    .deleteFrom("review_people")
    .where("item_id", "=", itemId)
    .where("user_id", "=", userId)
    .where("did", "=", "reviewing" satisfies Schema["review_people"]["did"])
    .execute();
}
