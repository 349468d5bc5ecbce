import { createClient } from "@clickhouse/client";
import { expect, test, type TestContext } from "vitest";
import { createClickHouseServer } from "./clickhouse-server.ts";
import { findClickHouse } from "./find-clickhouse.ts";

const found = findClickHouse();

function needsEngine({ skip }: TestContext): void {
  skip(!("engine" in found), "the test starts and kills ClickHouse's engine, which is not installed here");
}

test("the official client stores and reads rows, and rows that it stored survive a kill", async (context) => {
  needsEngine(context);
  const server = createClickHouseServer((found as { engine: string }).engine);
  await server.start();
  const client = createClient({ url: server.url() });
  const text = "it's \\ \n ü";
  await client.command({ query: "CREATE DATABASE specs ENGINE = Atomic" });
  await client.command({
    query: `CREATE TABLE specs.rows (id UInt64, text String) ENGINE = MergeTree ORDER BY id
      SETTINGS non_replicated_deduplication_window = 100, fsync_after_insert = 1`,
  });
  const row = { id: "18446744073709551615", text };
  const insert = (token: string) =>
    client.insert({
      table: "specs.rows",
      values: [row],
      format: "JSONEachRow",
      clickhouse_settings: { insert_deduplication_token: token },
    });
  for (const token of ["one", "one", "two"]) await insert(token);
  await server.stop();
  expect(await client.ping()).toMatchObject({ success: false });
  await server.start();
  const stored = await client.query({
    query: "SELECT toString(id) AS id, text FROM specs.rows WHERE text = {text: String}",
    query_params: { text },
    format: "JSONEachRow",
  });
  expect(await stored.json()).toEqual([row, row]);
  await expect(client.query({ query: "SELECT * FROM specs.none" })).rejects.toMatchObject({ type: "UNKNOWN_TABLE" });
  await client.close();
  await server.remove();
});
