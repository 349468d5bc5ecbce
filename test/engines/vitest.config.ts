// The specs that open stores, on PostgreSQL and ClickHouse: `npm run test:engines`. Without ClickHouse, those of the relational store
// run on PostgreSQL alone.
import { globSync } from "node:fs";
import type { ViteUserConfig } from "vitest/config";
import config, { ALONE, OF_PAGES } from "../../vitest.config.ts";
import { findClickHouse } from "./find-clickhouse.ts";
import { findPostgres } from "./find-postgres.ts";
import { IN_GATE, OF_THE_DATA_FOLDER, ON_POSTGRES, specsOfStores } from "./specs.ts";

const { projects: _, ...test } = config.test!;

const [postgres, clickHouse] = [findPostgres(), findClickHouse()];
const hasPostgres = !("missing" in postgres);
const hasBoth = hasPostgres && !("missing" in clickHouse);

if (hasBoth) {
  for (const [file, reason] of Object.entries(OF_THE_DATA_FOLDER)) console.log(`${file} is left out: ${reason}.`);
  console.log("The specs run on PostgreSQL and ClickHouse.");
} else if (hasPostgres) {
  const missing = "missing" in clickHouse && clickHouse.missing;
  console.log(`The specs on ClickHouse are skipped: ${missing}.`);
  console.log("The specs of the relational store run on PostgreSQL.");
} else console.log(`The specs on databases are skipped: ${postgres.missing}.`);

const all = hasBoth ? specsOfStores() : hasPostgres ? globSync(ON_POSTGRES) : [];
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
    passWithNoTests: !hasPostgres,
    globalSetup: hasBoth ? setups : hasPostgres ? setups.slice(0, 1) : [],
    projects: [
      { extends: true, test: { name: "shared", include, exclude: [...ALONE, ...OF_PAGES], isolate: false } },
      { extends: true, test: { name: "alone", include: alone } },
    ],
  },
};

export default engines;
