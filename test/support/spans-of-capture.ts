import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";

const CAPTURES = fileURLToPath(new URL("../fixtures/otlp-captures/", import.meta.url));

/** Returns the names of the folders with recorded payloads in OTLP/JSON form. */
export const captureSets = (): string[] =>
  readdirSync(CAPTURES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && filesOf(entry.name).length > 0)
    .map((entry) => entry.name)
    .sort();

/** Returns a recorded set's spans as the store would return them, in the order in which they were sent. */
export const spansOfCapture = (set: string): StoredSpan[] =>
  filesOf(set).flatMap((file) => spansOfOtlp(JSON.parse(readFileSync(`${CAPTURES}${set}/${file}`, "utf8"))));

const filesOf = (set: string) =>
  readdirSync(CAPTURES + set)
    .filter((file) => /\.(decoded|otlp)\.json$/.test(file))
    .sort();

type Value = Partial<{
  stringValue: string;
  boolValue: boolean;
  intValue: string | number;
  doubleValue: number;
  bytesValue: string;
  arrayValue: { values?: Value[] };
  kvlistValue: { values?: KeyValue[] };
}>;
type KeyValue = { key: string; value?: Value };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind?: number;
  startTimeUnixNano: string;
  endTimeUnixNano?: string;
  attributes?: KeyValue[];
  events?: { timeUnixNano: string; name: string; attributes?: KeyValue[] }[];
  links?: unknown[];
  status?: { code?: number; message?: string };
};
type Otlp = {
  resourceSpans: {
    resource?: { attributes?: KeyValue[] };
    scopeSpans: { scope?: { name?: string; version?: string }; spans: Span[] }[];
  }[];
};

/** Returns the spans of an OTLP/JSON body as the store would return them. */
export const spansOfOtlp = (body: Otlp): StoredSpan[] =>
  body.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId || null,
        name: span.name,
        kind: span.kind ?? 0,
        startNs: BigInt(span.startTimeUnixNano),
        endNs: BigInt(span.endTimeUnixNano ?? 0) || null,
        status: (["unset", "ok", "error"] as const)[span.status?.code ?? 0] ?? "unset",
        statusMessage: span.status?.message || null,
        attributes: record(span.attributes),
        events: (span.events ?? []).map((event) => ({
          timeNs: BigInt(event.timeUnixNano),
          name: event.name,
          attributes: record(event.attributes),
        })),
        links: span.links ?? [],
        resource: record(resource?.attributes),
        scopeName: scope?.name || null,
        scopeVersion: scope?.version || null,
      })),
    ),
  );

const record = (list: KeyValue[] = []): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, plain(value)]));

function plain(value: Value = {}): unknown {
  if (value.intValue !== undefined) return Number(value.intValue);
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(plain);
  if (value.kvlistValue !== undefined) return record(value.kvlistValue.values);
  return value.stringValue ?? value.boolValue ?? value.doubleValue ?? value.bytesValue ?? null;
}
