// A simple server for trace ingest: Koa, raw bodies, decompression, protobufjs, values appended one by one, and a flush before each
// answer. Like the service, it stores whole spans. bench/ingest.ts starts this server and reads its CPU time.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Router from "@koa/router";
import { type DuckDBAppender, DuckDBInstance } from "@duckdb/node-api";
import inflate from "inflation";
import Koa from "koa";
import getRawBody from "raw-body";
import { ExportTraceServiceRequest } from "../packages/server/src/traces/otlp/trace-proto.ts";
import type { OtlpAttribute, OtlpRequest, OtlpValue } from "../test/support/otlp.ts";
import { answerQuestions } from "./server-under-test.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-bench-plain-"));
const instance = await DuckDBInstance.create(join(folder, "plain.duckdb"), { threads: "2" });
const connection = await instance.connect();
await connection.run(`CREATE TABLE spans (
  project UINTEGER, trace_id VARCHAR, span_id VARCHAR, parent_span_id VARCHAR, start_ns BIGINT, end_ns BIGINT,
  kind UTINYINT, status UTINYINT, name VARCHAR, status_message VARCHAR, attributes VARCHAR, events VARCHAR, links VARCHAR,
  trace_state VARCHAR, flags UINTEGER, dropped_attributes UINTEGER, dropped_events UINTEGER, dropped_links UINTEGER,
  resource VARCHAR, scope VARCHAR)`);
const appender = await connection.createAppender("spans");

const router = new Router();
router.post("/v1/traces", async (ctx) => {
  const body = await getRawBody(inflate(ctx.req), { limit: "20mb" });
  const request = ExportTraceServiceRequest.toObject(ExportTraceServiceRequest.decode(body), {
    longs: String,
    bytes: Buffer,
  }) as OtlpRequest;
  appendAll(request, appender);
  appender.flushSync();
  ctx.type = "application/x-protobuf";
  ctx.body = Buffer.alloc(0);
});

function appendAll(request: OtlpRequest, to: DuckDBAppender): void {
  for (const { resource, scopeSpans = [] } of request.resourceSpans ?? []) {
    const resourceJson = JSON.stringify(objectOf(resource?.attributes ?? []));
    for (const { scope, spans = [] } of scopeSpans) {
      const scopeJson = JSON.stringify(scope ?? {});
      for (const span of spans) {
        to.appendUInteger(1);
        to.appendVarchar(hex(span.traceId));
        to.appendVarchar(hex(span.spanId));
        if (span.parentSpanId?.length) to.appendVarchar(hex(span.parentSpanId));
        else to.appendNull();
        to.appendBigInt(BigInt(span.startTimeUnixNano ?? 0));
        to.appendBigInt(BigInt(span.endTimeUnixNano ?? 0));
        to.appendUTinyInt(Number(span.kind ?? 0));
        to.appendUTinyInt(Number(span.status?.code ?? 0));
        to.appendVarchar(span.name ?? "");
        to.appendVarchar(span.status?.message ?? "");
        to.appendVarchar(JSON.stringify(objectOf(span.attributes ?? [])));
        to.appendVarchar(
          JSON.stringify(
            (span.events ?? []).map((event) => ({ ...event, attributes: objectOf(event.attributes ?? []) })),
          ),
        );
        to.appendVarchar(JSON.stringify(span.links ?? []));
        to.appendVarchar(span.traceState ?? "");
        to.appendUInteger(Number(span.flags ?? 0));
        to.appendUInteger(Number(span.droppedAttributesCount ?? 0));
        to.appendUInteger(Number(span.droppedEventsCount ?? 0));
        to.appendUInteger(Number(span.droppedLinksCount ?? 0));
        to.appendVarchar(resourceJson);
        to.appendVarchar(scopeJson);
        to.endRow();
      }
    }
  }
}

const hex = (id: unknown): string => (id as Buffer).toString("hex");
const objectOf = (attributes: OtlpAttribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plainOf(value ?? {})]));

function plainOf(value: OtlpValue): unknown {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(plainOf);
  if (value.kvlistValue) return objectOf(value.kvlistValue.values ?? []);
  return value.stringValue ?? value.boolValue ?? value.intValue ?? value.doubleValue ?? null;
}

const app = new Koa();
app.use(router.routes());
const server = createServer(app.callback());
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  answerQuestions({
    url: `http://127.0.0.1:${port}`,
    key: "none",
    drain: async () => undefined,
    close: () => rmSync(folder, { recursive: true, force: true }),
  });
});
