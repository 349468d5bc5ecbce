import type { FindProjects } from "../../access/projects.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import { projectOfRow } from "../../stores/project-of-row.ts";
import { type Db, refuseTaken } from "../../stores/relational.ts";
import type { DestinationRow } from "../../stores/schema.ts";
import { transaction } from "../../stores/transaction.ts";
import { type DestinationContent, type FailingDestination, FAILURES_OF_CONDITION } from "../rules.ts";
import { bringForward, isFailed } from "./deliveries.ts";

export type DestinationStore = ReturnType<typeof createDestinationStore>;

export function createDestinationStore(db: Db) {
  const findProjects: FindProjects = (id) => projectOfRow(db, "destinations", id);

  const taken = refuseTaken("The project has a destination with this name. Choose another name.");

  return {
    get: (projectId: string, id: string) => find(db, projectId, id),

    findProjects,

    list: (projectId: string, page: PageRequest): Promise<Page<DestinationRow>> =>
      readPage(db.selectFrom("destinations").selectAll().where("project_id", "=", projectId), page),

    /**
     * `withSecret` stores the destination's secret in the same transaction. Throws when the project has `max`
     * destinations already.
     */
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
     * Replaces the content of the destination with the result of `decide`, in one transaction. Each edit also ends the pause after
     * failures.
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

    async isMember(organizationId: string, address: string): Promise<boolean> {
      const member = db
        .selectFrom("memberships")
        .innerJoin("users", "users.id", "user_id")
        .select("users.id")
        .where("organization_id", "=", organizationId)
        .where("address", "=", address);
      return (await member.limit(1).executeTakeFirst()) !== undefined;
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

const columns = ({ name, kind, address, eventTypes, agents, quotes }: DestinationContent) => ({
  name,
  kind,
  address,
  event_types: JSON.stringify(eventTypes),
  agents: JSON.stringify(agents),
  quotes: quotes ? (1 as const) : (0 as const),
});
