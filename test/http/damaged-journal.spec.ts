import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { encodeProtobuf, oneSpan } from "../support/otlp.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { removeTraceTables } from "../support/trace-files.ts";
import { until } from "../support/until.ts";
import { keySettings } from "../support/secret.ts";

describe("a service with a damaged journal, after a restart in which the damaged segment is not read", () => {
  let server: TestServer;
  let home: ReturnType<typeof openHome>;
  let segment: string;
  let bytes: Buffer;

  async function restart(): Promise<void> {
    await server.close();
    const { adminKey, projectKey, dataDir } = server;
    const settings = keySettings({ adminKey, projectKey });
    server = await startServer({ dataDir, settings });
    home?.remove();
    home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.adminKey });
  }

  beforeAll(async () => {
    server = await startServer();
    for (let body = 0; body < 3; body++) {
      await server.client.traces.ingest({ body: encodeProtobuf(oneSpan()), contentType: "application/x-protobuf" });
    }
    await server.close();
    removeTraceTables(server.dataDir);
    const journal = join(server.dataDir, "journal");
    segment = join(journal, readdirSync(journal)[0]!);
    bytes = readFileSync(segment);
    const damaged = Buffer.from(bytes);
    damaged[60]! ^= 1;
    writeFileSync(segment, damaged);
    await restart();
    await server.client.traces.ingest({ body: encodeProtobuf(oneSpan()), contentType: "application/x-protobuf" });
    await restart();
  });

  afterAll(async () => {
    await server?.stop();
    server?.remove();
    home?.remove();
  });

  test("health stays ok and says that the service is degraded", async () => {
    expect(await server.admin.health.get()).toMatchObject({ status: "ok", degraded: true });
    const { exitCode, stdout } = await home.svc(["health"]);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("ok, degraded")]);
  });

  test("an admin reads the condition, and a project key is refused", async () => {
    const { conditions } = await server.admin.conditions.list();
    expect(conditions).toEqual([expect.objectContaining({ code: "journal_damaged", degrades: true, count: null })]);
    await expect(server.client.conditions.list()).rejects.toMatchObject({ code: "not_permitted" });
  });

  test("`doctor` shows the condition with its remedy to an admin, and says to others that it cannot", async () => {
    const forAdmin = await home.svc(["doctor"]);
    expect(forAdmin.stdout).toMatch(/wrong +state: degraded[^]*wrong +journal damaged: .*\n +Ask the operator/);
    expect(forAdmin.exitCode).toBe(1);
    const forProject = await home.svc(["doctor"], { env: { SVC_API_KEY: server.projectKey } });
    expect(forProject.stdout).toMatch(/wrong +state: degraded[^]*skipped +conditions: only an admin/);
  });

  test("the condition is over after a start with the right bytes", async () => {
    writeFileSync(segment, bytes);
    await restart();
    await until("the end of the condition", async () => (await server.admin.conditions.list()).conditions.length === 0);
    expect(await server.admin.health.get()).toMatchObject({ degraded: false });
    expect((await home.svc(["doctor"])).stdout).toMatch(/state: not degraded/);
  });
});
