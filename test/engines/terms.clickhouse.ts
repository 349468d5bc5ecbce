import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { type RawBuilder, sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { searchText } from "../../packages/server/src/stores/search-text.ts";
import type { Relational } from "../../packages/server/src/stores/relational.ts";
import type { TraceFilters, TraceSort } from "../../packages/server/src/traces/rules.ts";
import { databaseOf, openStoreOf } from "../support/engine.ts";
import { type Ingest, noFilters, openIngest, spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute, type OtlpSpan } from "../support/otlp.ts";
import { until } from "../support/until.ts";

let dataDir: string;
let ingest: Ingest;
let store: Relational;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-terms-"));
  await databaseOf(dataDir);
  ingest = await openIngest({ dataDir });
  store = await openStoreOf(dataDir);
});
afterEach(async () => {
  await store.close();
  await ingest.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Generates letters, including those whose lower case or normal form has another number of characters or bytes. */
const letter = fc.constantFrom(
  ..."aAbBkKiIsS zZ09-%_\\'\n",
  "\u{130}",
  "\u{131}",
  "\u{212a}",
  "\u{1e9e}",
  "\u{df}",
  "\u{3a3}",
  "\u{3c2}",
  "\u{fb01}",
  "\u{301}",
  "\u{e4}",
  "\u{ff21}",
  "\u{1d400}",
  "\u{1ccd6}",
  "\0",
);
const text = fc.array(letter, { minLength: 1, maxLength: 12 }).map((letters) => letters.join("").toWellFormed());
const call = fc.record({
  agent: text,
  name: text,
  rootName: text,
  said: text,
  tool: fc.option(fc.constantFrom("book", "look", "\0"), { nil: undefined }),
  hasError: fc.boolean(),
  wasInterrupted: fc.boolean(),
  isSimulation: fc.boolean(),
  answerMs: fc.constantFrom(0, 1, 3, 4, 900, 1024, 1025),
});
type Call = typeof call extends fc.Arbitrary<infer Value> ? Value : never;

function spansOf({ agent, name, rootName, said, tool, ...is }: Call, trace: number): OtlpSpan[] {
  const shared = [
    attribute("gen_ai.agent.name", agent),
    attribute(is.isSimulation ? "svc.session_id" : "lk.job_id", `${is.isSimulation ? "sim_" : ""}${name}${trace}`),
  ];
  const answer = [
    ...shared,
    attribute("lk.response.text", said),
    attribute("lk.e2e_latency", is.answerMs / 1000),
    attribute("lk.interrupted", is.wasInterrupted),
    ...(is.wasInterrupted ? [attribute("lk.interruption.source", "user_turn")] : []),
  ];
  return [
    spanOf(trace, 0, { name: rootName, attributes: shared, ...(is.hasError && { status: { code: 2 } }) }),
    spanOf(trace, 1, { name: "agent_turn", attributes: answer }),
    ...(tool === undefined
      ? []
      : [
          spanOf(trace, 2, {
            name: "function_tool",
            attributes: [...shared, attribute("lk.function_tool.name", tool)],
          }),
        ]),
  ];
}

async function pageOf(project: number, filters: TraceFilters, by: TraceSort["by"] = "startedAt") {
  const sort = { by, descending: true };
  const request = { project, limit: 100, sort, after: undefined, filters: { ...noFilters, ...filters }, counts: true };
  const { rows, total } = await ingest.store.reader.list(request);
  return { total, traceIds: rows.map(({ traceId }) => traceId).toSorted() };
}

const found = async (project: number, filters: TraceFilters) => (await pageOf(project, filters)).traceIds;

/** Returns the conversations that match the condition, found by comparing every row. */
async function compared(project: number, condition: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ trace_id: string }>`
    SELECT trace_id FROM conversations WHERE project = ${project} AND traces > 0 AND ${condition}`.execute(store.db);
  return rows.map(({ trace_id }) => trace_id).toSorted();
}

/**
 * Expects that a list with the filters has the same conversations as a query that checks `condition` on every row. Repeats the list and
 * the query when a conversation changes in the meantime.
 */
async function expectSame(
  project: number,
  filters: TraceFilters,
  condition: RawBuilder<unknown>,
  by?: TraceSort["by"],
) {
  for (;;) {
    const before = await compared(project, condition);
    const page = await pageOf(project, filters, by);
    if (String(before) !== String(await compared(project, condition))) continue;
    expect(page, JSON.stringify(filters)).toEqual({ total: before.length, traceIds: before });
    return;
  }
}

const fold = (value: RawBuilder<unknown>) => sql`lower(normalize(${value}, NFKC) COLLATE "und-x-icu") COLLATE "C"`;
const NAMES = sql`concat_ws(chr(10), agent, conversation, root_name)`;
const isIn = (search: string) => sql`(strpos(transcript, ${searchText(search)}) > 0
  OR strpos(names, ${searchText(search)}) > 0 OR strpos(${fold(NAMES)}, ${fold(sql`${search}::text`)}) > 0)`;
const HAS_ERRORS = sql`CASE WHEN read_change = change THEN errors > 0 ELSE has_errors END`;
const SLOWEST = sql`CASE WHEN read_change = change THEN coalesce(latency_max, text_response_max) END`;

const FILTERS: [TraceFilters, RawBuilder<unknown>][] = [
  [{ tool: "book" }, sql`'book' = ANY(tools)`],
  [{ tool: "\0" }, sql`chr(65533) = ANY(tools)`],
  [{ tool: "none" }, sql`'none' = ANY(tools)`],
  [{ quality: "root" }, sql`'root' = ANY(quality)`],
  [{ status: "error" }, HAS_ERRORS],
  [{ status: "ok" }, sql`NOT (${HAS_ERRORS})`],
  [{ source: "simulation" }, sql`source = 'simulation'`],
  [{ interrupted: true }, sql`interruptions > 0`],
  ...[0, 0.5, 1, 2, 3.5, 4, 899, 1024, 1025, 1e9].map((slowerThanMs): [TraceFilters, RawBuilder<unknown>] => [
    { slowerThanMs },
    sql`(${SLOWEST}) > ${slowerThanMs}`,
  ]),
  [{ tool: "look", status: "error" }, sql`'look' = ANY(tools) AND (${HAS_ERRORS})`],
];

test("searches and filters find the conversations that a comparison of all rows finds, read or not", async () => {
  let project = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 1, maxLength: 6 }),
      fc.array(text, { maxLength: 4 }),
      fc.nat(),
      async (calls, others, cut) => {
        project++;
        for (const [trace, one] of calls.entries()) {
          await ingest.take(project, spansOf(one, trace));
          if ((trace + cut) % 2 === 0) await ingest.intake.drain();
          // A conversation that was already read gets a further root span, which gives it another name.
          if (trace % 3 === 0)
            await ingest.take(project, [spanOf(trace, 9, { parentSpanId: "", name: `late ${one.rootName}` })]);
        }
        const all = calls.flatMap(({ agent, name, rootName, said }) => [agent, name, rootName, said]);
        const parts = all.map((whole) => whole.slice(cut % whole.length).toWellFormed());
        const together = calls.map(({ agent, name }) => `${agent}\n${name}`);
        for (const search of new Set([
          ...others,
          ...together,
          ...all,
          ...parts,
          ...parts.map((part) => part.toUpperCase()),
        ]))
          await expectSame(project, { search }, isIn(search));
        for (const [filters, condition] of FILTERS) await expectSame(project, filters, condition, "latency");
        const names = await compared(project, sql`true`);
        expect(await found(project, { conversations: names })).toEqual(names);
      },
    ),
    { numRuns: 6 },
  );
}, 120_000);

const withTerms = async () => {
  const { rows } = await sql`
    SELECT 1 FROM conversations c JOIN conversation_terms t USING (project, key) WHERE c.terms_change = c.change`.execute(
    store.db,
  );
  return rows.length;
};

test("a search finds conversations that an older version has derived, and they get search terms at the next start", async () => {
  for (const trace of [1, 2, 3]) await ingest.take(1, [spanOf(trace, 0, { name: `xylophone ${trace}` })]);
  await ingest.intake.drain();
  expect(await withTerms()).toBe(3);
  await sql`DROP TABLE conversation_terms`.execute(store.db);
  await sql`ALTER TABLE conversations DROP COLUMN terms_change`.execute(store.db);
  await ingest.close();
  ingest = await openIngest({ dataDir });
  expect(await found(1, { search: "XYLOPHONE" })).toEqual([1, 2, 3].map(traceIdOf));
  await until("every conversation has terms", async () => (await withTerms()) === 3);
  expect(await found(1, { search: "XYLOPHONE" })).toEqual([1, 2, 3].map(traceIdOf));
});

test("a deleted conversation has no terms", async () => {
  await ingest.take(1, [spanOf(1, 0), spanOf(2, 0)]);
  await ingest.intake.drain();
  expect(await withTerms()).toBe(2);
  const { eraser } = ingest.store as unknown as {
    eraser: { erase: (project: number, selection: object) => Promise<unknown> };
  };
  await eraser.erase(1, { traceIds: [traceIdOf(1)], names: [] });
  const { rows } = await sql<{ key: string }>`SELECT key FROM conversation_terms`.execute(store.db);
  expect(rows.map(({ key }) => key)).toEqual([traceIdOf(2)]);
});
