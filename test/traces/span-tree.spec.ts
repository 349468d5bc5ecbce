import fc from "fast-check";
import { expect, test } from "vitest";
import { preOrder, spanTree } from "../../packages/server/src/traces/conversation/span-tree.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { storedSpan } from "../support/stored-span.ts";

const shape = (spans: StoredSpan[]) => preOrder(spanTree(spans)).map(({ span, depth }) => `${depth} ${span.spanId}`);

test("children follow their parent, ordered by start and then by id", () => {
  const spans = [
    storedSpan({ id: "late", parent: "root", startMs: 9 }),
    storedSpan({ id: "b", parent: "root", startMs: 5 }),
    storedSpan({ id: "a", parent: "root", startMs: 5 }),
    storedSpan({ id: "leaf", parent: "b", startMs: 20 }),
    storedSpan({ id: "root", startMs: 7 }),
  ];
  expect(shape(spans)).toEqual(["0 root", "1 a", "1 b", "2 leaf", "1 late"]);
});

test("a span whose parent has not arrived is a root, and so is a span that is its own parent", () => {
  const spans = [
    storedSpan({ id: "orphan", parent: "never", startMs: 1 }),
    storedSpan({ id: "self", parent: "self", startMs: 2 }),
    storedSpan({ id: "child", parent: "self", startMs: 3 }),
  ];
  expect(shape(spans)).toEqual(["0 orphan", "0 self", "1 child"]);
});

test("a circle of parents becomes a tree whose root is the circle's earliest span, with all descendants", () => {
  const spans = [
    storedSpan({ id: "tail", parent: "x", startMs: 0 }),
    storedSpan({ id: "x", parent: "z", startMs: 3 }),
    storedSpan({ id: "y", parent: "x", startMs: 1 }),
    storedSpan({ id: "z", parent: "y", startMs: 2 }),
  ];
  expect(shape(spans)).toEqual(["0 y", "1 z", "2 x", "3 tail"]);
});

test("a span's parent is a span of the same trace", () => {
  const spans = [storedSpan({ id: "root" }), storedSpan({ id: "child", parent: "root", traceId: "t2", startMs: 1 })];
  expect(shape(spans)).toEqual(["0 root", "0 child"]);
});

test("a chain of 10,000 spans does not exhaust the stack", () => {
  const spans = Array.from({ length: 10_000 }, (_, index) =>
    storedSpan({ id: String(index), ...(index > 0 && { parent: String(index - 1) }), startMs: 10_000 - index }),
  );
  const ordered = preOrder(spanTree(spans));
  expect(ordered).toHaveLength(10_000);
  expect(ordered.at(-1)!.depth).toBe(9_999);
});

test("for any parents, each span is in the tree once and below its parent, and the order of arrival has no effect", () => {
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
