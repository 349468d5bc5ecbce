import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { deleteTraces, forgetReadings, tracesBegunBefore } from "../index/erase.ts";
import { conversationsBefore, namesOf, selectTraces, withDigests } from "../index/names.ts";
import { inTransaction } from "../index/transaction.ts";
import { type ConversationKey, distinct, isOneOfTraces, mergeTraces, type TraceKey } from "../index/writes.ts";
import { DAY_MS } from "../day.ts";
import type { TraceEraser, TraceSelection } from "../trace-store.ts";
import { type ClickHouse, integer, quoted, traceLiteral } from "./client.ts";
import { waitForStorers } from "./deletion-order.ts";
import { remainingSums } from "./remaining-sums.ts";

const TRACES_AT_ONCE = 2_000;

export function createClickHouseEraser(clickHouse: ClickHouse, db: Db, onErased: () => void): TraceEraser {
  const { table, run, rowsOf } = clickHouse;
  const deleteRows = (name: string, condition: string) => run(`ALTER TABLE ${table(name)} DELETE WHERE ${condition}`);

  const deleteSpans = (project: number, ids: readonly string[]) =>
    deleteRows("spans", `project = ${integer(project)} AND trace_id IN (${ids.map(traceLiteral).join(", ")})`);

  async function deleteSamples(keys: readonly ConversationKey[]): Promise<void> {
    for (const [project, ofProject] of Map.groupBy(keys, (one) => one.project)) {
      const names = ofProject.map(({ key }) => quoted(key));
      await deleteRows("readings", `project = ${integer(project)} AND key IN (${names.join(", ")})`);
    }
  }

  /** Deletes the rows in PostgreSQL last, because after a crash these rows lead to the remaining spans. */
  async function erase(project: number, selection: TraceSelection): Promise<string[]> {
    const erased: string[] = [];
    await waitForStorers(db, project);
    // Spans that were stored after their conversation was deleted have no rows in PostgreSQL.
    for (const ids of inPieces(selection.traceIds)) await deleteSpans(project, ids);
    for (const traces of inPieces(await selectTraces(db, project, selection))) {
      const ids = traces.map(({ traceId }) => traceId);
      await deleteSpans(project, ids);
      await deleteSamples(distinct(traces));
      await inTransaction(db, async (tx) => {
        await deleteTraces(tx, traces);
        await forgetReadings(tx, distinct(traces));
      });
      erased.push(...ids);
    }
    if (erased.length > 0) onErased();
    return erased;
  }

  async function dropDaysBefore(day: number, project?: number): Promise<number> {
    const dropped = project === undefined ? await dropPartitionsBefore(day) : await deleteDaysBefore(day, project);
    const begun = await tracesBegunBefore(db, day * DAY_MS, project);
    for (const traces of inPieces(begun)) await sumUpAgain(traces);
    if (begun.length > 0) onErased();
    return dropped;
  }

  /** Returns the number of days on which the deleted spans were received. */
  async function deleteDaysBefore(day: number, project: number): Promise<number> {
    const isOld = `project = ${integer(project)} AND received_us < ${integer(day * DAY_MS * 1_000)}`;
    const [found] = await rowsOf<{ days: number }>(
      `SELECT toUInt32(uniqExact(toDate(fromUnixTimestamp64Micro(received_us, 'UTC')))) AS days FROM ${table("spans")} WHERE ${isOld}`,
    );
    if (found!.days > 0) await deleteRows("spans", isOld);
    return found!.days;
  }

  async function dropPartitionsBefore(day: number): Promise<number> {
    const parts = await rowsOf<{ id: string }>(
      `SELECT DISTINCT partition AS id FROM system.parts
       WHERE active AND table = 'spans' AND concat('\`', database, '\`.spans') = ${quoted(table("spans"))}`,
    );
    const firstKept = Number(new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll("-", ""));
    const dropped = parts.map(({ id }) => Number(id)).filter((id) => id < firstKept);
    for (const id of dropped) await run(`ALTER TABLE ${table("spans")} DROP PARTITION ${integer(id)}`);
    return dropped.length;
  }

  /** Removes the rows of traces without spans. Computes the sums of the other traces again from their remaining spans. */
  async function sumUpAgain(traces: readonly (ConversationKey & TraceKey)[]): Promise<void> {
    await deleteSamples(distinct(traces));
    await inTransaction(db, async (tx) => {
      // Locks the rows. The sums of spans that arrive now wait for the lock, and are then added to the new sums.
      await sql`SELECT 1 FROM traces WHERE ${isOneOfTraces(tx, traces)} ORDER BY project, trace_id FOR UPDATE`.execute(
        tx,
      );
      const remaining = await remainingSums(clickHouse, traces);
      await deleteTraces(tx, traces);
      const keys = remaining.length === 0 ? [] : await mergeTraces(tx, remaining);
      await forgetReadings(tx, distinct([...traces, ...keys]));
    });
  }

  return {
    dropDaysBefore,
    erase,
    conversationsBefore: (day, project) => conversationsBefore(db, day * DAY_MS, project),
    namesOf: (project, traceId) => namesOf(db, project, traceId),
    withDigests: (project, digests) => withDigests(db, project, digests),
    rewrite: async () => false,
  };
}

function* inPieces<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let from = 0; from < items.length; from += TRACES_AT_ONCE) yield items.slice(from, from + TRACES_AT_ONCE);
}
