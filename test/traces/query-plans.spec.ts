import { isDeepStrictEqual } from "node:util";
import { type CompiledQuery, Kysely, SqliteDialect } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Db } from "../../packages/server/src/stores/relational.ts";
import type { Schema } from "../../packages/server/src/stores/schema.ts";
import { addSums } from "../../packages/server/src/traces/store/index/writes.ts";
import type { Case } from "../support/query-plans/case.ts";
import { sorts, withoutWords, words } from "../support/query-plans/pages.ts";
import { faultsOf, plansOf } from "../support/query-plans/plans.ts";
import { ofExports, others } from "../support/query-plans/statements.ts";
import { turnPages } from "../support/query-plans/turns.ts";
import { openTraceIndex, readAll, sumsOf, type TraceIndex } from "../support/trace-index.ts";

let index: TraceIndex;
/** A query builder on the index that records each statement. */
let db: Db;
let statements: CompiledQuery[] = [];
beforeAll(async () => {
  index = await openTraceIndex();
  const dialect = new SqliteDialect({ database: index.engine });
  db = new Kysely<Schema>({ dialect, log: ({ query }) => void statements.push(query) });
  await addSums(db, [sumsOf(1), sumsOf(2)]);
  await readAll(index);
});
afterAll(() => index.close());

async function statementsOf({ ask }: Case): Promise<CompiledQuery[]> {
  index.engine.exec(
    "UPDATE conversations SET read_change = change, terms_change = change, due_ms = NULL, leased_until_ms = 0",
  );
  statements = [];
  await ask({ ...index, db });
  return statements;
}

const cases = [...sorts, ...words, ...withoutWords, ...others, ...ofExports, ...turnPages];

describe("no statement reads all traces, conversations or bodies", () => {
  test.each(cases)("no statement reads a whole table for %s", async (_, one) => {
    const plans = plansOf(index.engine, await statementsOf(one));
    expect(plans.length).toBeGreaterThan(0);
    expect(faultsOf(plans, one), plans.map(({ sql, steps }) => [sql, ...steps].join("\n  ")).join("\n\n")).toEqual([]);
  });

  test.each(words)("%s asks the search index", async (_, one) => {
    const plans = plansOf(index.engine, await statementsOf(one));
    expect(plans.flatMap(({ steps }) => steps).join("\n")).toMatch(/SCAN search VIRTUAL TABLE INDEX \d+:M/);
  });
});

test("each index of the tables is needed: without it a plan of these has a fault", async () => {
  const { engine } = index;
  const names = engine
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    .pluck()
    .all();
  expect(names).toContain("conversations_by_startedat");
  const asked: [Case, CompiledQuery[]][] = [];
  for (const [, one] of cases) {
    const { uses: _, ...rest } = one;
    asked.push([rest, await statementsOf(one)]);
  }
  const faults = () => asked.map(([one, queries]) => faultsOf(plansOf(engine, queries), one));
  const before = faults();
  const needless = names.filter((name) => {
    engine.exec(`BEGIN; DROP INDEX ${name}`);
    try {
      return isDeepStrictEqual(faults(), before);
    } catch (error) {
      if ((error as Error).message !== `no such index: ${name}`) throw error;
      return false;
    } finally {
      engine.exec("ROLLBACK");
    }
  });
  expect(needless).toEqual([]);
});
