import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../packages/server/src/base/log/log.ts";
import { openOwnTraces } from "../../packages/server/src/operations/own-traces/open.ts";
import { ExportTraceServiceRequest } from "../../packages/server/src/traces/otlp/trace-proto.ts";
import { startChatAgent } from "../support/chat-agent.ts";
import { openHome } from "../support/cli.ts";
import type { OtlpRequest, OtlpSpan } from "../support/otlp.ts";
import { chatConnection, settled, startRun, versionsOf } from "../support/runs.ts";
import { startServer } from "../support/server.ts";

type Received = { spans: OtlpSpan[]; service: string | undefined; authorization: string | undefined };

/** Starts a server that accepts traces by OTLP, as a collector does. */
async function startCollector() {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const bytes = Buffer.concat(await request.toArray());
    const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
    const { resourceSpans = [] } = ExportTraceServiceRequest.toObject(ExportTraceServiceRequest.decode(body), {
      longs: String,
    }) as OtlpRequest;
    for (const { resource, scopeSpans = [] } of resourceSpans)
      received.push({
        spans: scopeSpans.flatMap(({ spans = [] }) => spans),
        service: resource?.attributes?.find(({ key }) => key === "service.name")?.value?.stringValue,
        authorization: request.headers.authorization,
      });
    response.setHeader("content-type", "application/x-protobuf");
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    received,
    spans: () => received.flatMap(({ spans }) => spans),
    stop: () => server.close(),
  };
}

const hexOf = (id: unknown) => Buffer.from(id as Uint8Array).toString("hex");
const attributesOf = ({ attributes = [] }: OtlpSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value?.stringValue ?? Number(value?.intValue)]));

let collector: Awaited<ReturnType<typeof startCollector>>;
beforeAll(async () => {
  collector = await startCollector();
});
afterAll(() => collector.stop());

test("a service with an address for its own spans sends one for each request, in the trace of the caller", async () => {
  const home = openHome();
  const served = await home.serve(undefined, {
    SVC_OTLP_TRACES_URL: collector.url,
    SVC_OTLP_TRACES_HEADERS: "authorization=Bearer for the collector",
  });
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const answer = await fetch(`${served.url}/v1/agents?projectId=secret-words`, { headers: { traceparent } });
  await fetch(`${served.url}/health`);
  await served.stop();
  home.remove();
  expect(answer.status).toBe(401);
  const [span, ...others] = collector.spans().filter((one) => hexOf(one.traceId) === traceId);
  expect([others, span!.name, hexOf(span!.parentSpanId)]).toEqual([[], "agents.list", "b7ad6b7169203331"]);
  expect(attributesOf(span!)).toEqual({
    "http.request.method": "GET",
    "http.response.status_code": 401,
    "svc.request_id": answer.headers.get("x-request-id"),
  });
  expect(collector.spans().filter(({ name }) => /health/.test(name ?? ""))).toEqual([]);
  expect(collector.received[0]).toMatchObject({ service: "svc", authorization: "Bearer for the collector" });
  expect(JSON.stringify(collector.spans())).not.toContain("secret-words");
});

test("the spans of a run are its simulation with the calls of the agent below it, and its grade, without words", async () => {
  const ownTraces = openOwnTraces({ url: collector.url, headers: {}, version: "1" }, createLog("silent"));
  const server = await startServer();
  const agent = await startChatAgent(({ event }) =>
    event === "start" ? {} : { message: "You are booked.", ended: true },
  );
  const connection = await chatConnection(server.client, agent.url);
  const testVersions = await versionsOf(server.client, [{ scenario: "Says: Hello.", behaviors: ['says "booked"'] }]);
  const run = await startRun(server.client, { ...connection, testVersions });
  await settled(server.client, run.id);
  agent.stop();
  await server.stop();
  await ownTraces.close();
  const spans = collector.spans();
  const play = spans.find((one) => attributesOf(one)["svc.run_id"] === run.id)!;
  const below = spans.filter(({ parentSpanId }) => parentSpanId && hexOf(parentSpanId) === hexOf(play.spanId));
  expect([play.name, below.length > 0]).toEqual(["play", true]);
  expect(below.map((one) => [one.name, one.kind, attributesOf(one)])).toEqual(
    below.map(() => [
      "POST",
      3,
      { "http.request.method": "POST", "server.address": "127.0.0.1", "http.response.status_code": 200 },
    ]),
  );
  const simulation = attributesOf(play)["svc.simulation_id"];
  const grades = spans.filter((one) => one.name === "grade" && attributesOf(one)["svc.simulation_id"] === simulation);
  expect(grades).toHaveLength(1);
  expect(JSON.stringify(spans)).not.toMatch(/Hello|booked|\/chat/);
});
