type ProtobufField = { number: number; value: number | Uint8Array };

/**
 * Yields the fields of one protobuf message in order: varints as numbers (exact up to 2^53), length-delimited values as bytes.
 * Fixed-width values are skipped.
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

/** Returns the number of spans in an `ExportTraceServiceRequest` in protobuf; undefined when the bytes are not one. */
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

/** Returns the rejected spans and the error message of an `ExportTraceServiceResponse` in protobuf; 0 and "" without any. */
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

/** Returns the message of a `google.rpc.Status`, the error of a protobuf request; undefined when the bytes are not one. */
export function messageInStatus(bytes: Uint8Array): string | undefined {
  try {
    for (const message of messagesIn(bytes, 2)) return new TextDecoder("utf-8", { fatal: true }).decode(message);
  } catch {}
  return undefined;
}
