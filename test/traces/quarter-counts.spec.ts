import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SqliteFile } from "../../packages/server/src/stores/sqlite/sqlite.ts";
import { openIndexFile } from "../../packages/server/src/traces/store/folder/index-file.ts";
import { takeDue } from "../../packages/server/src/traces/store/index/due-conversations.ts";
import { deleteTraces, forgetReadings } from "../../packages/server/src/traces/store/index/erase.ts";
import { selectTraces } from "../../packages/server/src/traces/store/index/names.ts";
import { HAS_ERRORS } from "../../packages/server/src/traces/store/index/quarter-counts.ts";
import { storeReadings } from "../../packages/server/src/traces/store/index/readings.ts";
import { markForRemap } from "../../packages/server/src/traces/store/index/remap.ts";
import { addSums } from "../../packages/server/src/traces/store/index/writes.ts";
import { EMPTY_READING } from "../../packages/server/src/traces/store/reading.ts";
import { traceIdOf } from "../support/ingest.ts";
import { IS_LONG } from "../support/long-form.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-counts-"));
let index: SqliteFile;
let project = 0;
beforeAll(async () => void (index = await openIndexFile(folder, () => undefined)));
afterAll(async () => {
  await index.close();
  rmSync(folder, { recursive: true });
});

const QUARTER_NS = 900_000_000_000n;
const spans = fc.record({
  kind: fc.constant("spans" as const),
  trace: fc.integer({ min: 1, max: 4 }),
  quarter: fc.integer({ min: 0, max: 2 }),
  conversation: fc.constantFrom(null, "a", "b", "sim_1"),
  agent: fc.constantFrom(null, "", "Ada", "Bob"),
  errors: fc.integer({ min: 0, max: 1 }),
});
const reading = fc.record({
  kind: fc.constant("reading" as const),
  errors: fc.integer({ min: 0, max: 1 }),
  version: fc.constantFrom(null, "41", "42"),
  channel: fc.constantFrom(null, "telephone" as const, "text" as const),
});
const erasure = fc.record({ kind: fc.constant("erasure" as const), trace: fc.integer({ min: 1, max: 4 }) });
const remap = fc.record({ kind: fc.constant("remap" as const) });

type Drawn<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type Step = Drawn<typeof spans> | Drawn<typeof reading> | Drawn<typeof erasure> | Drawn<typeof remap>;

async function apply(step: Step): Promise<void> {
  const { db } = index;
  if (step.kind === "remap") return void (await markForRemap(db, project, true));
  if (step.kind === "reading") {
    const due = await takeDue(db, 100, true);
    const found = { ...EMPTY_READING, agentVersion: step.version, channel: step.channel };
    const read = due.map((conversation) => ({ conversation, reading: found, spans: 1, errors: step.errors }));
    return void (await storeReadings(db, read));
  }
  const traceId = traceIdOf(step.trace);
  if (step.kind === "erasure") {
    const traces = await selectTraces(db, project, { traceIds: [traceId], names: [] });
    await deleteTraces(db, traces);
    return forgetReadings(db, traces);
  }
  const startedNs = 1_795_251_600_000_000_000n + BigInt(step.quarter) * QUARTER_NS;
  await addSums(db, [
    {
      project,
      traceId,
      startedNs,
      endedNs: startedNs,
      spans: 1,
      errors: step.errors,
      rootName: null,
      rootStartNs: null,
      rootEndNs: null,
      conversation: step.conversation,
      conversationRank: step.conversation === null ? null : 1,
      agent: step.agent,
      agentStartNs: step.agent === null ? null : startedNs,
      service: null,
      receivedFirstMs: 1,
      receivedLastMs: 1,
    },
  ]);
}

const counts = async (query: string) => (await sql.raw(query).execute(index.db)).rows;

test("the counts of quarters of an hour are those of the conversations, after spans are stored, and conversations derived, erased and derived again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(spans, spans, reading, erasure, remap), { maxLength: 12 }), async (steps) => {
      project++;
      for (const step of steps) {
        await apply(step);
        const names =
          "project, source, agent IS NOT NULL AS has_agent, coalesce(agent, '') AS agent, coalesce(agent_version, '') AS agent_version, coalesce(channel, '') AS channel";
        expect(
          await counts(
            `SELECT * FROM quarter_counts WHERE project = ${project} ORDER BY quarter, source, has_agent, agent, agent_version, channel`,
          ),
        ).toEqual(
          await counts(`
            SELECT project, started_ns / ${QUARTER_NS} AS quarter, source, has_agent, agent, agent_version, channel,
              count(*) AS conversations, sum(failed) AS errors
            FROM (SELECT ${names}, started_ns, ${HAS_ERRORS} AS failed FROM conversations WHERE project = ${project} AND traces > 0)
            GROUP BY project, quarter, source, has_agent, agent, agent_version, channel
            ORDER BY quarter, source, has_agent, agent, agent_version, channel`),
        );
      }
    }),
    { numRuns: IS_LONG ? 200 : 20 },
  );
});
