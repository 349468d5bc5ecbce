import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OtlpBody } from "@svc/sdk";
import { createConditions } from "../../packages/server/src/conditions.ts";
import { presentConditions } from "../../packages/server/src/health/present.ts";
import { openHome } from "../support/cli.ts";
import { encodeProtobuf, oneSpan } from "../support/otlp.ts";
import { silent } from "../support/ingest.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { needsProcess } from "../support/in-process.ts";
import { until } from "../support/until.ts";

const SERVICE = { code: "disk_full", message: "/data/x has no space for 3 bodies.", mend: "Delete /data/y." };
const TENANT = {
  code: "exports_refused",
  organizationId: "org_a",
  projectId: "prj_a",
  message: "12 exports were refused.",
  mend: "Export less often.",
};

describe("conditions", () => {
  test("a condition counts its reports, keeps its first time, and is logged once with its cause", () => {
    const logged: unknown[] = [];
    const conditions = createConditions({ ...silent, error: (details: unknown) => logged.push(details) } as never);
    const error = new Error("ENOSPC");
    conditions.report({ ...SERVICE, error });
    const [first] = conditions.list();
    conditions.report({ ...SERVICE, count: 4, message: "Again." });
    expect(conditions.list()).toEqual([{ ...first, count: 5, message: "Again.", at: expect.any(String) }]);
    expect(logged).toEqual([expect.objectContaining({ condition: "disk_full", err: error })]);
  });

  test("a condition of one tenant never degrades, and ends only for its project", () => {
    const conditions = createConditions(silent as never);
    conditions.report({ ...TENANT, degrades: true });
    conditions.report({ ...TENANT, projectId: "prj_b" });
    conditions.report({ ...SERVICE, degrades: false });
    expect(conditions.list().map(({ degrades }) => degrades)).toEqual([false, false, false]);
    conditions.clear("exports_refused", "prj_a");
    conditions.clear("exports_refused");
    expect(conditions.list().map(({ projectId }) => projectId)).toEqual(["prj_b", null]);
  });

  test("an organization sees its own conditions in full, those of the service without details, and no others", () => {
    const conditions = createConditions(silent as never);
    for (const report of [SERVICE, TENANT, { ...TENANT, organizationId: "org_b", projectId: "prj_b" }]) {
      conditions.report(report);
    }
    const seen = presentConditions(conditions.list(), "org_a");
    expect(seen).toHaveLength(2);
    expect(seen[0]).toMatchObject({ code: "disk_full", degrades: true, organizationId: null, count: null });
    expect(JSON.stringify(seen[0])).not.toMatch(/\/data|3 bodies/);
    expect(seen[1]).toMatchObject({ ...TENANT, count: 1 });
  });
});

describe("a service with a damaged journal, after a restart in which the damaged segment is not read", () => {
  let server: TestServer;
  let home: ReturnType<typeof openHome>;
  let segment: string;
  let bytes: Buffer;

  async function restart(): Promise<void> {
    await server.close();
    const { adminKey, projectKey, dataDir } = server;
    const settings = { SVC_INIT_API_KEY: adminKey, SVC_INIT_PROJECT_API_KEY: projectKey };
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
    for (const file of readdirSync(server.dataDir)) {
      if (file.startsWith("analytics")) rmSync(join(server.dataDir, file), { recursive: true });
    }
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

  test("`doctor` shows the condition with its mend to an admin, a note when there is nothing to do, and says to others that it cannot", async (context) => {
    needsProcess(context);
    const forAdmin = await home.svc(["doctor"]);
    expect(forAdmin.stdout).toMatch(/wrong +state: degraded[^]*wrong +journal damaged: .*\n +Ask the operator/);
    expect(forAdmin.exitCode).toBe(1);
    const traceId = "5".repeat(32);
    const exported: OtlpBody = { body: encodeProtobuf(oneSpan({ traceId })), contentType: "application/x-protobuf" };
    await server.client.traces.ingest(exported);
    await server.spansLoaded();
    await server.client.traces.delete({ traceId });
    await server.client.traces.ingest(exported);
    const withNote = await home.svc(["doctor"]);
    expect(withNote.stdout).toMatch(/note +spans of deleted conversations: /);
    expect(withNote.stdout.match(/^wrong/gm)).toEqual(forAdmin.stdout.match(/^wrong/gm));
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
