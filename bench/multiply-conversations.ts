import type { ClickHouseClient } from "@clickhouse/client";
import type pg from "pg";
import { SCHEMA_PREFIX } from "../test/support/engine.ts";

/** Adds the number `n` of a copy to the first byte of a trace id, in hexadecimal SQL text. */
const copyOf = (id: string) =>
  `lpad(to_hex((get_byte(decode(substr(${id}, 1, 2), 'hex'), 0) + n) % 256), 2, '0') || substr(${id}, 3)`;

/** Copies every conversation until there are `times` as many. The copies differ in the ids of their traces and conversations. */
export async function multiplyConversations(postgres: pg.Client, clickHouse: ClickHouseClient, times: number) {
  const { rows } = await postgres.query<{ name: string }>(
    `SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE '${SCHEMA_PREFIX}%'`,
  );
  const name = rows[0]!.name;
  await postgres.query(`SET search_path = ${name}`);
  const keyOf = (text: string) => `CASE WHEN ${text} = trace_id THEN ${copyOf(text)} ELSE ${text} || '~' || n END`;
  const from = `generate_series(1, ${times - 1}) n`;
  const changed = { trace_id: copyOf("trace_id"), key: keyOf("key"), conversation: "conversation || '~' || n" };
  await copyRows(postgres, "traces", from, changed);
  await copyRows(postgres, "conversations", from, {
    ...changed,
    trace_ids: `ARRAY[${copyOf("trace_id")}]`,
    started_ns: "started_ns - n * 1000000",
    reading: "reading - n",
  });
  await copyRows(postgres, "conversation_terms", from, {
    key: `CASE WHEN key ~ '^[0-9a-f]{32}$' THEN ${copyOf("key")} ELSE key || '~' || n END`,
  });
  await postgres.query("ANALYZE");

  const numbers = `(SELECT number FROM numbers(${times - 1})) AS n`;
  const id = "trace_id + bitShiftLeft(toUInt128(number + 1), 120)";
  for (const [table, replaced] of [
    ["spans", `${id} AS trace_id, concat(conversation, '~', toString(number + 1)) AS conversation`],
    ["readings", `concat(key, '~', toString(number + 1)) AS key`],
  ])
    await clickHouse.command({
      query: `INSERT INTO ${name}.${table} SELECT t.* REPLACE (${replaced}) FROM ${name}.${table} AS t CROSS JOIN ${numbers}`,
    });
}

async function copyRows(
  postgres: pg.Client,
  table: string,
  from: string,
  changed: Readonly<Record<string, string>>,
): Promise<void> {
  const { rows } = await postgres.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1`,
    [table],
  );
  const columns = rows.map(({ name }) => name);
  const values = columns.map((name) => changed[name] ?? name);
  await postgres.query(
    `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM ${table}, ${from}`,
  );
}
