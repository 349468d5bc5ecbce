// Runs the long specs, and the long form of the specs that `npm test` runs in their short form: `npm run test:long`. In the long
// form, each `svc` command is a process.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ViteUserConfig } from "vitest/config";
import config from "../vitest.config.ts";

const { projects: _, ...test } = config.test!;
const root = join(import.meta.dirname, "..");

const hasLongForm = (path: string) => /support\/(long-form|cli)\.ts/.test(readFileSync(join(root, path), "utf8"));

const long: ViteUserConfig = {
  ...config,
  test: {
    ...test,
    include: ["test/**/*.long.ts", ...globSync("test/**/*.spec.ts", { cwd: root }).filter(hasLongForm)],
    env: { ...test.env, SPEC_FORM: "long" },
    // The long form runs the sources instead of the code that `npm test` bundles.
    globalSetup: [],
    testTimeout: 300_000,
  },
};

export default long;
