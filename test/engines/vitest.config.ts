// The specs of the relational features on PostgreSQL: `npm run test:engines`.
import type { ViteUserConfig } from "vitest/config";
import config from "../../vitest.config.ts";
import { findPostgres } from "./find-postgres.ts";
import { NOT_ON_POSTGRES, ON_POSTGRES } from "./specs.ts";

const { projects: _, ...test } = config.test!;

const found = findPostgres();
const isMissing = "missing" in found;
if (isMissing) console.log(`The specs on PostgreSQL are skipped: ${found.missing}.`);
else for (const [file, reason] of Object.entries(NOT_ON_POSTGRES)) console.log(`${file} is left out: ${reason}.`);

const engines: ViteUserConfig = {
  ...config,
  test: {
    ...test,
    include: isMissing ? [] : ON_POSTGRES,
    exclude: Object.keys(NOT_ON_POSTGRES),
    passWithNoTests: isMissing,
    globalSetup: isMissing ? [] : "test/engines/postgres.ts",
    isolate: false,
  },
};

export default engines;
