import { COMMA } from "./json-text.ts";
import { LIMIT_BYTES, ORIGIN_BYTES } from "./limits.ts";
import type { ProtobufValues } from "./protobuf-value.ts";
import type { SpanRows } from "./span-rows.ts";
import { fields, type Wire } from "./wire.ts";

export const RESOURCE = { attributes: 10, dropped: 16, fields: fields(1, 2) };
export const SCOPE = { attributes: 26, dropped: 32, fields: fields(1, 2, 3, 4) };

/**
 * Creates a function that writes the attributes of a resource or scope, which is field 1 of the message in [from, end) and may be in
 * several pieces. The function returns the number of dropped attributes: those that the sender dropped, and those after `ORIGIN_BYTES` of
 * JSON, counted from `startAt`.
 */
export function createOriginAttributes(
  wire: Wire,
  rows: SpanRows,
  values: ProtobufValues,
): (from: number, end: number, startAt: number, message: typeof RESOURCE) => number {
  const { text, bounds } = rows;
  return (from, end, startAt, message) => {
    let first = true;
    let sent = 0;
    let cut = 0;
    rows.valueLimit = LIMIT_BYTES.resourceValue;
    wire.at = from;
    while (wire.at < end) {
      const outer = wire.tag(end);
      if (outer !== 10) {
        wire.pass(outer, end);
        continue;
      }
      bounds.part();
      const pieceEnd = wire.length(end);
      while (wire.at < pieceEnd) {
        const tag = wire.tag(pieceEnd);
        if (tag === message.attributes) {
          const to = wire.length(pieceEnd);
          if (text.at - startAt > ORIGIN_BYTES) cut++;
          else {
            if (!first) text.byte(COMMA);
            first = false;
            values.keyValue(wire.at, to, 1, message === RESOURCE);
          }
          wire.at = to;
        } else if (tag === message.dropped) {
          wire.varint(pieceEnd);
          sent = wire.low >>> 0;
        } else if (message === SCOPE && (tag === 10 || tag === 18)) wire.pass(tag, pieceEnd);
        else wire.skip(tag, pieceEnd, message.fields);
      }
    }
    rows.valueLimit = LIMIT_BYTES.value;
    return sent + cut;
  };
}
