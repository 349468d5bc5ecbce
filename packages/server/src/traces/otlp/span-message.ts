import type { StoredSpan } from "../stored-span.ts";
import { BodyBounds } from "./body-bounds.ts";
import { LIMIT_BYTES } from "./limits.ts";
import { createProtobufValues } from "./protobuf-value.ts";
import { textOf, ValueBuilder } from "./value-builder.ts";
import { Wire } from "./wire.ts";

type SpanContent = Pick<StoredSpan, "attributes" | "events" | "links">;

/**
 * Creates a function that parses what a span's message holds besides the columns of its row, to the same values as the decoder's
 * text. The message must be one that the decoder accepts.
 */
export function createSpanMessageParser(): (message: Buffer) => SpanContent {
  const wire = new Wire();
  const builder = new ValueBuilder();
  const values = createProtobufValues(wire, {
    text: builder,
    valueLimit: LIMIT_BYTES.value,
    bounds: new BodyBounds(),
    named: () => undefined,
  });

  function attributes(from: number, end: number, field: number): Record<string, unknown> {
    const at = wire.at;
    const object = builder.begin();
    values.attributes(from, end, field);
    wire.at = at;
    return object;
  }

  function event(from: number, end: number): StoredSpan["events"][number] {
    let [low, high, nameFrom, nameTo] = [0, 0, 0, 0];
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === 9) {
        wire.fixed64(end);
        ({ low, high } = wire);
      } else if (tag === 18) {
        nameTo = wire.length(end);
        nameFrom = wire.at;
        wire.at = nameTo;
      } else wire.pass(tag, end);
    }
    return {
      timeNs: (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0),
      name: textOf(wire.bytes, nameFrom, nameTo, LIMIT_BYTES.name),
      attributes: attributes(from, end, 26),
    };
  }

  function link(from: number, end: number): unknown {
    let [trace, span, state] = ["", "", ""];
    let withAttributes = false;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === 10 || tag === 18 || tag === 26) {
        const to = wire.length(end);
        if (tag === 10) trace = to - wire.at === 16 ? wire.bytes.toString("hex", wire.at, to) : "";
        else if (tag === 18) span = to - wire.at === 8 ? wire.bytes.toString("hex", wire.at, to) : "";
        else state = textOf(wire.bytes, wire.at, to, LIMIT_BYTES.traceState);
        wire.at = to;
      } else {
        withAttributes ||= tag === 34;
        wire.pass(tag, end);
      }
    }
    return {
      trace_id: trace,
      span_id: span,
      ...(state !== "" && { trace_state: state }),
      ...(withAttributes && { attributes: attributes(from, end, 34) }),
    };
  }

  return (message) => {
    wire.open(message);
    const end = message.length;
    const content: SpanContent = { attributes: attributes(0, end, 74), events: [], links: [] };
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag !== 90 && tag !== 106) {
        wire.pass(tag, end);
        continue;
      }
      const to = wire.length(end);
      if (tag === 90) content.events.push(event(wire.at, to));
      else content.links.push(link(wire.at, to));
      wire.at = to;
    }
    wire.close();
    return content;
  };
}
