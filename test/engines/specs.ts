/** The specs of the features that use the relational store; they hold on PostgreSQL as on SQLite. */
export const ON_POSTGRES = [
  "test/engines/**/*.engine.ts",
  "test/journeys.spec.ts",
  "test/http/**/*.spec.ts",
  "test/runs/**/*.spec.ts",
  "test/graders/**/*.spec.ts",
  "test/monitoring/**/*.spec.ts",
  "test/exports/**/*.spec.ts",
  "test/recordings/**/*.spec.ts",
  "test/voices/**/*.spec.ts",
];

/** Files among them that do not run on PostgreSQL, with their reasons. */
export const NOT_ON_POSTGRES: Record<string, string> = {
  "test/http/revisions.spec.ts": "it upgrades a data folder of an older version",
};

/** The specs of conversations; they hold on ClickHouse as on DuckDB. */
export const ON_CLICKHOUSE = [
  "test/engines/**/*.clickhouse.ts",
  "test/journeys.spec.ts",
  "test/traces/{conversations,flat-reads,masked-credentials,metrics,search,store,wait}.spec.ts",
  "test/http/{changes,conversation-filters,erasure,health,import,ingest-refusals,metrics,project-selection}.spec.ts",
  "test/http/{readers,readings,retention,tenancy}.spec.ts",
  "test/graders/**/*.spec.ts",
  "test/recordings/**/*.spec.ts",
  "test/exports/**/*.spec.ts",
  "test/traces/stock-exporter.spec.ts",
  "test/http/{other-signals,recordings,refusals}.spec.ts",
  "test/cli/{metrics,traces}.spec.ts",
  "test/monitoring/{import,platform-a-hostile,platform-a-to-spans}.spec.ts",
  "test/sdk/play-run.spec.ts",
  "test/worker/{mock-tools,sessions}.spec.ts",
];

/** Files among them that do not run on ClickHouse, with their reasons. */
export const NOT_ON_CLICKHOUSE: Record<string, string> = {
  "test/recordings/bucket.spec.ts": "it looks into the data folder; it runs on PostgreSQL",
};
