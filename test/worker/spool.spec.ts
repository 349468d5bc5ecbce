import fc from "fast-check";
import { expect, test } from "vitest";
import { openSpool } from "../../packages/worker-helper/src/spool.ts";

const BOUNDS = { spans: 10, bytes: 200 };
const step = fc.oneof(
  fc.record({ do: fc.constant("add" as const), size: fc.integer({ min: 1, max: 250 }) }),
  fc.record({ do: fc.constant("take" as const), spans: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ do: fc.constantFrom("settle" as const, "put back" as const) }),
);

test("it never holds more than its bounds, keeps the order, drops the oldest first, and accounts for every span", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const spool = openSpool(BOUNDS);
      let [added, dropped, settled] = [0, 0, 0];
      let inFlight: Uint8Array[] = [];
      const numbers = new Map<Uint8Array, number>();
      const left: number[] = [];
      for (const one of steps) {
        if (one.do === "add") {
          const span = new Uint8Array(one.size);
          numbers.set(span, added++);
          dropped += spool.add(span);
        } else if (one.do === "take" && inFlight.length === 0) {
          inFlight = spool.take({ spans: one.spans, bytes: 100 });
        } else if (one.do === "settle") {
          spool.settle(inFlight);
          settled += inFlight.length;
          left.push(...inFlight.map((span) => numbers.get(span)!));
          inFlight = [];
        } else if (one.do === "put back") {
          dropped += spool.putBack(inFlight);
          inFlight = [];
        }
        expect(spool.spans()).toBeLessThanOrEqual(BOUNDS.spans);
        expect(spool.bytes()).toBeLessThanOrEqual(BOUNDS.bytes);
        expect(spool.spans()).toBe(added - dropped - settled);
      }
      expect(left).toEqual(left.toSorted((a, b) => a - b));
      spool.settle(inFlight);
      spool.clear();
      expect([spool.spans(), spool.bytes()]).toEqual([0, 0]);
    }),
  );
});

test("a span that alone is beyond the bound costs no other span", () => {
  const spool = openSpool(BOUNDS);
  spool.add(new Uint8Array(50));
  expect(spool.add(new Uint8Array(201))).toBe(1);
  expect(spool.spans()).toBe(1);
});

test("what is kept when it is full is the newest", () => {
  const spool = openSpool(BOUNDS);
  const spans = Array.from({ length: 15 }, (_, i) => new Uint8Array([i]));
  expect(spans.reduce((dropped, span) => dropped + spool.add(span), 0)).toBe(5);
  expect(spool.take(BOUNDS).map(([first]) => first)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
});
