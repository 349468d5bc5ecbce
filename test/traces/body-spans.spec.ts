import fc from "fast-check";
import { expect, test } from "vitest";
import { SpanBatch, TEXT_COLUMNS } from "../../packages/server/src/traces/span-batch.ts";
import { spansOfBody } from "../../packages/server/src/traces/store/body-spans.ts";
import { type IndexRow, withDetails } from "../../packages/server/src/traces/store/span-row.ts";
import "../support/property-seed.ts";

const ids = fc.record({ trace: fc.bigInt(0n, 3n), isLong: fc.boolean(), span: fc.bigInt(0n, 4n) });

test("a body's spans are found by both ids, the first of equal ones, also after the batch holds another body", () => {
  const batch = new SpanBatch(2, 16);
  const fill = (rows: { traceId: bigint; spanId: bigint }[], prefix: string) => {
    batch.truncate({ rows: 0, heapUsed: 0, lastLsn: 0, origins: 0 });
    batch.origins.push({ resource: `{"of":"${prefix}"}`, scope: "{}" } as never);
    for (const [at, { traceId, spanId }] of rows.entries()) {
      const row = batch.addRow();
      for (let word = 0; word < 4; word++)
        batch.columns.trace_id[row * 4 + word] = Number((traceId >> BigInt(word * 32)) & 0xffff_ffffn);
      batch.columns.span_id[row * 2] = Number(spanId);
      batch.columns.kind[row] = at % 6;
      const text = Buffer.from(`{"${prefix}":${at}}`);
      batch.reserve(text.length);
      text.copy(batch.heap, batch.heapUsed);
      batch.setText(row, TEXT_COLUMNS.indexOf("attributes"), batch.heapUsed, text.length);
      batch.heapUsed += text.length;
    }
    return spansOfBody(batch);
  };
  fc.assert(
    fc.property(fc.array(ids, { maxLength: 24 }), (drawn) => {
      const rows = drawn.map(({ trace, isLong, span }) => ({
        traceId: isLong ? trace << 64n : trace,
        spanId: span,
      }));
      const spans = fill(rows, "body");
      fill([{ traceId: 0n, spanId: 0n }], "later");
      for (const { traceId, spanId } of rows) {
        const first = rows.findIndex((row) => row.traceId === traceId && row.spanId === spanId);
        expect(spans.find(traceId, spanId)).toEqual({
          kind: first % 6,
          statusMessage: null,
          attributes: `{"body":${first}}`,
          events: null,
          links: null,
          resource: '{"of":"body"}',
          scope: "{}",
        });
      }
      expect(spans.find(9n, 0n)).toBeUndefined();
      expect(spans.find(0n, 9n)).toBeUndefined();
    }),
  );
});

test("spans are read body by body, returned in their order, and the last ones are left out beyond the limit of bytes", () => {
  const row = fc.record({ body: fc.nat({ max: 3 }), bytes: fc.integer({ min: 1, max: 40 }) });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 400 }), (drawn, limit) => {
      const rows = drawn.map(({ body }, at) => ({ segment: 1n, position: body, span_id: BigInt(at), trace_id: 1n }));
      const asked: number[] = [];
      const reading = withDetails(
        rows as IndexRow[],
        ({ position }) => {
          if (asked.at(-1) !== position) asked.push(position);
          const find = (_: bigint, spanId: bigint) => ({
            kind: 0,
            statusMessage: null,
            attributes: "x".repeat(drawn[Number(spanId)]!.bytes),
            events: null,
            links: null,
            resource: "",
            scope: "",
          });
          return { bytes: 0, find };
        },
        ({ span_id }) => Number(span_id),
        limit,
      );
      let next = reading.next();
      while (next.done !== true) next = reading.next();
      expect(asked).toEqual([...new Set(asked)]);
      let [kept, total] = [0, 0];
      for (const { bytes } of drawn) {
        if (kept > 0 && total + bytes > limit) break;
        total += bytes;
        kept++;
      }
      expect(next.value).toEqual({
        values: [...drawn.keys()].slice(0, kept),
        jsonBytes: total,
        truncated: kept < drawn.length,
      });
    }),
  );
});
