import { SpanBatch } from "../span-batch.ts";
import { type ByteView, byteViewOf, CLOSE } from "./json-text.ts";
import { LIMIT_BYTES } from "./limits.ts";
import { createOriginAttributes, RESOURCE } from "./protobuf-origin.ts";
import { createProtobufValues } from "./protobuf-value.ts";
import { type SpanMessage, type SpanOrigin, textOf } from "./parse-message.ts";
import { SpanRows } from "./span-rows.ts";
import { Wire } from "./wire.ts";

export type FoundSpan = SpanMessage & { traceHigh: bigint; traceLow: bigint; spanId: bigint };

const RESOURCES_KEPT = 256;
const RESOURCE_BYTES_KEPT = 8 << 10;

/**
 * Creates a function that finds the spans of a protobuf body. The decoder must accept the body. The function reads only the ids and times
 * of a span, which decide whether the decoder rejects the span. The returned spans keep the body in memory.
 */
export function createSpanFinder(): (body: Buffer) => FoundSpan[] {
  const wire = new Wire();
  const resourceOf = createResourceReader();

  function each(from: number, end: number, field: number, found: (from: number, end: number) => void): void {
    wire.at = from;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag !== field) {
        wire.pass(tag, end);
        continue;
      }
      const to = wire.length(end);
      found(wire.at, to);
      wire.at = to;
    }
  }

  /** The scope is field 1 of the message in [from, end), and may be in several pieces. */
  function scopeOf(from: number, end: number): Omit<SpanOrigin, "resource"> {
    let [name, version] = ["", ""];
    each(from, end, 10, (pieceFrom, pieceEnd) => {
      each(pieceFrom, pieceEnd, 10, (at, to) => (name = textOf(wire.bytes, at, to, LIMIT_BYTES.name)));
      each(pieceFrom, pieceEnd, 18, (at, to) => (version = textOf(wire.bytes, at, to, LIMIT_BYTES.name)));
    });
    return { scopeName: name || null, scopeVersion: version || null };
  }

  /** Returns undefined for a span that the decoder rejects. */
  function spanOf(body: ByteView, from: number, end: number, origin: SpanOrigin): FoundSpan | undefined {
    const { view } = body;
    let [traceAt, idAt, isStarted, isInRange, isEndInRange] = [-1, -1, false, true, true];
    wire.at = from;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === 10 || tag === 18) {
        const to = wire.length(end);
        const at = to - wire.at === (tag === 10 ? 16 : 8) ? wire.at : -1;
        if (tag === 10) traceAt = at;
        else idAt = at;
        wire.at = to;
      } else if (tag === 57) {
        wire.fixed64(end);
        isStarted = (wire.low | wire.high) !== 0;
        isInRange = wire.high >= 0;
      } else if (tag === 65) {
        wire.fixed64(end);
        isEndInRange = wire.high >= 0;
      } else wire.pass(tag, end);
    }
    if (traceAt < 0 || idAt < 0 || !isStarted || !isInRange || !isEndInRange) return undefined;
    const [traceHigh, traceLow] = [view.getBigUint64(traceAt), view.getBigUint64(traceAt + 8)];
    const spanId = view.getBigUint64(idAt);
    if (spanId === 0n || (traceLow === 0n && traceHigh === 0n)) return undefined;
    return { body, from, to: end, origin, traceHigh, traceLow, spanId };
  }

  return (bytes) => {
    const body = byteViewOf(bytes);
    const spans: FoundSpan[] = [];
    wire.adopt(body);
    each(0, bytes.length, 10, (resourceFrom, resourceEnd) => {
      let resource: SpanOrigin["resource"] | undefined;
      each(resourceFrom, resourceEnd, 18, (scopeFrom, scopeEnd) => {
        let origin: SpanOrigin | undefined;
        each(scopeFrom, scopeEnd, 18, (from, end) => {
          if (origin === undefined) {
            resource ??= resourceOf(body, resourceFrom, resourceEnd);
            origin = { resource, ...scopeOf(scopeFrom, scopeEnd) };
          }
          const span = spanOf(body, from, end, origin);
          if (span !== undefined) spans.push(span);
        });
      });
    });
    wire.close();
    return spans;
  };
}

/** Equal resources share one object, because a worker sends the same resource with each body. */
function createResourceReader(): (body: ByteView, from: number, end: number) => SpanOrigin["resource"] {
  const wire = new Wire();
  const rows = new SpanRows();
  const batch = new SpanBatch(1, 4 << 10);
  const write = createOriginAttributes(wire, rows, createProtobufValues(wire, rows));
  const known = new Map<string, SpanOrigin["resource"]>();

  /** Decodes the resource with the JSON writer of the decoder, because the length of its JSON decides which attributes are dropped. */
  function read(body: ByteView, from: number, end: number): SpanOrigin["resource"] {
    const { text } = rows;
    wire.adopt(body);
    rows.open(batch, { project: 0, receivedMs: 0, lsn: 0 }, true);
    try {
      const at = text.at;
      text.ascii('{"attributes":{');
      write(from, end, at, RESOURCE);
      text.byte(CLOSE);
      text.byte(CLOSE);
      return (JSON.parse(text.toString(at)) as { attributes: SpanOrigin["resource"] }).attributes;
    } finally {
      rows.abandon();
      wire.close();
    }
  }

  /** Returns the bytes of the resource as a key; undefined when they are too many or in several pieces. */
  function bytesOf(body: ByteView, from: number, end: number): string | undefined {
    let bytes: string | undefined;
    wire.adopt(body);
    wire.at = from;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag !== 10) {
        wire.pass(tag, end);
        continue;
      }
      const to = wire.length(end);
      if (bytes !== undefined || to - wire.at > RESOURCE_BYTES_KEPT) return undefined;
      bytes = body.bytes.toString("latin1", wire.at, to);
      wire.at = to;
    }
    return bytes ?? "";
  }

  return (body, from, end) => {
    const key = bytesOf(body, from, end);
    if (key === undefined) return read(body, from, end);
    let resource = known.get(key);
    if (resource !== undefined) return resource;
    resource = read(body, from, end);
    if (known.size >= RESOURCES_KEPT) known.clear();
    known.set(key, resource);
    return resource;
  };
}
