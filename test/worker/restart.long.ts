import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MonitorCounters } from "@svc/worker-helper";
import { afterEach, expect, test } from "vitest";
import { newSecret } from "../support/secret.ts";
import { clientOf, startServer } from "../support/server.ts";
import { runWorker, VERSIONS } from "../support/worker.ts";
import { conversationsOf, idsOf } from "../support/worker-conversations.ts";
import { freePort, startServiceProcess } from "../support/worker-service.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const spanOf = (id: string) => id.split("/")[1]!;

test.each(VERSIONS)(
  "on the %s version a service that is killed and restarted during the session has every span once",
  async (version) => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-restart-"));
    ends.push(() => rmSync(dataDir, { recursive: true, force: true }));
    const [port, apiKey] = [await freePort(), newSecret()];
    const settings = {
      SVC_DATA_DIR: dataDir,
      SVC_INIT_ADMIN: "admin@acme.test:correct horse battery",
      SVC_INIT_API_KEYS: `project:${apiKey}`,
    };
    const start = async () => {
      const service = await startServiceProcess(port, settings);
      ends.push(service.kill);
      return service;
    };
    let service = await start();

    const seen: MonitorCounters[] = [];

    const report = await runWorker({
      version,
      modes: ["text", "existing", "paced"],
      env: { SVC_URL: service.url, SVC_API_KEY: apiKey, JOB_ID: "AJ_restart" },
      async onTurn(turn, counters) {
        seen[turn] = counters;
        if (turn === 1) await service.kill();
        if (turn === 2) service = await start();
      },
    });

    expect(seen[1]!.delivered).toBeGreaterThan(5);
    expect(seen[2]!.waiting).toBeGreaterThan(5);
    expect(report.counters).toMatchObject({ delivered: report.counters.recorded, refused: 0, dropped: 0, waiting: 0 });
    expect(report.truth.items).toHaveLength(6);
    const traces = await conversationsOf(clientOf(service.url, apiKey), "AJ_restart", report.counters.recorded);
    expect(idsOf(traces).map(spanOf).sort()).toEqual(report.othersSpans.map(spanOf).sort());
    expect(traces).toHaveLength(1);
    expect(traces[0]).toMatchObject({ complete: true, spanCount: report.counters.recorded });
    expect(traces[0]!.turns.map(({ text }) => text)).toEqual(report.truth.items.map(({ text }) => text));
  },
);

test("spans are sent again when the answer is lost, and stored once", async () => {
  const server = await startServer();
  ends.push(server.stop);
  let requests = 0;
  const lossy = createServer((request, response) => {
    const forward = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { authorization = "" } = request.headers;
      const headers = { authorization, "content-type": "application/x-protobuf", "content-encoding": "gzip" };
      const { status } = await fetch(`${server.url}/v1/traces`, {
        method: "POST",
        headers,
        body: Buffer.concat(chunks),
      });
      requests += 1;
      if (requests <= 2) request.socket.destroy();
      else response.writeHead(status).end();
    };
    void forward();
  });
  await new Promise<void>((resolve) => lossy.listen(0, "127.0.0.1", resolve));
  ends.push(
    () => lossy.closeAllConnections(),
    () => lossy.close(),
  );

  const url = `http://127.0.0.1:${(lossy.address() as AddressInfo).port}`;
  const env = { SVC_URL: url, SVC_API_KEY: server.projectKey, JOB_ID: "AJ_lossy" };
  const report = await runWorker({ version: "newest", modes: ["text", "existing"], env });
  expect(report.counters).toMatchObject({ delivered: report.counters.recorded, retries: 2 });
  const traces = await conversationsOf(server.client, "AJ_lossy", report.counters.recorded);
  expect(idsOf(traces).sort()).toEqual(report.othersSpans.toSorted());
  expect(traces[0]).toMatchObject({ spanCount: report.counters.recorded });
});
