import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { OtlpBody } from "@svc/sdk";
import { ExportTraceServiceRequest } from "../../packages/server/src/traces/otlp/trace-proto.ts";
import type { OtlpRequest } from "./otlp.ts";

const CAPTURES = fileURLToPath(new URL("../fixtures/otlp-captures/", import.meta.url));

/** Returns the requests of a recorded set as the exporter sent them. */
export function requestsOf(set: string): OtlpBody[] {
  return readdirSync(CAPTURES + set)
    .filter((name) => name.endsWith(".bin.gz") || name.endsWith(".otlp.json"))
    .sort()
    .map((name) => {
      const body = readFileSync(`${CAPTURES}${set}/${name}`);
      return name.endsWith(".gz")
        ? { body, contentType: "application/x-protobuf", gzip: true }
        : { body, contentType: "application/json" };
    });
}

/** Returns the recorded requests, split into one request for each span. */
export function splitRequestsOf(set: string): OtlpBody[] {
  return readdirSync(CAPTURES + set)
    .filter((name) => name.endsWith(".bin") || name.endsWith(".otlp.json"))
    .flatMap((name) => splitInSpans(readFileSync(`${CAPTURES}${set}/${name}`), name.endsWith(".json")));
}

function splitInSpans(body: Buffer, isJson: boolean): OtlpBody[] {
  const request: OtlpRequest = isJson
    ? (JSON.parse(body.toString()) as OtlpRequest)
    : (ExportTraceServiceRequest.toObject(ExportTraceServiceRequest.decode(body), {
        longs: String,
        bytes: Buffer,
      }) as OtlpRequest);
  return request.resourceSpans!.flatMap((of) =>
    of.scopeSpans!.flatMap((scope) =>
      scope.spans!.map((span): OtlpBody => {
        const alone = { resourceSpans: [{ ...of, scopeSpans: [{ ...scope, spans: [span] }] }] };
        return isJson
          ? { body: JSON.stringify(alone), contentType: "application/json" }
          : { body: ExportTraceServiceRequest.encode(alone as object).finish(), contentType: "application/x-protobuf" };
      }),
    ),
  );
}

/** Returns the counts of each recorded set from the table in the README beside the sets. */
export function recordedCounts(): { set: string; spans: number; traceIds: number; toolSpans: number }[] {
  const readme = readFileSync(`${CAPTURES}README.md`, "utf8");
  const rows = readme.matchAll(/^\| `([\w.-]+)` \| (\d+) \| (\d+) \| (\d+) \| \d+ \| \d+ \| \d+ \|/gm);
  return [...rows].map(([, set, spans, traceIds, toolSpans]) => ({
    set: set!,
    spans: Number(spans),
    traceIds: Number(traceIds),
    toolSpans: Number(toolSpans),
  }));
}
