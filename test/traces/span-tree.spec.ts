import fc from "fast-check";
import { expect, test } from "vitest";
import { preOrder, spanTree } from "../../packages/server/src/traces/span-tree.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { storedSpan } from "../support/stored-span.ts";

const shape = (spans: StoredSpan[]) => preOrder(spanTree(spans)).map(({ span, depth }) => `${depth} ${span.spanId}`);

test("children follow their parent by start, then by id", () => {
  const spans = [
    storedSpan({ id: "late", parent: "root", startMs: 9 }),
    storedSpan({ id: "b", parent: "root", startMs: 5 }),
    storedSpan({ id: "a", parent: "root", startMs: 5 }),
    storedSpan({ id: "leaf", parent: "b", startMs: 20 }),
    storedSpan({ id: "root", startMs: 7 }),
  ];
  expect(shape(spans)).toEqual(["0 root", "1 a", "1 b", "2 leaf", "1 late"]);
});

test("a span whose parent was not received is a root, and so is one that names itself", () => {
  const spans = [
    storedSpan({ id: "orphan", parent: "never", startMs: 1 }),
    storedSpan({ id: "self", parent: "self", startMs: 2 }),
    storedSpan({ id: "child", parent: "self", startMs: 3 }),
  ];
  expect(shape(spans)).toEqual(["0 orphan", "0 self", "1 child"]);
});

test("a circle of parents is cut at its earliest span and keeps what hangs on it", () => {
  const spans = [
    storedSpan({ id: "tail", parent: "x", startMs: 0 }),
    storedSpan({ id: "x", parent: "z", startMs: 3 }),
    storedSpan({ id: "y", parent: "x", startMs: 1 }),
    storedSpan({ id: "z", parent: "y", startMs: 2 }),
  ];
  expect(shape(spans)).toEqual(["0 y", "1 z", "2 x", "3 tail"]);
});

test("a parent is looked for in the span's own trace", () => {
  const spans = [storedSpan({ id: "root" }), storedSpan({ id: "child", parent: "root", traceId: "t2", startMs: 1 })];
  expect(shape(spans)).toEqual(["0 root", "0 child"]);
});

test("a chain of 10,000 spans is walked without recursion", () => {
  const spans = Array.from({ length: 10_000 }, (_, place) =>
    storedSpan({ id: String(place), ...(place > 0 && { parent: String(place - 1) }), startMs: 10_000 - place }),
  );
  const ordered = preOrder(spanTree(spans));
  expect(ordered).toHaveLength(10_000);
  expect(ordered.at(-1)!.depth).toBe(9_999);
});

test("whatever the parents, every span is there once, below its parent, in the same place for any order of arrival", () => {
  const received = fc
    .array(fc.record({ parent: fc.option(fc.nat(14)), startMs: fc.nat(4) }), { maxLength: 12 })
    .chain((list) =>
      fc.shuffledSubarray(
        list.map(({ parent, startMs }, id) =>
          storedSpan({ id: String(id), startMs, ...(parent !== null && { parent: String(parent) }) }),
        ),
        { minLength: list.length },
      ),
    );
  fc.assert(
    fc.property(received, (spans) => {
      const nodes = preOrder(spanTree(spans));
      expect(nodes.map((node) => node.span.spanId).sort()).toEqual(spans.map((span) => span.spanId).sort());
      for (const node of nodes) {
        expect(node.depth).toBe(node.parent === null ? 0 : node.parent.depth + 1);
        if (node.parent !== null) expect(node.parent.span.spanId).toBe(node.span.parentSpanId);
      }
      expect(shape(spans)).toEqual(shape(spans.toReversed()));
    }),
    { numRuns: 500 },
  );
});
