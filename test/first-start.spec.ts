import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { send } from "./support/request.ts";
import { keySettings, newSecret } from "./support/secret.ts";
import { startServer } from "./support/server.ts";

const dataDir = mkdtempSync(join(tmpdir(), "svc-first-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test("a first start claims the service for its admin; a later one adds missing keys to the oldest project, whatever its name", async () => {
  const SVC_INIT_ADMIN = "ada@acme.test:a:long:password";
  const first = await startServer({ dataDir, settings: { SVC_INIT_ADMIN } });
  const signIn = { email: "ada@acme.test", password: "a:long:password" };
  const reply = await send(first.url, { method: "POST", path: "/api/auth/sign-in/email", json: signIn });
  expect(reply.status).toBe(200);
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
