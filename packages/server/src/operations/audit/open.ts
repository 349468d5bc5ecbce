import { Readable } from "node:stream";
import type { ServiceContext } from "../../context.ts";
import { type AuditTrail, auditedOf } from "../../http/audited.ts";
import type { Routes } from "../../http/operation.ts";
import { createLimit } from "../../http/shared-rate-limit.ts";
import { pageRequest } from "../../stores/page.ts";
import type { Db } from "../../stores/relational.ts";
import { startRetention } from "../../traces/erasure/retention.ts";
import { createWitnessRow } from "../../traces/store/clock-witness-row.ts";
import { DAY_MS } from "../../traces/store/day.ts";
import { presentLine } from "./rules.ts";
import { type AuditStore, createAuditStore } from "./store.ts";

const HOUR_MS = 60 * 60 * 1000;
const LINES_AT_ONCE = 500;

export function openAudit({ config, db, log }: Pick<ServiceContext, "config" | "db" | "log">) {
  const store = createAuditStore(db);
  const refusals = createLimit(db, "refusals in the audit", 1);
  const late = new Set<Promise<void>>();
  const closing = new AbortController();

  const trail: AuditTrail = {
    begin: store.add,
    end: (lineIds, outcome) =>
      store.addOutcome(lineIds, outcome).catch((error: unknown) => {
        log.error({ err: error, lines: lineIds }, "the outcome of a line of the audit could not be written");
      }),
    later(work) {
      const done = work()
        .catch((error: unknown) => log.error({ err: error }, "a line of the audit could not be written"))
        .finally(() => void late.delete(done));
      late.add(done);
    },
    hasRead: (line) => store.hasSince(line, new Date(Date.now() - HOUR_MS).toISOString()),
    mayNoteRefusal: async ({ keyId, userId, organizationId }, operation) =>
      !(await refusals.count(`${keyId ?? userId} ${organizationId} ${operation}`)).exceeded,
  };

  startRetention({
    what: "lines of the audit",
    // On a new service, the deletion of old lines waits a day until the clock is confirmed. For the audit, the wait needs no log
    // line.
    tellsHolds: false,
    witness: createWitnessRow(db, "audit"),
    listRetentions: async () => [{ project: null, days: config.auditRetentionDays }],
    eraseBefore: (day) => store.deleteBefore(new Date(day * DAY_MS).toISOString()),
    log,
    signal: closing.signal,
  });

  return {
    trail,
    routes: auditRoutes(store),
    /** Resolves when all lines are written, including those from the background. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.all(late);
    },
  };
}

function auditRoutes(store: AuditStore): Routes<"audit"> {
  return {
    audit: {
      list: async ({ caller, query: { pageSize, pageToken, ...filters } }) => {
        const page = await store.list(caller.organizationId, filters, pageRequest("aud", pageSize, pageToken));
        return { lines: page.items.map(presentLine), nextPageToken: page.next };
      },

      export: async ({ caller, query, http }) => {
        http.type = "application/x-ndjson";
        http.set("Content-Disposition", 'attachment; filename="audit.ndjson"');
        return Readable.from(linesOf(caller.organizationId, query), { objectMode: false });
      },
    },
  };

  async function* linesOf(organizationId: string, filters: Parameters<AuditStore["list"]>[1]) {
    for (let after = ""; ;) {
      const rows = await store.listAfter(organizationId, filters, after, LINES_AT_ONCE);
      if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(presentLine(row))}\n`).join("");
      if (rows.length < LINES_AT_ONCE) return;
      after = rows.at(-1)!.id;
    }
  }
}

/**
 * Writes an audit line about the operator of the service. Call this function before the operator's change, and the returned function after
 * it.
 */
export async function auditOperator(
  db: Db,
  { organizationId, operation, about }: { organizationId: string; operation: string; about: string },
): Promise<() => Promise<void>> {
  const store = createAuditStore(db);
  const lineIds = await store.add({
    organizationId,
    operation,
    actor: { via: "operator", userId: null, sessionId: null, keyId: null },
    address: null,
    requestId: null,
    projectId: null,
    resource: auditedOf(about),
  });
  return () => store.addOutcome(lineIds, { error: null, created: null });
}
