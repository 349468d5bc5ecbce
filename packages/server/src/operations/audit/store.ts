import type { AuditOutcome } from "@svc/contract";
import type { SelectQueryBuilder } from "kysely";
import { newId } from "../../base/ids.ts";
import type { Actor, LineOutcome, NewLine } from "../../http/audited.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import type { Db } from "../../stores/relational.ts";
import type { Schema } from "../../stores/schema.ts";
import { FAULTS, type LineRow } from "./rules.ts";

export type LineFilters = {
  actor?: string | undefined;
  operation?: string | undefined;
  resource?: string | undefined;
  outcome?: AuditOutcome | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

/** Stores the lines of the audit log. A line never changes; its outcome is a separate row. */
export type AuditStore = {
  add: (line: NewLine) => Promise<string[]>;
  addOutcome: (lineIds: readonly string[], outcome: LineOutcome) => Promise<void>;
  /** Returns whether a line with the same organization, actor, operation and resource exists since this time. */
  hasSince: (line: NewLine, time: string) => Promise<boolean>;
  list: (organizationId: string, filters: LineFilters, page: PageRequest) => Promise<Page<LineRow>>;
  /** Returns the lines after the line with the id `after`, oldest first. */
  listAfter: (organizationId: string, filters: LineFilters, after: string, limit: number) => Promise<LineRow[]>;
  deleteBefore: (time: string) => Promise<number>;
};

export function createAuditStore(db: Db): AuditStore {
  async function namesOf({ userId, keyId }: Actor) {
    const user =
      userId === null
        ? undefined
        : await db.selectFrom("users").select("address").where("id", "=", userId).executeTakeFirst();
    const key =
      keyId === null
        ? undefined
        : await db.selectFrom("api_keys").select(["name", "last_four"]).where("id", "=", keyId).executeTakeFirst();
    return { email: user?.address ?? null, key_name: key?.name ?? null, key_last_four: key?.last_four ?? null };
  }

  async function organizationsOf(userId: string | null): Promise<string[]> {
    if (userId === null) return [];
    const memberships = db.selectFrom("memberships").select("organization_id").where("user_id", "=", userId);
    return (await memberships.execute()).map(({ organization_id }) => organization_id);
  }

  function select(organizationId: string, { actor, operation, resource, outcome, from, to }: LineFilters) {
    let lines = db
      .selectFrom("audit_lines")
      .leftJoin("audit_outcomes", "audit_outcomes.line_id", "audit_lines.id")
      .selectAll("audit_lines")
      .select(["line_id as ended", "error", "created_kind", "created_id"])
      .where("organization_id", "=", organizationId);
    if (actor !== undefined)
      lines = lines.where((eb) =>
        eb.or([eb("email", "=", actor.toLowerCase()), eb("user_id", "=", actor), eb("key_id", "=", actor)]),
      );
    if (operation !== undefined)
      // The names of a family's operations begin with the family's name and ".". "/" is the character after ".".
      lines = operation.includes(".")
        ? lines.where("operation", "=", operation)
        : lines.where("operation", ">", `${operation}.`).where("operation", "<", `${operation}/`);
    if (resource !== undefined)
      lines = lines.where((eb) => eb.or([eb("resource_id", "=", resource), eb("created_id", "=", resource)]));
    if (outcome === "unknown") lines = lines.where("line_id", "is", null);
    if (outcome === "done") lines = lines.where("line_id", "is not", null).where("error", "is", null);
    if (outcome === "refused") lines = lines.where("error", "is not", null).where("error", "not in", FAULTS);
    if (outcome === "failed") lines = lines.where("error", "in", FAULTS);
    if (from !== undefined) lines = lines.where("created_at", ">=", new Date(from).toISOString());
    if (to !== undefined) lines = lines.where("created_at", "<", new Date(to).toISOString());
    return lines;
  }

  return {
    async add({ organizationId, operation, actor, address, requestId, projectId, resource, detail = null }) {
      const organizations = organizationId === undefined ? await organizationsOf(actor.userId) : [organizationId];
      if (organizations.length === 0) return [];
      const line = {
        created_at: new Date().toISOString(),
        operation,
        via: actor.via,
        user_id: actor.userId,
        ...(await namesOf(actor)),
        session_id: actor.sessionId,
        key_id: actor.keyId,
        address,
        request_id: requestId,
        project_id: projectId,
        resource_kind: resource?.kind ?? null,
        resource_id: resource?.id ?? null,
        detail,
      };
      const rows = organizations.map((organization_id) => ({ id: newId("aud"), organization_id, ...line }));
      await db.insertInto("audit_lines").values(rows).execute();
      return rows.map(({ id }) => id);
    },

    async addOutcome(lineIds, { error, created }) {
      if (lineIds.length === 0) return;
      const outcome = { error, created_kind: created?.kind ?? null, created_id: created?.id ?? null };
      await db
        .insertInto("audit_outcomes")
        .values(lineIds.map((line_id) => ({ line_id, ...outcome })))
        .execute();
    },

    async hasSince({ organizationId, operation, actor, resource }, time) {
      const lines = db
        .selectFrom("audit_lines")
        .select("id")
        .where("created_at", ">=", time)
        .where("organization_id", "=", organizationId!)
        .where("operation", "=", operation)
        .where("resource_id", "is not distinct from", resource?.id ?? null)
        .where("user_id", "is not distinct from", actor.userId)
        .where("session_id", "is not distinct from", actor.sessionId)
        .where("key_id", "is not distinct from", actor.keyId);
      return (await lines.executeTakeFirst()) !== undefined;
    },

    list: (organizationId, filters, page) =>
      readPage(select(organizationId, filters) as SelectQueryBuilder<Schema, keyof Schema, LineRow>, page),

    listAfter: (organizationId, filters, after, limit) =>
      select(organizationId, filters).where("id", ">", after).orderBy("id").limit(limit).execute(),

    async deleteBefore(time) {
      const deleted = await db.deleteFrom("audit_lines").where("created_at", "<", time).executeTakeFirst();
      return Number(deleted.numDeletedRows);
    },
  };
}
