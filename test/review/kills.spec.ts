import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProductionStore } from "../../packages/server/src/grading/graders/store/production.ts";
import type { NewGrade } from "../../packages/server/src/grading/graders/grader.ts";
import type { Relational } from "../../packages/server/src/stores/relational.ts";
import { spawnService } from "../engines/spawned.ts";
import { databasesOf, openStoreOf } from "../support/engine.ts";
import { requestOf, traceIdOf } from "../support/ingest.ts";
import { IS_LONG } from "../support/long-form.ts";
import { encodeProtobuf } from "../support/otlp.ts";
import { conversation } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { keySettings } from "../support/secret.ts";
import { until } from "../support/until.ts";

const CONVERSATIONS = 60;
const KILLS = IS_LONG ? 8 : 1;

let server: TestServer;
let store: Relational;
const folder = mkdtempSync(join(tmpdir(), "svc-spec-"));
beforeAll(async () => {
  server = await startServer();
  store = await openStoreOf(server.dataDir);
});
afterAll(async () => {
  await store.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

const IN_DOUBT: NewGrade = {
  graderId: "grd_a",
  graderVersionId: "grdv_a",
  graderName: "Polite",
  criterion: "Is polite.",
  reading: null,
  decidedBy: "judge",
  verdict: "passed",
  reason: "It is.",
  evidence: [],
  confidence: 0.1,
  votes: [],
  judge: null,
  usage: null,
  counts: true,
};

test("a grade and the item of its conversation are stored together or not at all", async () => {
  const { db } = store;
  const { id } = server.project;
  await server.client.review.configure({ enabled: true, sources: ["alert", "low_confidence", "disagreement"] });
  const insert = (names: string[]) =>
    createProductionStore(db).insertGrades(
      id,
      {
        name: "job-1",
        names,
        traceId: traceIdOf(1),
        agentName: null,
        agentVersion: null,
        channel: null,
        startedAt: new Date().toISOString(),
      },
      [IN_DOUBT],
      () => false,
    );
  const grades = () => db.selectFrom("production_grades").select("conversation").execute();
  // The service cannot store the item, because another item already has its unique name.
  const item = { project_id: id, source: "production", conversation: "job-1", state: "open", urgency: 1 } as const;
  await db
    .insertInto("review_items")
    .values({
      id: "rvi_00000000000000000000000000",
      ...item,
      people_wanted: 1,
      created_at: new Date().toISOString(),
    } as never)
    .execute();
  await expect(insert(["another name"])).rejects.toThrow(/unique|UNIQUE/);
  expect(await grades()).toEqual([]);
  await db.deleteFrom("review_items").execute();
  await insert(["job-1", traceIdOf(1)]);
  await insert(["job-1", traceIdOf(1)]);
  expect(await grades()).toEqual([{ conversation: "job-1" }]);
  const { items } = await server.client.review.list();
  expect(items).toMatchObject([{ traceId: traceIdOf(1), reasons: [{ reason: "low_confidence" }] }]);
});

test("kills while conversations are graded lose no item and bring none twice", async () => {
  const settings = keySettings();
  const databases = await databasesOf(folder);
  const start = () =>
    spawnService({
      dataDir: folder,
      settings,
      productionPace: { everyMs: 20 },
      ...(Object.keys(databases).length > 0 && { databases }),
    });
  let service = await start();
  const definition = { kind: "check", check: 'says "fine"' } as const;
  const { grader } = await service.client.graders.create({ name: "Fine", definition, scope: "production" });
  await service.client.review.configure({ enabled: true, sources: ["random"], randomShare: 1, graderIds: [grader.id] });
  const body = encodeProtobuf(
    requestOf(Array.from({ length: CONVERSATIONS }, (_, trace) => conversation(trace, "I am fine.")).flat()),
  );
  await service.client.traces.ingest({ body, contentType: "application/x-protobuf" });
  const items = async () => (await service.client.review.list({ pageSize: 200 })).items;
  for (let kill = 0; kill < KILLS; kill++) {
    const wanted = Math.ceil(((kill + 1) * CONVERSATIONS) / (KILLS + 2));
    await until("some items are there", async () => (await items()).length >= wanted);
    await service.kill();
    service = await start();
  }
  const found = await until("every conversation is in the queue", async () => {
    const now = await items();
    return now.length >= CONVERSATIONS && now;
  });
  const graded: string[] = [];
  for (let trace = 0; trace < CONVERSATIONS; trace++)
    graded.push(...(await service.client.grades.ofTrace({ traceId: traceIdOf(trace) })).grades.map(({ id }) => id!));
  expect(graded).toHaveLength(CONVERSATIONS);
  expect(found.flatMap(({ gradeIds }) => gradeIds).toSorted()).toEqual(graded.toSorted());
  expect(new Set(found.map(({ traceId }) => traceId)).size).toBe(CONVERSATIONS);
  await service.kill();
});
