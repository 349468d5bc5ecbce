import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SvcError } from "@svc/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgres } from "../../packages/server/src/stores/postgres/postgres.ts";
import { databaseOf, databasesOf } from "../support/engine.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { aTest } from "../support/world.ts";
import { keySettings } from "../support/secret.ts";

const WRITERS = 20;

let dataDir: string;
/** Two services on the same databases. */
let services: TestServer[];

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-spec-"));
  const databases = await databasesOf(dataDir);
  const first = await startServer({ databases });
  const { adminKey, projectKey } = first;
  const settings = keySettings({ adminKey, projectKey });
  services = [first, await startServer({ settings, databases })];
});
afterAll(async () => {
  for (const service of services) await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const serviceOf = (n: number) => services[n % services.length]!;
const codeOf = (error: unknown) => (error instanceof SvcError ? error.code : String(error));

test("exactly one of twenty writers wins each of fifty rounds, through two services", async () => {
  const { client } = serviceOf(0);
  const created = await client.tests.create(aTest());
  let versionId = created.version_id;
  for (let round = 0; round < 50; round++) {
    const edits = await Promise.allSettled(
      Array.from({ length: WRITERS }, (_, n) =>
        serviceOf(n).client.tests.edit({
          testId: created.id,
          expected_version_id: versionId,
          scenario: `Round ${round}, writer ${n}.`,
        }),
      ),
    );
    const won = edits.filter((edit) => edit.status === "fulfilled");
    const refusals = edits.flatMap((edit) => (edit.status === "rejected" ? [codeOf(edit.reason)] : []));
    expect(won).toHaveLength(1);
    expect(new Set(refusals)).toEqual(new Set(["version_conflict"]));
    versionId = won[0]!.value.version_id;
  }
  expect((await client.tests.get({ testId: created.id })).version).toBe(51);
});

test("a thousand edits of one agent, a hundred at the same time, all succeed, and none is refused for its name", async () => {
  const { client } = serviceOf(0);
  const { agent } = await client.agents.register({ name: "Front desk" });
  for (let first = 0; first < 1_000; first += 100) {
    const edits = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) =>
        serviceOf(n).client.agents.edit({ agentId: agent.id, name: `Desk ${first + n}` }),
      ),
    );
    expect(edits.flatMap((edit) => (edit.status === "rejected" ? [codeOf(edit.reason)] : []))).toEqual([]);
  }
  expect((await client.agents.get({ agentId: agent.id })).agent.revision).toBe(1_001);
});

test("exactly one of twenty new suites gets a name", async () => {
  const suites = await Promise.allSettled(
    Array.from({ length: WRITERS }, (_, n) => serviceOf(n).client.suites.create({ name: "One name" })),
  );
  const refusals = suites.flatMap((suite) => (suite.status === "rejected" ? [codeOf(suite.reason)] : []));
  expect(refusals).toEqual(Array.from({ length: WRITERS - 1 }, () => "name_taken"));
});

test("a key that one service revokes is refused by the other one at the next request", async () => {
  const [one, other] = services as [TestServer, TestServer];
  for (let round = 0; round < 50; round++) {
    const { id, secret } = await one.admin.keys.create({ name: `round ${round}` });
    await other.clientOf(secret).projects.list();
    await one.admin.keys.revoke({ apiKeyId: id });
    await expect(other.clientOf(secret).projects.list()).rejects.toMatchObject({ code: "not_authenticated" });
  }
});

test("stores that open an empty database at the same time apply each migration once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-spec-"));
  const url = (await databaseOf(folder))!;
  const stores = await Promise.all(Array.from({ length: 5 }, () => openPostgres(url)));
  for (const { reachable } of stores) expect(await reachable()).toBe(true);
  await Promise.all(stores.map(({ close }) => close()));
  rmSync(folder, { recursive: true });
});
