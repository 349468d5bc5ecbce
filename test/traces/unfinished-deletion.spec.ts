import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "@svc/server";
import { createConditions } from "../../packages/server/src/base/conditions.ts";
import { openContext } from "../../packages/server/src/context.ts";
import { insertOrganization } from "../../packages/server/src/tenancy/organizations/store.ts";
import { insertProject } from "../../packages/server/src/tenancy/projects/store.ts";
import { openChecksums } from "../../packages/server/src/stores/sqlite/checksums.ts";
import { openSqlite } from "../../packages/server/src/stores/sqlite/sqlite.ts";
import {
  createDeletedConversations,
  digestOf,
} from "../../packages/server/src/traces/erasure/deleted-conversations.ts";
import { type ConversationTexts, openErasure } from "../../packages/server/src/traces/erasure/open.ts";
import { openTraces, type Traces } from "../../packages/server/src/traces/open.ts";
import { realDisk } from "../../packages/server/src/traces/journal/disk.ts";
import { bodyOf, openIngest, silent, spanOf, traceIdOf } from "../support/ingest.ts";
import { until } from "../support/until.ts";

let dataDir: string;
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), "svc-erasure-"))));
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

async function openStores() {
  const config = readConfig({ PORT: "0", SVC_DATA_DIR: dataDir });
  const conditions = createConditions(silent);
  const traces = await openTraces(config, silent, conditions);
  const context = await openContext(config, silent as never, conditions);
  const close = async () => {
    await traces.close();
    await context.close();
  };
  return { traces, context, close };
}

/** Returns the texts of a feature whose first erasures fail. */
function failingTexts(failures: number): ConversationTexts & { erased: string[] } {
  const erased: string[] = [];
  let left = failures;
  return {
    erased,
    async eraseConversations(_project, names) {
      if (left-- > 0) throw new Error("the disk is full");
      erased.push(...names);
    },
    eraseBefore: async () => undefined,
  };
}

test("a deletion that fails in the middle is finished without a restart and without a second request", async () => {
  const { traces, context, close } = await openStores();
  const { id: organization } = await insertOrganization(context.db, "Clinic");
  const project = await insertProject(context.db, organization, { name: "Default" });
  const texts = failingTexts(1);
  const erasure = await openErasure(context, traces, [texts]);
  await traces.intake.take(bodyOf(project.number, [spanOf(1, 1)]));
  await traces.intake.drain();
  await expect(erasure.deleteConversation(project, traceIdOf(1))).rejects.toThrow("full");
  await until("the texts are erased", () => texts.erased.includes(traceIdOf(1)));
  await erasure.close();
  await close();
});

test("a start finishes an unfinished deletion before it serves", async () => {
  const { traces, context, close } = await openStores();
  const { id: organization } = await insertOrganization(context.db, "Clinic");
  const project = await insertProject(context.db, organization, { name: "Default" });
  const failing = await openErasure(context, traces, [failingTexts(1)]);
  await traces.intake.take(bodyOf(project.number, [spanOf(1, 1)]));
  await traces.intake.drain();
  await expect(failing.deleteConversation(project, traceIdOf(1))).rejects.toThrow("full");
  await failing.close();
  const texts = failingTexts(0);
  const erasure = await openErasure(context, traces, [texts]);
  expect(texts.erased).toContain(traceIdOf(1));
  await erasure.close();
  await close();
});

test("an unfinished deletion delays neither the start nor the stop of a service that loads its journal again", async () => {
  const { traces, context, close } = await openStores();
  const { id: organization } = await insertOrganization(context.db, "Clinic");
  const project = await insertProject(context.db, organization, { name: "Default" });
  const failing = await openErasure(context, traces, [failingTexts(1)]);
  await traces.intake.take(bodyOf(project.number, [spanOf(1, 1)]));
  await traces.intake.drain();
  await expect(failing.deleteConversation(project, traceIdOf(1))).rejects.toThrow("full");
  await failing.close();
  const rebuilding: Traces["intake"] = {
    ...traces.intake,
    isCatchingUp: () => true,
    loaded: () => new Promise(() => {}),
  };
  const erasure = await openErasure(context, { ...traces, intake: rebuilding }, []);
  await erasure.close();
  await close();
});

test("a body that was examined before a deletion is in the tables before the deletion erases", async () => {
  const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const disk = {
    ...realDisk,
    async datasync(file: number) {
      reached.resolve();
      await gate.promise;
      await realDisk.datasync(file);
    },
  };
  const ingest = await openIngest({ dataDir, disk });
  const taken = ingest.take(1, [spanOf(1, 1)]);
  await reached.promise;
  const read = ingest.intake.loaded().then(() => ingest.store.reader.find(1, traceIdOf(1)));
  await ingest.traces();
  gate.resolve();
  expect((await read)?.spans).toHaveLength(1);
  await taken;
  await ingest.close();
});

test("a trace whose drop could not be counted is counted and stored when its body comes again", async () => {
  const deleted = createDeletedConversations();
  deleted.add(1, [digestOf("name", "job")]);
  const recorded: string[][] = [];
  deleted.recordDropsWith(async (_, newTraceIds) => {
    recorded.push(newTraceIds);
    if (recorded.length === 1) throw new Error("the disk is full");
  });
  const dropped = { project: 1, traceIds: new Set([traceIdOf(1)]), spans: 1 };
  await expect(deleted.drop(dropped)).rejects.toThrow("full");
  await deleted.drop(dropped);
  await deleted.drop(dropped);
  expect(recorded).toEqual([[traceIdOf(1)], [traceIdOf(1)], []]);
});

test("the log is emptied later when the checksums cannot be written", async () => {
  mkdirSync(join(dataDir, "relational.checksums.new"));
  const errors: unknown[] = [];
  const relational = openSqlite(
    dataDir,
    openChecksums(dataDir, (error) => void (error && errors.push(error))),
  );
  relational.emptyLog();
  expect(errors.length).toBeGreaterThan(0);
  rmSync(join(dataDir, "relational.checksums.new"), { recursive: true });
  relational.emptyLog();
  await relational.close();
  await openSqlite(
    dataDir,
    openChecksums(dataDir, () => undefined),
  ).close();
});
