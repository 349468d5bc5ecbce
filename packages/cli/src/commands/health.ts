import { command } from "../command.ts";
import { facts, paint } from "../terminal/output.ts";
import { EXIT } from "../refusal.ts";

const ENGINES = { sqlite: "SQLite", postgresql: "PostgreSQL", duckdb: "DuckDB", clickhouse: "ClickHouse" };

export default command({
  summary: "Show whether the service and its stores answer",
  description:
    "Needs no API key. The exit code is 3 when a store does not answer. For a degraded service the exit code is 0; `svc doctor` says why it is degraded.",
  examples: ["<%= config.bin %> health", "<%= config.bin %> health --url https://voice.example.com --json"],
  async run({ startSession }) {
    const { client } = await startSession({ key: "none", retries: 0 });
    return client.health.get();
  },
  show: (health) => {
    const painted = (state: string) =>
      state === "ok" || state === "reachable" ? paint.green(state) : paint.red(state);
    return facts([
      ["service", painted(health.status) + (health.degraded ? paint.red(", degraded") : "")],
      ["relational store", `${painted(health.relational_store)} (${ENGINES[health.relational_engine]})`],
      ["trace store", `${painted(health.analytics_store)} (${ENGINES[health.analytics_engine]})`],
    ]);
  },
  exitCode: ({ status }) => (status === "ok" ? EXIT.done : EXIT.unreachable),
});
