import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const source = ["svc-source"];

export default defineConfig({
  resolve: { conditions: source },
  ssr: {
    resolve: {
      conditions: [...source, "node", "development|production"],
      externalConditions: source,
    },
  },
  test: {
    include: ["test/**/*.spec.ts"],
    setupFiles: ["test/support/property-seed.ts"],
    pool: "forks",
    isolate: false,
    execArgv: ["--conditions=svc-source"],
    // Each spec file runs in a separate process; with the cache, they and the processes that they start share compiled code.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/svc") },
    // Specs wait for disk, timers and processes; one process more than cores keeps the cores busy.
    maxWorkers: Math.min(availableParallelism() + 1, 8),
    testTimeout: 120_000,
    hookTimeout: 120_000,
    disableConsoleIntercept: true,
    reporters: ["default", "./test/support/count-reporter.ts"],
  },
});
