import type { RequestShape } from "@svc/contract/requests";
import type { OtlpBody } from "./options.ts";

/** Request of an operation. `address` is the path with the query, relative to the service's base URL. */
export type WireRequest = { address: string; init: RequestInit; headers: Record<string, string> };

/** Builds the request of an operation. Puts each member of the input into the path, query, headers or body. Omits undefined members. */
export function requestOf(op: RequestShape, input: Record<string, unknown>): WireRequest {
  if (op.body === "otlp") return otlpRequest(op, input as OtlpBody);
  const membersOf = (names: readonly string[] = []) =>
    Object.entries(input).filter(([name, value]) => value !== undefined && names.includes(name));
  const query = membersOf(op.query).flatMap(([name, value]) =>
    [value].flat().map((item): [string, string] => [name, String(item)]),
  );
  const named = Object.entries(op.headers ?? {}).flatMap(([name, header]) =>
    typeof input[name] === "string" ? [[header, input[name]] as const] : [],
  );
  return {
    address: pathOf(op, input) + (query.length > 0 ? `?${new URLSearchParams(query)}` : ""),
    init: { method: op.method, ...(op.body && { body: JSON.stringify(Object.fromEntries(membersOf(op.body))) }) },
    headers: { ...Object.fromEntries(named), ...(op.body && { "content-type": "application/json" }) },
  };
}

/** Returns whether a request is safe to send twice: it is a GET, or has an idempotency key. */
export const isRepeatable = (op: RequestShape, input: Record<string, unknown>): boolean =>
  op.method === "GET" || (op.headers?.idempotencyKey !== undefined && typeof input.idempotencyKey === "string");

const pathOf = (op: RequestShape, input: Record<string, unknown>): string =>
  op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));

function otlpRequest(op: RequestShape, { body, contentType, gzip }: OtlpBody): WireRequest {
  return {
    address: op.path,
    init: { method: op.method, body: body as Uint8Array<ArrayBuffer> | string },
    headers: { "content-type": contentType, ...(gzip && { "content-encoding": "gzip" }) },
  };
}
