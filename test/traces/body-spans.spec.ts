import fc from "fast-check";
import { expect, test } from "vitest";
import { SpanBatch, TEXT_COLUMNS } from "../../packages/server/src/traces/span-batch.ts";
import { rowsOfBodies, type TraceBody, withDetails } from "../../packages/server/src/traces/store/body-rows.ts";
import { type BodySpans, type IndexRow, spansOfBody } from "../../packages/server/src/traces/store/body-spans.ts";
import "../support/property-seed.ts";

/** Runs a generator to its end and returns its result. */
function atOnce<Result>(work: Generator<undefined, Result>): Result {
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
  }
}

const ids = fc.record({ trace: fc.bigInt(0n, 3n), isLong: fc.boolean(), span: fc.bigInt(0n, 4n), start: fc.nat(3) });

type Row = { traceId: bigint; spanId: bigint; startNs: number };
const rowOf = ({
  trace,
  isLong,
  span,
  start,
}: {
  trace: bigint;
  isLong: boolean;
  span: bigint;
  start: number;
}): Row => ({
  traceId: isLong ? trace << 64n : trace,
  spanId: span,
  startNs: start,
});
const batch = new SpanBatch(2, 16);

/** Returns the spans of a body with these rows. Each span has the number of its row in its attributes and its name. */
function bodyOf(rows: readonly Row[], prefix: string): BodySpans {
  batch.truncate({ rows: 0, heapUsed: 0, lastLsn: 0, origins: 0 });
  batch.origins.push({ resource: `{"of":"${prefix}"}`, scope: "{}" } as never);
  for (const [at, { traceId, spanId, startNs }] of rows.entries()) {
    const row = batch.addRow();
    const { columns } = batch;
    for (let word = 0; word < 4; word++)
      columns.trace_id[row * 4 + word] = Number((traceId >> BigInt(word * 32)) & 0xffff_ffffn);
    columns.span_id[row * 2] = Number(spanId);
    columns.start_ns[row * 2] = startNs;
    columns.project[row] = 7;
    columns.kind[row] = at % 6;
    columns.status[row] = at % 3;
    for (const [column, value] of [
      ["attributes", `{"${prefix}":${at}}`],
      ["name", `${prefix} ${at}`],
    ] as const) {
      const text = Buffer.from(value);
      batch.reserve(text.length);
      text.copy(batch.heap, batch.heapUsed);
      batch.setText(row, TEXT_COLUMNS.indexOf(column), batch.heapUsed, text.length);
      batch.heapUsed += text.length;
    }
  }
  return spansOfBody(batch);
}

const ADDRESS = { segment: 3, position: 50 };

test("a body's spans are found by their trace, the first of equal ones, even after the batch holds another body", () => {
  fc.assert(
    fc.property(fc.array(ids, { maxLength: 24 }), (drawn) => {
      const rows = drawn.map(rowOf);
      const spans = bodyOf(rows, "body");
      bodyOf([{ traceId: 0n, spanId: 0n, startNs: 0 }], "later");
      for (const { traceId } of rows) {
        const own = [...rows.entries()].filter(([, row]) => row.traceId === traceId);
        const first = own.filter(([at, { spanId }]) => own.find(([, row]) => row.spanId === spanId)![0] === at);
        expect(spans.rowsOf(traceId)).toEqual(first.map(([at]) => at));
        for (const [at, { spanId, startNs }] of first) {
          expect(spans.indexRow(at, ADDRESS)).toEqual({
            project: 7,
            trace_id: traceId,
            span_id: spanId,
            parent_span_id: null,
            start_ns: BigInt(startNs),
            end_ns: null,
            status: at % 3,
            name: `body ${at}`,
            ...ADDRESS,
            row: at,
          });
          expect(spans.details(at)).toEqual({
            kind: at % 6,
            statusMessage: null,
            attributes: `{"body":${at}}`,
            events: null,
            links: null,
            resource: '{"of":"body"}',
            scope: "{}",
          });
        }
      }
      expect(spans.rowsOf(9n)).toEqual([]);
    }),
  );
});

test("the spans of a conversation are the first copy of each in the order of the journal, by start; those of lost bodies are counted", () => {
  const body = fc.record({
    rows: fc.array(ids, { minLength: 1, maxLength: 8 }),
    isLost: fc.nat(4).map((n) => n === 0),
  });
  fc.assert(
    fc.property(fc.array(body, { maxLength: 6 }), (drawn) => {
      const bodies = drawn.map(({ rows, isLost }) => ({ rows: rows.map(rowOf), isLost }));
      const decoded = bodies.map(({ rows }, at) => bodyOf(rows, `body ${at}`));
      const addresses = bodies.flatMap(({ rows }, position): TraceBody[] =>
        [...Map.groupBy(rows, ({ traceId }) => traceId)].map(([traceId, own]) => ({
          project: 7,
          traceId: traceId.toString(16).padStart(32, "0"),
          segment: 3,
          receivedMs: 1,
          position,
          spans: own.length,
        })),
      );
      const found = atOnce(
        rowsOfBodies(addresses, ({ position }) => (bodies[position]!.isLost ? undefined : decoded[position])),
      );
      const whole = bodies.flatMap(({ rows, isLost }, position) =>
        isLost ? [] : rows.map((row, at) => ({ ...row, position, at })),
      );
      const first = [...Map.groupBy(whole, ({ traceId, spanId }) => `${traceId} ${spanId}`).values()].map(
        ([one]) => one!,
      );
      const key = (row: { traceId: bigint; spanId: bigint; position: number; at: number }) =>
        `${row.traceId} ${row.spanId} ${row.position} ${row.at}`;
      expect(
        found.rows
          .map((row) => key({ traceId: row.trace_id, spanId: row.span_id, position: row.position, at: row.row }))
          .sort(),
      ).toEqual(first.map(key).sort());
      const starts = found.rows.map(({ start_ns }) => start_ns);
      expect(starts).toEqual(starts.toSorted((one, other) => Number(one - other)));
      expect(found).toMatchObject({
        total: first.length,
        errors: first.filter(({ at }) => at % 3 === 2).length,
        lost: bodies.reduce((sum, { rows, isLost }) => sum + (isLost ? rows.length : 0), 0),
      });
    }),
  );
});

test("the earliest spans of a conversation with many are found, and all are counted", () => {
  const rows = Array.from({ length: 10_500 }, (_, at) => ({ traceId: 1n, spanId: BigInt(at), startNs: 10_500 - at }));
  const [one, other] = [bodyOf(rows.slice(0, 5_000), "one"), bodyOf(rows.slice(4_000), "other")];
  const address = { project: 7, traceId: "1".padStart(32, "0"), segment: 3, spans: 1, receivedMs: 1 };
  const found = atOnce(
    rowsOfBodies(
      [0, 1].map((position) => ({ ...address, position })),
      ({ position }) => (position === 0 ? one : other),
    ),
  );
  expect(found.total).toBe(10_500);
  expect(found.rows).toHaveLength(10_000);
  expect([found.rows[0]!.start_ns, found.rows.at(-1)!.start_ns]).toEqual([1n, 10_000n]);
});

test("no more bodies of a conversation are read once enough spans are found, and the spans in the others are only counted", () => {
  const spansOfBody = 50_000;
  const bodies = Array.from({ length: 6 }, (_, position) => ({
    project: 7,
    traceId: "1".padStart(32, "0"),
    segment: 3,
    spans: spansOfBody,
    receivedMs: 1,
    position,
  }));
  const asked: number[] = [];
  const found = atOnce(
    rowsOfBodies(bodies, ({ position }) => {
      asked.push(position);
      const first = position * spansOfBody;
      const rows = Array.from({ length: spansOfBody }, (_, at) => ({
        traceId: 1n,
        spanId: BigInt(first + at + 1),
        startNs: spansOfBody * 6 - first - at,
      }));
      return bodyOf(rows, `body ${position}`);
    }),
  );
  expect(asked).toEqual([0, 1, 2, 3]);
  expect([found.total, found.rows.length, found.lost]).toEqual([300_000, 10_000, 0]);
  expect(found.rows[0]!.start_ns).toBe(BigInt(spansOfBody * 2 + 1));
});

test("spans are read body by body, returned in their order, and the last ones are left out beyond the limit of bytes", () => {
  const row = fc.record({ body: fc.nat({ max: 3 }), bytes: fc.integer({ min: 1, max: 40 }) });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 400 }), (drawn, limit) => {
      const rows = drawn.map(({ body }, at) => ({ segment: 1, position: body, row: at }));
      const asked: number[] = [];
      const reading = withDetails(
        rows as unknown as IndexRow[],
        ({ position }) => {
          if (asked.at(-1) !== position) asked.push(position);
          const details = (row: number) => ({
            kind: row,
            statusMessage: null,
            attributes: "x".repeat(drawn[row]!.bytes),
            events: null,
            links: null,
            resource: "",
            scope: "",
          });
          return { bytes: 0, details } as BodySpans;
        },
        ({ kind }) => kind,
        limit,
      );
      const read = atOnce(reading);
      expect(asked).toEqual([...new Set(asked)]);
      let [kept, total] = [0, 0];
      for (const { bytes } of drawn) {
        if (kept > 0 && total + bytes > limit) break;
        total += bytes;
        kept++;
      }
      expect(read).toEqual({
        values: [...drawn.keys()].slice(0, kept),
        jsonBytes: total,
        truncated: kept < drawn.length,
      });
    }),
  );
});
