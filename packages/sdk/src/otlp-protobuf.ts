type ProtobufField = { number: number; value: number | Uint8Array };

/**
 * Yields the fields of a protobuf message in order. Varints are numbers (exact up to 2^53), and length-delimited values are bytes.
 * Skips fixed-width values.
 *
 * @throws RangeError when the bytes are not a protobuf message.
 */
export function* protobufFields(bytes: Uint8Array): Generator<ProtobufField> {
  let at = 0;
  while (at < bytes.length) {
    const tag = varint();
    const [number, wireType] = [Math.floor(tag / 8), tag % 8];
    if (number === 0) throw malformed();
    if (wireType === 0) yield { number, value: varint() };
    else if (wireType === 1) skip(8);
    else if (wireType === 5) skip(4);
    else if (wireType === 2) {
      const length = varint();
      const start = at;
      skip(length);
      yield { number, value: bytes.subarray(start, at) };
    } else throw malformed();
  }

  function varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) throw malformed();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw malformed();
  }

  function skip(length: number): void {
    at += length;
    if (at > bytes.length) throw malformed();
  }
}

const malformed = () => new RangeError("not a protobuf message");

function* messagesIn(bytes: Uint8Array, wanted: number): Generator<Uint8Array> {
  for (const { number, value } of protobufFields(bytes)) {
    if (number !== wanted) continue;
    if (typeof value === "number") throw malformed();
    yield value;
  }
}

/** Returns the number of spans in a protobuf `ExportTraceServiceRequest`; undefined when the bytes are no such message. */
export function spansInRequest(bytes: Uint8Array): number | undefined {
  try {
    let spans = 0;
    for (const resourceSpans of messagesIn(bytes, 1)) {
      for (const scopeSpans of messagesIn(resourceSpans, 2)) {
        spans += [...messagesIn(scopeSpans, 2)].length;
      }
    }
    return spans;
  } catch {
    return undefined;
  }
}

/**
 * Returns the number of rejected spans and the error message of a protobuf `ExportTraceServiceResponse`; 0 and an empty text when it
 * has none.
 */
export function partialSuccessIn(bytes: Uint8Array): { rejectedSpans: number; errorMessage: string } {
  let [rejectedSpans, errorMessage] = [0, ""];
  for (const partialSuccess of messagesIn(bytes, 1)) {
    for (const { number, value } of protobufFields(partialSuccess)) {
      if (number === 1 && typeof value === "number") rejectedSpans = value;
      if (number === 2 && typeof value !== "number") errorMessage = new TextDecoder().decode(value);
    }
  }
  return { rejectedSpans, errorMessage };
}

/** Returns the message of a protobuf `google.rpc.Status`; undefined when the bytes are no such message. */
export function messageInStatus(bytes: Uint8Array): string | undefined {
  try {
    for (const message of messagesIn(bytes, 2)) return new TextDecoder("utf-8", { fatal: true }).decode(message);
  } catch {}
  return undefined;
}
