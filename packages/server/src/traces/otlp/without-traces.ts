import { type IsRemoved, jsonWithoutTraces } from "./without-traces-json.ts";
import { Wire } from "./wire.ts";

/**
 * Returns an export request without the spans of the removed traces. Returns the same buffer when the request has no such span, and null
 * when no span remains. The bytes of the other spans are unchanged.
 */
export function withoutTraces(body: Buffer, encoding: "protobuf" | "json", isRemoved: IsRemoved): Buffer | null {
  return encoding === "json" ? jsonWithoutTraces(body, isRemoved) : protobufWithout(body, isRemoved);
}

const TRACE_ID_BYTES = 16;
/**
 * Tags of the fields that are messages. Field 1 of a request contains its resource spans. Field 2 of resource spans contains scope spans.
 * Field 2 of scope spans contains spans.
 */
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

  /** Replaces each field that has the tag by the result of `inner`. */
  function message(from: number, end: number, tag: number, inner: (from: number, end: number) => Buffer[]): Buffer[] {
    const parts: Buffer[] = [];
    let at = from;
    let keptFrom = from;
    while (at < end) {
      wire.at = at;
      const found = wire.tag(end);
      if (found !== tag) {
        wire.pass(found, end);
        at = wire.at;
        continue;
      }
      const to = wire.length(end);
      const bytes = inner(wire.at, to);
      if (at > keptFrom) parts.push(body.subarray(keptFrom, at));
      if (bytes.length > 0) parts.push(Buffer.from([tag]), varint(lengthOf(bytes)));
      for (const part of bytes) parts.push(part);
      keptFrom = at = to;
    }
    if (at > keptFrom) parts.push(body.subarray(keptFrom, at));
    return parts;
  }

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
