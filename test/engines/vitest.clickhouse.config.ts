// The specs of the trace store on ClickHouse and PostgreSQL: `npm run test:clickhouse`.
import type { ViteUserConfig } from "vitest/config";
import config from "../../vitest.config.ts";
import { findClickHouse } from "./find-clickhouse.ts";
import { findPostgres } from "./find-postgres.ts";
import { NOT_ON_CLICKHOUSE, ON_CLICKHOUSE } from "./specs.ts";

const { projects: _, ...test } = config.test!;

const missing = [findPostgres(), findClickHouse()].flatMap((found) => ("missing" in found ? [found.missing] : []));
const isMissing = missing.length > 0;
if (isMissing) console.log(`The specs on ClickHouse are skipped: ${missing.join("; ")}.`);
else for (const [file, reason] of Object.entries(NOT_ON_CLICKHOUSE)) console.log(`${file} is left out: ${reason}.`);

const engines: ViteUserConfig = {
  ...config,
  test: {
    ...test,
    include: isMissing ? [] : ON_CLICKHOUSE,
    exclude: Object.keys(NOT_ON_CLICKHOUSE),
    passWithNoTests: isMissing,
    globalSetup: isMissing
      ? []
      : ["test/engines/postgres.ts", "test/engines/clickhouse.ts", "test/engines/object-store.ts"],
    isolate: false,
  },
};

export default engines;
