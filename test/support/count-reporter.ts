import type { Reporter, TestModule } from "vitest/node";

const SLOWEST = 20;

/** Prints the slowest files and the reasons of skipped specs, then one plain line of counts that any tool can read. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++;
      for (const test of module.children.allTests()) {
        const { state, ...result } = test.result();
        if (state === "pending") continue;
        count[state]++;
        if (state === "skipped")
          console.log(`skipped: ${test.fullName}: ${("note" in result && result.note) || "no reason given"}`);
      }
    }
    if (modules.length > SLOWEST) console.log(slowestOf(modules));
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }
}

function slowestOf(modules: readonly TestModule[]): string {
  const times = modules.map((module) => ({ file: module.relativeModuleId, ms: module.diagnostic().duration }));
  const slowest = times.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST);
  return `slowest files: ${slowest.map(({ file, ms }) => `${file} ${(ms / 1_000).toFixed(1)} s`).join(", ")}`;
}
