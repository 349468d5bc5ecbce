import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { prepareIndex } from "../index/schema.ts";
import type { SpanTarget } from "../trace-store.ts";
import { type ClickHouse, integer, openClickHouse, traceLiteral } from "./client.ts";
import { createClickHouseEraser } from "./erase.ts";
import { indexTraces } from "./deletion-order.ts";
import { nativeBlock, SPAN_COLUMNS } from "./native-block.ts";
import { remainingSums } from "./remaining-sums.ts";
import { prepareClickHouse } from "./schema.ts";
import { TRACE_ID } from "./spans.ts";

const TRACES_AT_ONCE = 500;

/** A service that opens the store later derives the conversations. */
export async function openSpanTarget(url: string, db: Db): Promise<SpanTarget> {
  const clickHouse = await openClickHouse(url);
  const { table, rowsOf, run } = clickHouse;
  try {
    await prepareClickHouse(clickHouse);
    await prepareIndex(db);
  } catch (error) {
    await clickHouse.close();
    throw error;
  }
  const { erase } = createClickHouseEraser(clickHouse, db, () => undefined);
  const emptyIndex = () => sql`TRUNCATE traces, conversations, conversation_terms`.execute(db);

  return {
    async isEmpty() {
      const stored = await rowsOf(`SELECT 1 AS one FROM ${table("spans")} LIMIT 1`);
      const { rows: indexed } = await sql`SELECT 1 FROM conversations LIMIT 1`.execute(db);
      return stored.length === 0 && indexed.length === 0;
    },

    async empty() {
      await run(`TRUNCATE TABLE ${table("spans")}`);
      await run(`TRUNCATE TABLE ${table("readings")}`);
      await emptyIndex();
    },

    async store(batch) {
      if (batch.rows === 0) return;
      const bytes = nativeBlock(batch);
      await clickHouse.insert({ table: "spans", columns: SPAN_COLUMNS, format: "Native", bytes });
    },

    async index(onIndexed) {
      await emptyIndex();
      let indexed = 0;
      for await (const traces of tracesIn(clickHouse)) {
        const deleted = await indexTraces(db, await remainingSums(clickHouse, traces));
        for (const [project, sums] of Map.groupBy(deleted, (one) => one.project))
          await erase(project, { traceIds: sums.map(({ traceId }) => traceId), names: [] });
        onIndexed((indexed += traces.length));
      }
    },

    close: clickHouse.close,
  };
}

async function* tracesIn({ rowsOf, table }: ClickHouse) {
  const projects = await rowsOf<{ project: number }>(`SELECT DISTINCT project FROM ${table("spans")} ORDER BY project`);
  for (const { project } of projects) {
    let after: string | undefined;
    for (;;) {
      const further = after === undefined ? "" : `AND trace_id > ${traceLiteral(after)}`;
      const traces = await rowsOf<{ project: number; traceId: string }>(
        `SELECT project, ${TRACE_ID} AS traceId FROM ${table("spans")} WHERE project = ${integer(project)} ${further}
         ORDER BY project, trace_id LIMIT 1 BY trace_id LIMIT ${TRACES_AT_ONCE}`,
      );
      if (traces.length > 0) yield traces;
      if (traces.length < TRACES_AT_ONCE) break;
      after = traces.at(-1)!.traceId;
    }
  }
}
