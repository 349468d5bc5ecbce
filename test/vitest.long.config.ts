// The long specs, and the long form of the specs whose short form runs in `npm test`: `npm run test:long`.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ViteUserConfig } from "vitest/config";
import config from "../vitest.config.ts";

const { projects: _, ...test } = config.test!;
const root = join(import.meta.dirname, "..");

const hasLongForm = (path: string) => readFileSync(join(root, path), "utf8").includes("support/long-form.ts");

const long: ViteUserConfig = {
  ...config,
  test: {
    ...test,
    include: ["test/**/*.long.ts", ...globSync("test/**/*.spec.ts", { cwd: root }).filter(hasLongForm)],
    env: { ...test.env, SPEC_FORM: "long" },
    testTimeout: 300_000,
  },
};

export default long;
