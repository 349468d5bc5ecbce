// Runs the specs that open stores on PostgreSQL and ClickHouse: `npm run test:engines`.
import { globSync } from "node:fs";
import type { ViteUserConfig } from "vitest/config";
import config, { ALONE, OF_PAGES } from "../../vitest.config.ts";
import { findClickHouse } from "./find-clickhouse.ts";
import { findPostgres } from "./find-postgres.ts";
import { IN_GATE, OF_THE_DATA_FOLDER, specsOfStores } from "./specs.ts";

const { projects: _, ...test } = config.test!;

const [postgres, clickHouse] = [findPostgres(), findClickHouse()];
const hasBoth = !("missing" in postgres) && !("missing" in clickHouse);

if (hasBoth) {
  for (const [file, reason] of Object.entries(OF_THE_DATA_FOLDER)) console.log(`${file} is left out: ${reason}.`);
} else {
  const missing = [postgres, clickHouse].flatMap((found) => ("missing" in found ? [found.missing] : []));
  console.log(`The specs on databases are skipped: ${missing.join("; ")}.`);
}

const all = hasBoth ? specsOfStores() : [];
// scripts/batteries.ts says what the gate leaves out.
const inGate = new Set(globSync(IN_GATE));
const isInGate = (file: string) => inGate.has(file) || file.startsWith("test/engines/");
const include = process.env["SPEC_SCOPE"] === "gate" ? all.filter(isInGate) : all;
const alone = globSync(ALONE).filter((file) => include.includes(file));
const setups = ["postgres", "clickhouse", "object-store"].map((name) => `test/engines/${name}.ts`);
const engines: ViteUserConfig = {
  ...config,
  test: {
    ...test,
    // The time limit is long, because several processes and two databases share the processor with the specs.
    testTimeout: 300_000,
    passWithNoTests: !hasBoth,
    globalSetup: hasBoth ? [...setups, "test/support/code/setup.ts"] : [],
    projects: [
      { extends: true, test: { name: "shared", include, exclude: [...ALONE, ...OF_PAGES], isolate: false } },
      { extends: true, test: { name: "alone", include: alone } },
    ],
  },
};

export default engines;
