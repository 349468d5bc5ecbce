import { Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { createCollected } from "../../packages/server/src/operations/metrics/collected.ts";
import { parseMetrics } from "../support/prometheus.ts";

describe("a number that cannot be read", () => {
  test("a number that cannot be read is left out of the scrape, and named", async () => {
    const registry = new Registry();
    const failed: string[] = [];
    const { gauge, counter } = createCollected(registry, 20, (name) => failed.push(name));
    gauge("late", "Never known.", [], () => new Promise<number>(() => undefined));
    gauge("broken", "Fails.", ["of"], () => Promise.reject(new Error("no")));
    counter("absent_total", "Unknown here.", [], () => undefined);
    gauge("good", "Known.", [], () => 3);
    counter("by_total", "Known by label.", ["of"], () => [[{ of: 'a "quoted"\nname' }, 2]]);
    for (const round of [1, 2]) {
      const families = parseMetrics(await registry.metrics());
      expect([...families.keys()]).toEqual(["late", "broken", "absent_total", "good", "by_total"]);
      const named = [...families.values()].flatMap(({ samples }) => samples.map(({ name, value }) => [name, value]));
      expect(named).toEqual([
        ["good", 3],
        ["by_total", 2],
      ]);
      expect(failed.toSorted()).toEqual(
        Array.from({ length: round }, () => ["broken", "late"])
          .flat()
          .toSorted(),
      );
    }
  });
});
