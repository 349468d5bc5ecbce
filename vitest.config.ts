import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { defineConfig, type Plugin } from "vitest/config";

const source = ["svc-source"];

/**
 * These files change the streams, the exit code or the folder of their process, or need an id generator that no other file has used:
 * after a file with a clock in the future, new ids keep that time.
 */
export const ALONE = [
  "test/cli/program.spec.ts",
  "test/cli/personas.spec.ts",
  "test/docs/**/*.spec.ts",
  "test/ids.spec.ts",
];
/** `npm run test:pages` runs these. */
export const OF_PAGES = ["test/web/components.spec.ts"];

const service = join(import.meta.dirname, "packages/server/src");

/** Lets services start their threads from the code that `test/support/code/setup.ts` bundles. */
const bundledThreads: Plugin = {
  name: "bundled-threads",
  enforce: "pre",
  resolveId: (source, importer) =>
    importer !== undefined &&
    join(dirname(importer), source) === join(service, "assets.ts") &&
    importer.startsWith(service)
      ? join(import.meta.dirname, "test/support/code/assets.ts")
      : null,
};

export default defineConfig({
  plugins: [bundledThreads],
  resolve: { conditions: source },
  ssr: {
    resolve: {
      conditions: [...source, "node", "development|production"],
      externalConditions: source,
    },
  },
  test: {
    globalSetup: "test/support/code/setup.ts",
    setupFiles: ["test/support/each-file.ts"],
    pool: "forks",
    execArgv: ["--conditions=svc-source"],
    // With the cache, the processes of the specs and the processes that they start share compiled code.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/svc") },
    // Specs wait for disk, timers and processes for half of their time; two processes more than cores keep the cores busy.
    maxWorkers: Math.min(availableParallelism() + 2, 8),
    testTimeout: 120_000,
    hookTimeout: 300_000,
    disableConsoleIntercept: true,
    // Most files share the loaded code of their process.
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.spec.ts"],
          exclude: [...ALONE, ...OF_PAGES],
          isolate: false,
        },
      },
      { extends: true, test: { name: "alone", include: ALONE, exclude: OF_PAGES } },
    ],
    reporters: ["default", "./test/support/count-reporter.ts"],
  },
});
