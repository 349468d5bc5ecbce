import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import type { OtlpBody } from "@svc/sdk";
import { createConditions } from "../../packages/server/src/base/conditions.ts";
import { createProxyWatch } from "../../packages/server/src/http/unknown-proxy.ts";
import { presentConditions } from "../../packages/server/src/operations/health/routes.ts";
import { openHome } from "../support/cli.ts";
import { encodeProtobuf, oneSpan } from "../support/otlp.ts";
import { silent } from "../support/ingest.ts";
import { startServer } from "../support/server.ts";

const SERVICE = { code: "disk_full", message: "/data/x has no space for 3 bodies.", remedy: "Delete /data/y." };
const TENANT = {
  code: "exports_refused",
  organizationId: "org_a",
  projectId: "prj_a",
  message: "12 exports were refused.",
  remedy: "Export less often.",
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

test("`doctor` shows spans of deleted conversations as a note, which is nothing to do", async () => {
  const server = await startServer();
  const home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.adminKey });
  const traceId = "5".repeat(32);
  const exported: OtlpBody = { body: encodeProtobuf(oneSpan({ traceId })), contentType: "application/x-protobuf" };
  await server.client.traces.ingest(exported);
  await server.client.traces.get({ traceId, wait: 30 });
  await server.client.traces.delete({ traceId });
  const wrongBefore = (await home.svc(["doctor"])).stdout.match(/^wrong/gm);
  await server.client.traces.ingest(exported);
  const { stdout } = await home.svc(["doctor"]);
  expect(stdout).toMatch(/note +spans of deleted conversations: /);
  expect(stdout.match(/^wrong/gm)).toEqual(wrongBefore);
  home.remove();
  await server.stop();
});

test.each([
  ["a private address", "127.0.0.1", 0, true],
  ["a private address, beside the health checks of a machine", "10.0.0.2", 15, true],
  ["a private address, beside many direct requests", "10.0.0.2", 60, false],
  ["a public address", "93.184.216.34", 0, false],
])(
  "a proxy of which the settings say nothing, at %s, is a condition or not",
  (_, remoteAddress, direct, isReported) => {
    const conditions = createConditions(silent as never);
    const watch = createProxyWatch(conditions);
    const socket = { remoteAddress } as Socket;
    for (let at = 0; at < 200; at++)
      watch({ socket, headers: at < direct ? {} : { "x-forwarded-for": "203.0.113.7" } } as unknown as IncomingMessage);
    expect(conditions.list().map(({ code, degrades }) => [code, degrades])).toEqual(
      isReported ? [["proxy_not_trusted", false]] : [],
    );
  },
);
