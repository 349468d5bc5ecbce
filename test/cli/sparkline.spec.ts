import fc from "fast-check";
import { expect, test } from "vitest";
import { sparkline, squeezed } from "../../packages/cli/src/traces/sparkline.ts";

test("a chart has a bar for each value, the least the lowest, and a gap where none is known", () => {
  expect(sparkline([1, 2, 3, 4, 5, 6, 7, 8])).toBe("▁▂▃▄▅▆▇█");
  expect(sparkline([null, 7, null, 7])).toBe(" ▅ ▅");
  expect(sparkline([-4, null, 4])).toBe("▁ █");
  expect(sparkline([null, null])).toBe("  ");
  expect(sparkline([])).toBe("");
});

test("values in fewer columns keep their range, and no stretch without a value gets one", () => {
  const values = fc.array(fc.option(fc.double({ min: -1e6, max: 1e6, noNaN: true })), { maxLength: 300 });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 60 }), (list, columns) => {
      const narrow = squeezed(list, columns);
      expect(narrow).toHaveLength(Math.min(list.length, columns));
      const known = list.filter((value) => value !== null);
      for (const value of narrow.filter((mean) => mean !== null)) {
        expect(value).toBeGreaterThanOrEqual(Math.min(...known) - 1e-6);
        expect(value).toBeLessThanOrEqual(Math.max(...known) + 1e-6);
      }
      expect(narrow.some((value) => value !== null)).toBe(known.length > 0);
    }),
  );
});
