import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { OtlpBody } from "@svc/sdk";
import { CONVERSATION_KEYS } from "../../../packages/server/src/traces/conversation/identity-keys.ts";
import { ExportTraceServiceRequest } from "../../../packages/server/src/traces/otlp/trace-proto.ts";
import { encodeProtobuf, type OtlpRequest } from "../../support/otlp.ts";

const CAPTURES = fileURLToPath(new URL("../../fixtures/otlp-captures/", import.meta.url));
type Copy = {
  /** The name of the copy. Copies with different names are different conversations. */
  name: string;
  agentName: string;
  /** The version of the agent; undefined leaves it unknown. */
  version?: string | undefined;
  endMs: number;
  /** Returns the new text for an attribute's text. */
  rewrite?: (key: string, text: string) => string;
};

/** Returns a copy of a recorded set as a new conversation, which ended at `endMs`. */
export function shiftedCapture(set: string, { name, agentName, version, endMs, rewrite }: Copy): OtlpBody[] {
  const requests = readdirSync(CAPTURES + set)
    .filter((name) => name.endsWith(".bin") || name.endsWith(".otlp.json"))
    .sort()
    .map((name) => decoded(readFileSync(`${CAPTURES}${set}/${name}`), name.endsWith(".json")));
  const lastNs = timesOf(requests).reduce((last, time) => (time > last ? time : last), 0n);
  const shiftNs = BigInt(endMs) * 1_000_000n - lastNs;
  return requests.map((request) => ({
    body: encodeProtobuf(withAgent(copyOf(request, name, shiftNs, rewrite), agentName, version)),
    contentType: "application/x-protobuf",
  }));
}

function decoded(body: Buffer, isJson: boolean): OtlpRequest {
  if (isJson) return JSON.parse(body.toString()) as OtlpRequest;
  const request = ExportTraceServiceRequest.toObject(ExportTraceServiceRequest.decode(body), {
    longs: String,
    bytes: String,
  });
  return JSON.parse(
    JSON.stringify(request, (key, value: unknown) =>
      /^(traceId|spanId|parentSpanId)$/.test(key) ? Buffer.from(value as string, "base64").toString("hex") : value,
    ),
  ) as OtlpRequest;
}

const spansOf = (request: OtlpRequest) =>
  (request.resourceSpans ?? []).flatMap(({ scopeSpans }) => (scopeSpans ?? []).flatMap(({ spans }) => spans ?? []));

const timesOf = (requests: OtlpRequest[]): bigint[] =>
  requests.flatMap(spansOf).map(({ endTimeUnixNano }) => BigInt(endTimeUnixNano ?? 0));

function copyOf(
  request: OtlpRequest,
  copy: string,
  shiftNs: bigint,
  rewrite: (key: string, text: string) => string = (_, text) => text,
): OtlpRequest {
  const other = (id: string, length: number) =>
    createHash("sha256").update(`${copy} ${id}`).digest("hex").slice(0, length);
  return JSON.parse(JSON.stringify(request), (key, value: unknown) => {
    if (typeof value === "string") {
      if (key.endsWith("TimeUnixNano") || key === "timeUnixNano")
        return value === "0" ? value : String(BigInt(value) + shiftNs);
      if (key === "traceId") return other(value, 32);
    }
    if (isAttribute(value) && CONVERSATION_KEYS.includes(value.key) && value.value?.stringValue !== undefined)
      return { key: value.key, value: { stringValue: other(value.value.stringValue, 24) } };
    if (isAttribute(value) && value.value?.stringValue !== undefined)
      return { key: value.key, value: { stringValue: rewrite(value.key, value.value.stringValue) } };
    return value;
  }) as OtlpRequest;
}

function withAgent(request: OtlpRequest, agentName: string, version: string | undefined): OtlpRequest {
  const named = { "svc.agent_name": agentName, "service.version": version };
  for (const { resource } of request.resourceSpans ?? [])
    for (const [key, stringValue] of Object.entries(named))
      if (stringValue !== undefined) (resource!.attributes ??= []).push({ key, value: { stringValue } });
  return request;
}

const isAttribute = (value: unknown): value is { key: string; value?: { stringValue?: string } } =>
  typeof value === "object" && value !== null && "key" in value && typeof value.key === "string";
