import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, listen, openApp, readConfig } from "@svc/server";
import { afterAll, expect, test } from "vitest";
import { openSqlite } from "../packages/server/src/stores/sqlite/sqlite.ts";
import { send } from "./support/request.ts";
import { keySettings, newSecret } from "./support/secret.ts";
import { startServer } from "./support/server.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-first-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ACCOUNT = { email: "ada@acme.test", password: "a:long:password" };
const SVC_INIT_ADMIN = `${ACCOUNT.email}:${ACCOUNT.password}`;
const signIn = async (url: string) =>
  (await send(url, { method: "POST", path: "/api/auth/sign-in/email", json: ACCOUNT })).status;

test("a first start claims the service for its admin; a later one adds missing keys to the oldest project, whatever its name", async () => {
  const dataDir = join(folder, "claimed");
  const first = await startServer({ dataDir, settings: { SVC_INIT_ADMIN } });
  expect(await signIn(first.url)).toBe(200);
  const { project } = first;
  await first.admin.projects.edit({ projectId: project.id, name: "Reservations" });
  await first.admin.projects.create({ name: "Default", slug: "another" });
  await first.stop();

  const settings = { SVC_INIT_ADMIN, ...keySettings({ adminKey: first.adminKey, projectKey: newSecret() }) };
  const later = await startServer({ dataDir, settings });
  const { projects } = await later.admin.projects.list();
  expect(projects.map(({ name }) => name)).toEqual(["Default", "Reservations"]);
  expect((await later.client.projects.list()).projects).toMatchObject([{ id: project.id, name: "Reservations" }]);
  await later.stop();
});

test("a first key for workers may send conversations and nothing else", async () => {
  const [projectKey, ingestKey] = [newSecret(), newSecret()];
  const { SVC_INIT_API_KEYS } = keySettings({ adminKey: newSecret(), projectKey });
  const settings = { SVC_INIT_API_KEYS: `${SVC_INIT_API_KEYS},ingest:${ingestKey}` };
  const { url, stop } = await startServer({ dataDir: join(folder, "worker-key"), settings });
  const status = async (key: string, more: { method: string; path: string }) =>
    (await send(url, { ...more, key, ...(more.method === "POST" && { json: { resourceSpans: [] } }) })).status;
  const [sends, reads] = [
    { method: "POST", path: "/v1/traces" },
    { method: "GET", path: "/v1/traces" },
  ];
  expect([await status(ingestKey, sends), await status(ingestKey, reads)]).toEqual([200, 403]);
  expect([await status(projectKey, sends), await status(projectKey, reads)]).toEqual([200, 200]);
  await stop();
});

test("the service stores passwords under a slow hash, and accepts no password under the fast hash of the specs", async () => {
  const open = async (dataDir: string) => {
    const settings = { PORT: "0", SVC_DATA_DIR: dataDir, SVC_INIT_ADMIN, LOG_LEVEL: "silent" };
    const app = await openApp(readConfig(settings), createLog("silent"));
    const { url, stop } = await listen(app.handle, 0, "127.0.0.1");
    return { url, stop: () => stop().then(app.close) };
  };
  const slow = await open(join(folder, "slow"));
  expect(await signIn(slow.url)).toBe(200);
  await slow.stop();
  const store = openSqlite(join(folder, "slow"));
  const { password } = await store.db.selectFrom("sign_ins").select("password").executeTakeFirstOrThrow();
  expect(password).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
  await store.close();

  const specs = await startServer({ dataDir: join(folder, "fast"), settings: { SVC_INIT_ADMIN }, isEmbedded: true });
  expect(await signIn(specs.url)).toBe(200);
  await specs.stop();
  const fast = await open(join(folder, "fast"));
  expect(await signIn(fast.url)).not.toBe(200);
  await fast.stop();
});
