import { Wire } from "./wire.ts";

/** Returns whether the trace with this id, in lower-case hexadecimal, is to be removed. */
type IsRemoved = (traceId: string) => boolean;

/**
 * Returns an export request without the spans of the removed traces. Returns the same buffer when it has no such span, and
 * null when no other span remains. The other spans keep their bytes in protobuf, and their values in JSON.
 */
export function withoutTraces(body: Buffer, encoding: "protobuf" | "json", isRemoved: IsRemoved): Buffer | null {
  return encoding === "json" ? jsonWithout(body, isRemoved) : protobufWithout(body, isRemoved);
}

const TRACE_ID_BYTES = 16;
/** Tags of fields that are messages: resource spans are field 1 of a request; scope spans, and their spans, are field 2. */
const FIELD_1 = 10;
const FIELD_2 = 18;

function protobufWithout(body: Buffer, isRemoved: IsRemoved): Buffer | null {
  const wire = new Wire();
  wire.open(body);
  let removed = 0;
  let remaining = 0;

  const isKept = (from: number, end: number): boolean => {
    const kept = !isRemoved(traceIdIn(from, end));
    if (kept) remaining++;
    else removed++;
    return kept;
  };

  function traceIdIn(from: number, end: number): string {
    let id = "";
    wire.at = from;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === FIELD_1) {
        const to = wire.length(end);
        if (to - wire.at === TRACE_ID_BYTES) id = body.toString("hex", wire.at, to);
        wire.at = to;
      } else wire.pass(tag, end);
    }
    return id;
  }

  /** Returns the parts of a message, in which `inner` replaces each field with the tag. */
  function message(from: number, end: number, tag: number, inner: (from: number, end: number) => Buffer[]): Buffer[] {
    const parts: Buffer[] = [];
    let at = from;
    while (at < end) {
      wire.at = at;
      const found = wire.tag(end);
      if (found === tag) {
        const to = wire.length(end);
        const bytes = inner(wire.at, to);
        if (bytes.length > 0) parts.push(Buffer.from([tag]), varint(lengthOf(bytes)), ...bytes);
        at = to;
      } else {
        wire.pass(found, end);
        parts.push(body.subarray(at, wire.at));
        at = wire.at;
      }
    }
    return parts;
  }

  /** Returns a message whose lists of spans are filtered, and nothing when it has lost all its spans. */
  const container =
    (inner: (from: number, end: number) => Buffer[]) =>
    (from: number, end: number): Buffer[] => {
      const [removedBefore, remainingBefore] = [removed, remaining];
      const parts = message(from, end, FIELD_2, inner);
      return removed > removedBefore && remaining === remainingBefore ? [] : parts;
    };

  const span = (from: number, end: number) => (isKept(from, end) ? [body.subarray(from, end)] : []);
  const parts = message(0, body.length, FIELD_1, container(container(span)));
  if (removed === 0) return body;
  return remaining === 0 ? null : Buffer.concat(parts);
}

const lengthOf = (parts: readonly Buffer[]) => parts.reduce((sum, part) => sum + part.length, 0);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 128);
  }
}

type Members = Record<string, unknown>;

function jsonWithout(body: Buffer, isRemoved: IsRemoved): Buffer | null {
  const request = JSON.parse(body.toString(), keepDigits) as Members;
  let removed = 0;
  let remaining = 0;

  const isKept = (span: Members): boolean => {
    const traceId = span["traceId"] ?? span["trace_id"];
    const kept = typeof traceId !== "string" || !isRemoved(traceId.toLowerCase());
    if (kept) remaining++;
    else removed++;
    return kept;
  };

  /** Filters the lists with these names in the owner, and returns whether the owner keeps a span or had none to lose. */
  function filter(owner: Members, names: readonly string[], keeps: (item: Members) => boolean): boolean {
    const [removedBefore, remainingBefore] = [removed, remaining];
    for (const name of names) {
      const list = owner[name];
      if (Array.isArray(list)) owner[name] = list.filter((item: Members) => keeps(item));
    }
    return removed === removedBefore || remaining > remainingBefore;
  }

  const keepsScope = (scope: Members) => filter(scope, ["spans"], isKept);
  const keepsResource = (resource: Members) => filter(resource, ["scopeSpans", "scope_spans"], keepsScope);
  filter(request, ["resourceSpans", "resource_spans"], keepsResource);
  if (removed === 0) return body;
  return remaining === 0 ? null : Buffer.from(JSON.stringify(request));
}

/** Keeps a 64-bit number as its digits, which the decoder accepts too. Before version 22, Node passes no source. */
function keepDigits(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  return context?.source ?? value;
}
