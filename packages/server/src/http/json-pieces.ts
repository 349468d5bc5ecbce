import { setImmediate as nextTurn } from "node:timers/promises";

export class JsonAnswer {
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces;
    this.bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  }
}

const PIECE_CHARACTERS = 64 * 1024;
const SLICE_MS = 4;
const UTF8 = new TextEncoder();

/**
 * Returns the bytes of `JSON.stringify(value)` in pieces. Lets other work run at least every few milliseconds. Stops early, with an
 * incomplete result, when `isWanted` returns false.
 */
export async function encodeJson(value: unknown, isWanted: () => boolean = () => true): Promise<JsonAnswer> {
  const pieces: Uint8Array[] = [];
  let text = "";
  let sliceStartedAt = performance.now();
  for (const part of jsonParts(value)) {
    text += part;
    if (text.length >= PIECE_CHARACTERS) {
      pieces.push(UTF8.encode(text));
      text = "";
    }
    if (performance.now() - sliceStartedAt > SLICE_MS) {
      await nextTurn();
      if (!isWanted()) break;
      sliceStartedAt = performance.now();
    }
  }
  if (text !== "") pieces.push(UTF8.encode(text));
  return new JsonAnswer(pieces);
}

/** Yields the parts of a value's JSON text. For an object with lists, each item of a list is a part. */
function* jsonParts(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null || Array.isArray(value) || "toJSON" in value) {
    yield JSON.stringify(value);
    return;
  }
  let before = "{";
  for (const [key, member] of Object.entries(value)) {
    const name = `${before}${JSON.stringify(key)}:`;
    if (Array.isArray(member)) {
      yield `${name}[`;
      for (const [index, item] of member.entries()) yield (index === 0 ? "" : ",") + (JSON.stringify(item) ?? "null");
      yield "]";
    } else {
      const json = JSON.stringify(member) as string | undefined;
      if (json === undefined) continue;
      yield name + json;
    }
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}
