import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { conversationRows } from "../index/export-rows.ts";
import { journalDir } from "../../journal/segments.ts";
import { readRecordAt, remainingOf, withSegment } from "../../journal/stored-record.ts";
import { createDecoder } from "../../otlp/decoder.ts";
import { type RecordAddress, SpanBatch } from "../../span-batch.ts";
import type { TraceBody } from "../body-rows.ts";
import { DAY_MS } from "../day.ts";
import { writeParquet } from "../duckdb/parquet-writer.ts";
import type { EXPORT_ROWS } from "../export-rows.ts";
import { createExporter } from "../exporter.ts";
import { hexId } from "../span-row.ts";
import type { ExportSelection } from "../trace-store.ts";
import { bodiesOf } from "./bodies.ts";
import type { FolderParts } from "./store.ts";

const BODIES_PER_PAGE = 200;

export function createFolderExporter({ db, samples, moveSamples }: FolderParts, dataDir: string) {
  const readSpans = createSpanReader(dataDir);
  return createExporter({
    days: (project) => daysOf(db, project),
    copy: (selection, file) =>
      isOfSamples(selection) ? moveSamples().then(() => samples.export(selection, file)) : undefined,
    async collect(selection, folder) {
      const { project, table } = selection;
      if (table === "spans")
        return { table, lines: await folder.save(spanRows(db, readSpans, project, selection.day), "rows.json") };
      return { table: "conversations", lines: await folder.save(conversationRows(db, project), "rows.json") };
    },
    writeParquet,
  });
}

type OfSamples = Extract<ExportSelection, { table: "measures" | "tool_calls" }>;
const isOfSamples = (selection: ExportSelection): selection is OfSamples =>
  selection.table === "measures" || selection.table === "tool_calls";

/** Each step finds the next day by a database index. */
async function daysOf(db: Db, project: number): Promise<number[]> {
  const days: number[] = [];
  for (let from = 0; ;) {
    const { rows } = await sql<{ first: number | null }>`
      SELECT min(received_ms) AS first FROM bodies WHERE project = ${project} AND received_ms >= ${from}`.execute(db);
    const { first } = rows[0]!;
    if (first === null) return days;
    const day = Math.floor(first / DAY_MS);
    days.push(day);
    from = (day + 1) * DAY_MS;
  }
}

type ExportedSpan = { traceId: string; spanId: bigint; row: Record<keyof typeof EXPORT_ROWS.spans, unknown> };
type ReadSpans = (address: RecordAddress) => ExportedSpan[];

/** A repeated span belongs to the day of its first copy. */
async function* spanRows(db: Db, readSpans: ReadSpans, project: number, day: number): AsyncGenerator<string> {
  const seenOf = createSeenSpans(readSpans);
  for await (const page of bodiesOfDay(db, project, day)) {
    const traces = [...new Set(page.flatMap(({ traceIds }) => traceIds))].map((traceId) => ({ project, traceId }));
    const all = Map.groupBy(await bodiesOf(db, traces), ({ traceId }) => traceId);
    for (const address of page) {
      const wanted = new Set(address.traceIds);
      const spans = readSpans(address).filter(({ traceId }) => wanted.has(traceId));
      const lines: string[] = [];
      for (const { traceId, spanId, row } of spans) {
        const bodies = all.get(traceId) ?? [];
        const seen = seenOf(traceId, bodies, address);
        if (seen.has(spanId)) continue;
        seen.add(spanId);
        lines.push(`${JSON.stringify(row)}\n`);
      }
      seenOf.leave(address, all);
      yield lines.join("");
    }
  }
}

type DayBody = RecordAddress & { traceIds: string[] };

/** The bodies are in the order of their receipt. */
async function* bodiesOfDay(db: Db, project: number, day: number): AsyncGenerator<DayBody[]> {
  for (let [fromMs, segment, position] = [day * DAY_MS, -1, -1]; ;) {
    const { rows } = await sql<RecordAddress & { received_ms: number; trace_ids: string }>`
      SELECT received_ms, segment, position, json_group_array(trace_id) AS trace_ids FROM bodies
      WHERE project = ${project} AND received_ms < ${(day + 1) * DAY_MS}
        AND (received_ms, segment, position) > (${fromMs}, ${segment}, ${position})
      GROUP BY received_ms, segment, position ORDER BY received_ms, segment, position LIMIT ${BODIES_PER_PAGE}`.execute(
      db,
    );
    if (rows.length === 0) return;
    yield rows.map((row) => ({ segment: row.segment, position: row.position, traceIds: JSON.parse(row.trace_ids) }));
    ({ received_ms: fromMs, segment, position } = rows.at(-1)!);
  }
}

/**
 * The set of exported spans of a trace is dropped after the last body of the trace. A trace with one body needs no set.
 */
function createSeenSpans(readSpans: ReadSpans) {
  const seen = new Map<string, Set<bigint>>();

  function seenOf(traceId: string, bodies: readonly TraceBody[], now: RecordAddress): Set<bigint> {
    if (bodies.length <= 1) return new Set();
    const known = seen.get(traceId);
    if (known !== undefined) return known;
    const own = new Set<bigint>();
    for (const body of bodies)
      if (isBefore(body, now)) for (const span of readSpans(body)) if (span.traceId === traceId) own.add(span.spanId);
    seen.set(traceId, own);
    return own;
  }

  seenOf.leave = (now: RecordAddress, all: ReadonlyMap<string, readonly TraceBody[]>) => {
    for (const traceId of seen.keys()) {
      const last = all.get(traceId)?.at(-1);
      if (last !== undefined && last.segment === now.segment && last.position === now.position) seen.delete(traceId);
    }
  };
  return seenOf;
}

const isBefore = (one: RecordAddress, other: RecordAddress) =>
  one.segment < other.segment || (one.segment === other.segment && one.position < other.position);

const orNull = (text: string | null) => text || null;

function createSpanReader(dataDir: string): ReadSpans {
  const dir = journalDir(dataDir);
  const decoder = createDecoder();
  return (address) => {
    const record = withSegment(dir, address.segment, "r", (file) =>
      remainingOf(dir, address, readRecordAt(file, address.position)),
    );
    if (record === undefined) return [];
    const batch = new SpanBatch();
    decoder.decodeRecord(record, batch, { index: true });
    const { columns } = batch;
    const id = (words: Uint32Array, row: number) => (BigInt(words[row * 2 + 1]!) << 32n) | BigInt(words[row * 2]!);
    const time = (words: Uint32Array, row: number) => BigInt.asIntN(64, id(words, row));
    return Array.from({ length: batch.rows }, (_, row) => {
      const traceId = batch.traceIdOf(row);
      const spanId = id(columns.span_id, row);
      const parentId = id(columns.parent_span_id, row);
      const endNs = time(columns.end_ns, row);
      return {
        traceId,
        spanId,
        row: {
          trace_id: traceId,
          span_id: hexId(spanId, 16),
          parent_span_id: parentId === 0n ? null : hexId(parentId, 16),
          conversation: orNull(batch.textOf(row, "conversation")),
          name: batch.textOf(row, "name"),
          status: columns.status[row]!,
          start_ns: String(time(columns.start_ns, row)),
          end_ns: endNs === 0n ? null : String(endNs),
          received_ms: record.receivedMs,
          agent: orNull(batch.textOf(row, "agent")),
          service: orNull(batch.textOf(row, "service")),
        },
      };
    });
  };
}
