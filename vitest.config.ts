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
    pool: "forks",
    execArgv: ["--conditions=svc-source"],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    disableConsoleIntercept: true,
    reporters: ["default", "./test/support/count-reporter.ts"],
  },
});
