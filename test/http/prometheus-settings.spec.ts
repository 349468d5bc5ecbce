import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileOf } from "../support/code/programs.ts";
import { atProcessEnd } from "../support/process-end.ts";
import { freePort } from "../support/program.ts";
import { parseMetrics, valueOf } from "../support/prometheus.ts";
import { type Ask, expectRefusal, type Reply, send } from "../support/request.ts";
import { type SharedServer, shareServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";

const TOKEN = "a token of the specs with thirty-two characters".replaceAll(" ", "-");
const PATH = "/metrics";

const ask = (more: Partial<Ask> = {}): Ask => ({ method: "GET", path: PATH, ...more });

/** Returns an answer without the headers that differ each time. */
const saidBy = ({ status, headers, text }: Reply) => {
  const kept = [...headers].filter(([name]) => !["x-request-id", "date"].includes(name));
  return { status, headers: Object.fromEntries(kept), text };
};

describe("without a setting", () => {
  let shared: SharedServer;
  beforeAll(async () => {
    shared = await shareServer();
  });
  afterAll(() => shared.stop());

  test.each(["GET", "HEAD", "POST"])("%s /metrics answers as any unknown path does, byte for byte", async (method) => {
    for (const key of [undefined, TOKEN, shared.adminKey]) {
      const as = { method, ...(key !== undefined && { key }) };
      const metrics = saidBy(await send(shared.url, { ...as, path: PATH }));
      expect(metrics.status).toBe(404);
      expect(metrics).toEqual(saidBy(await send(shared.url, { ...as, path: "/metricz" })));
    }
  });
});

describe("a port of their own", () => {
  let child: ChildProcess;
  let folder: string;
  let [api, metrics] = ["", ""];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "svc-metrics-"));
    const [port, metricsPort] = [await freePort(), await freePort()];
    [api, metrics] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${metricsPort}`];
    child = spawn(process.execPath, ["--conditions=svc-source", fileOf("serve")], {
      env: { PORT: `${port}`, SVC_METRICS_PORT: `${metricsPort}`, SVC_DATA_DIR: folder, LOG_LEVEL: "silent" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    atProcessEnd(() => child.kill("SIGKILL"));
    let said = "";
    child.stderr!.setEncoding("utf8").on("data", (text: string) => (said += text));
    await until("the service serves", () => said.includes("svc serves at"), 60_000);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("a port of their own answers the metrics without a token, and nothing else", async () => {
    const reply = await send(metrics, ask());
    expect(reply.status).toBe(200);
    expect(valueOf(parseMetrics(reply.text), "svc_ready")).toBe(1);
    for (const path of ["/", "/health", "/v1/traces", "/openapi.json"])
      expectRefusal(await send(metrics, { method: "GET", path }), "not_found");
    expect(saidBy(await send(api, ask()))).toEqual(saidBy(await send(api, ask({ path: "/metricz" }))));
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });
});
