import type { Operation } from "@svc/contract";
import type { Ask } from "./request.ts";
import { encodeJson, oneSpan } from "./otlp.ts";

export type FlatInput = Record<string, unknown>;

/** Builds the HTTP request of an operation from a flat input. */
export function askOf(op: Operation, input: FlatInput): Ask {
  const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const query = new URLSearchParams(
    membersOf(op.query, input).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const search = query.size > 0 ? `?${query.toString()}` : "";
  const ask: Ask = { method: op.method, path: `${path}${search}` };
  if (op.body === "otlp")
    return { ...ask, body: encodeJson(oneSpan()), headers: { "content-type": "application/json" } };
  if (op.body) return { ...ask, json: Object.fromEntries(membersOf(op.body, input)) };
  return ask;
}

/** Returns the name of the member that selects the project of a request, if the operation has one. */
export function projectMember(op: Operation): "project" | "projectId" | undefined {
  if (op.scope !== "project") return undefined;
  const members = { ...op.query?.shape, ...(op.body !== "otlp" && op.body?.shape) };
  return (["project", "projectId"] as const).find((name) => name in members);
}

function membersOf(schema: Operation["query"], input: FlatInput): [string, unknown][] {
  return Object.entries(input).filter(
    ([name, value]) => value !== undefined && schema !== undefined && name in schema.shape,
  );
}
