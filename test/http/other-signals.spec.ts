import { afterAll, beforeAll, expect, test } from "vitest";
import { RpcStatus } from "../../packages/server/src/traces/otlp/trace-proto.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

let server: SharedServer;
beforeAll(async () => {
  server = await shareServer();
});
afterAll(() => server.stop());

const send = (path: string, type: string, key?: string) =>
  fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": type, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    body: type === "application/json" ? "{}" : new Uint8Array(),
  });

const CASES = [
  ["/v1/logs", 404, null, 5, "OTEL_LOGS_EXPORTER=none"],
  ["/v1/metrics", 405, "GET, HEAD", 12, "OTEL_METRICS_EXPORTER=none"],
] as const;

test.each(CASES)(
  "an export to %s is refused with %i and a hint, in its own encoding",
  async (path, status, allow, code, hint) => {
    for (const key of [server.projectKey, undefined]) {
      const json = await send(path, "application/json", key);
      expect([json.status, json.headers.get("allow")]).toEqual([status, allow]);
      expect(((await json.json()) as { message: string }).message).toContain(hint);

      const protobuf = await send(path, "application/x-protobuf", key);
      expect([protobuf.status, protobuf.headers.get("allow")]).toEqual([status, allow]);
      expect(protobuf.headers.get("content-type")).toBe("application/x-protobuf");
      const refusal = RpcStatus.decode(new Uint8Array(await protobuf.arrayBuffer())) as unknown as {
        code: number;
        message: string;
      };
      expect(refusal.code).toBe(code);
      expect(refusal.message).toContain(hint);
    }
  },
);

test("the metrics of the service stay readable, and other methods and paths are refused as before", async () => {
  const metrics = await server.client.metrics.get();
  expect(metrics.series).toEqual([]);
  for (const [method, path, status] of [
    ["GET", "/v1/logs", 404],
    ["PUT", "/v1/metrics", 405],
    ["POST", "/v1/log", 404],
  ] as const) {
    const answer = await fetch(`${server.url}${path}`, { method });
    expect(answer.status).toBe(status);
    expect(((await answer.json()) as { message: string }).message).not.toContain("EXPORTER");
  }
});
