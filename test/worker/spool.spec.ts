import fc from "fast-check";
import { expect, test } from "vitest";
import { createSpool } from "../../packages/worker-helper/src/spool.ts";

const BOUNDS = { spans: 10, bytes: 200 };
const step = fc.oneof(
  fc.record({ do: fc.constant("add" as const), size: fc.integer({ min: 1, max: 250 }) }),
  fc.record({ do: fc.constant("take" as const), spans: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ do: fc.constantFrom("release" as const, "put back" as const) }),
);

test("a spool stays within its bounds, keeps the order, drops the oldest spans first, and counts every span", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const spool = createSpool(BOUNDS);
      let [added, dropped, released] = [0, 0, 0];
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
        } else if (one.do === "release") {
          spool.release(inFlight);
          released += inFlight.length;
          left.push(...inFlight.map((span) => numbers.get(span)!));
          inFlight = [];
        } else if (one.do === "put back") {
          dropped += spool.putBack(inFlight);
          inFlight = [];
        }
        expect(spool.spans()).toBeLessThanOrEqual(BOUNDS.spans);
        expect(spool.bytes()).toBeLessThanOrEqual(BOUNDS.bytes);
        expect(spool.spans()).toBe(added - dropped - released);
      }
      expect(left).toEqual(left.toSorted((a, b) => a - b));
      spool.release(inFlight);
      spool.clear();
      expect([spool.spans(), spool.bytes()]).toEqual([0, 0]);
    }),
  );
});

test("a span that is larger than the spool is dropped alone", () => {
  const spool = createSpool(BOUNDS);
  spool.add(new Uint8Array(50));
  expect(spool.add(new Uint8Array(201))).toBe(1);
  expect(spool.spans()).toBe(1);
});

test("a full spool keeps the newest spans", () => {
  const spool = createSpool(BOUNDS);
  const spans = Array.from({ length: 15 }, (_, i) => new Uint8Array([i]));
  expect(spans.reduce((dropped, span) => dropped + spool.add(span), 0)).toBe(5);
  expect(spool.take(BOUNDS).map(([first]) => first)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
});
