import { globSync } from "node:fs";
import { filesLoadedBy } from "../support/imports.ts";

/** Specs outside this folder that the gate runs on databases. Together they use the SQL of every feature. */
export const IN_GATE = [
  "test/journeys.spec.ts",
  "test/relational.spec.ts",
  "test/http/{tenancy,refusals,erasure,graders,rate-limit,conversation-filters,accounts,audit,audit-lines,agent-versions,version-comparison,channels,turns}.spec.ts",
  "test/runs/{calls,endings,stalls,comparison}.spec.ts",
  "test/graders/production.spec.ts",
  "test/monitoring/{import,failures}.spec.ts",
  "test/notifications/{deliveries,delivery-metrics,events}.spec.ts",
  "test/alerts/{alerts,channels,conversations,interval,occurrences,rule-state}.spec.ts",
  "test/review/{queue,people}.spec.ts",
  "test/groups/{groups,meaning}.spec.ts",
  "test/traces/{store,conversations,search,wait}.spec.ts",
  "test/recordings/bucket.spec.ts",
];

/** Specs that are about the data folder itself, with their reasons. */
export const OF_THE_DATA_FOLDER: Record<string, string> = {
  "test/damaged-store.spec.ts": "it damages the file of the relational store",
  "test/full-disk.spec.ts": "it fills the disk of the data folder",
  "test/http/damaged-journal.spec.ts": "it damages the journal",
  "test/kept-secret.spec.ts": "it damages the secrets of the data folder",
  "test/http/expensive-bodies.spec.ts": "it measures a process that has its stores in itself",
  "test/old-data-folder.spec.ts": "it opens data folders of older versions",
  "test/old-data-folder-0015.spec.ts": "it opens a data folder of an older version",
  "test/traces/damage.spec.ts": "it damages the index and the file of samples",
  "test/traces/due-readings.spec.ts": "it changes tables of the index in the folder",
  "test/traces/intake.spec.ts": "it reads and replays the journal",
  "test/traces/intake-journal.spec.ts": "it reads and replays the journal",
  "test/traces/journal-damage.spec.ts": "it damages the journal",
  "test/traces/journal.spec.ts": "it reads the journal",
  "test/traces/journal-encodings.spec.ts": "it reads and replays the journal",
  "test/traces/list.spec.ts": "it changes tables of the index in the folder",
  "test/traces/loader.spec.ts": "it loads the journal into the index in the folder",
  "test/traces/pools.spec.ts": "it reads tables of DuckDB",
  "test/traces/query-plans.spec.ts": "it reads plans of SQLite",
  "test/traces/remap.spec.ts": "it changes tables of the index in the folder",
  "test/traces/retention.spec.ts": "it removes days of the journal and of the index in the folder",
  "test/traces/rounds.spec.ts": "it changes tables of the index in the folder",
  "test/traces/search-index.spec.ts": "it changes tables of the index in the folder",
  "test/traces/unfinished-deletion.spec.ts": "it fails the disk of the journal",
};

/** The file through which specs open stores. */
const STORES = "test/support/engine.ts";

export const storesAreOpenedBy = (file: string): boolean => filesLoadedBy(file).has(STORES);

/** The specs that open stores and do not need the data folder. They also pass on PostgreSQL and ClickHouse. */
export const specsOfStores = (): string[] => [
  ...globSync("test/engines/**/*.{engine,clickhouse}.ts"),
  ...globSync("test/**/*.spec.ts").filter((file) => storesAreOpenedBy(file) && OF_THE_DATA_FOLDER[file] === undefined),
];
