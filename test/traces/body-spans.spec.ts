import fc from "fast-check";
import { expect, test } from "vitest";
import { SpanBatch, TEXT_COLUMNS } from "../../packages/server/src/traces/span-batch.ts";
import { spansOfBody } from "../../packages/server/src/traces/store/body-spans.ts";
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
