import { BACKSLASH, CLOSE, CLOSE_LIST, COMMA, OPEN, OPEN_LIST, QUOTE } from "./json-text.ts";

/** The id is lower-case hexadecimal. */
export type IsRemoved = (traceId: string) => boolean;

type Item = { end: number; isKept: boolean };

/**
 * Returns a request in JSON without the spans of the removed traces; null when no span remains. The decoder must accept the request. The
 * request is not parsed, because a parser would need many times its size in memory, and one nested call for each level of nesting.
 */
export function jsonWithoutTraces(body: Buffer, isRemoved: IsRemoved): Buffer | null {
  const cuts: number[] = [];
  let removed = 0;
  let remaining = 0;

  function afterSpace(from: number): number {
    let at = from;
    while (body[at]! <= 0x20) at++;
    return at;
  }

  function afterString(from: number): number {
    let at = from + 1;
    while (body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
    return at + 1;
  }

  function afterValue(from: number): number {
    let depth = 0;
    for (let at = from; ;) {
      const byte = body[at]!;
      if (byte === QUOTE) at = afterString(at);
      else {
        if (byte === OPEN || byte === OPEN_LIST) depth++;
        else if (byte === CLOSE || byte === CLOSE_LIST) depth--;
        at++;
      }
      if (depth === 0 && isEnd(body[at])) return at;
    }
  }

  function textIn(from: number, end: number): string {
    const text = body.toString("utf8", from, end);
    return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
  }

  /** Reads an object and returns its end. `read` gets the name and the start of each member's value, and returns the end of the value. */
  function members(from: number, read: (name: string, at: number) => number): number {
    let at = afterSpace(from + 1);
    while (body[at] !== CLOSE) {
      const nameEnd = afterString(at);
      const valueAt = afterSpace(afterSpace(nameEnd) + 1);
      at = afterSpace(read(textIn(at, nameEnd), valueAt));
      if (body[at] === COMMA) at = afterSpace(at + 1);
    }
    return at + 1;
  }

  function list(from: number, read: (at: number) => Item): number {
    let at = afterSpace(from + 1);
    let keptBefore = false;
    let endBefore = at;
    while (body[at] !== CLOSE_LIST) {
      const cutsBefore = cuts.length;
      const { end, isKept } = read(at);
      let next = afterSpace(end);
      const isLast = body[next] !== COMMA;
      if (!isLast) next = afterSpace(next + 1);
      if (!isKept) {
        cuts.length = cutsBefore;
        // Cuts out the item with the comma before it, or with the comma after it when no earlier item is kept.
        if (keptBefore) cuts.push(endBefore, end);
        else cuts.push(at, isLast ? end : next);
      }
      keptBefore ||= isKept;
      endBefore = end;
      at = next;
    }
    return at + 1;
  }

  /** Reads an object with a list under one of `names`. When all spans of the list were removed, the object is removed too. */
  const container =
    (names: readonly string[], read: (at: number) => Item) =>
    (from: number): Item => {
      const [removedBefore, remainingBefore] = [removed, remaining];
      const end = members(from, (name, at) =>
        names.includes(name) && body[at] === OPEN_LIST ? list(at, read) : afterValue(at),
      );
      return { end, isKept: removed === removedBefore || remaining > remainingBefore };
    };

  function span(from: number): Item {
    let camel: string | undefined;
    let snake: string | undefined;
    const end = members(from, (name, at) => {
      const valueEnd = afterValue(at);
      if (name === "traceId" || name === "trace_id") {
        const traceId = body[at] === QUOTE ? textIn(at, valueEnd) : undefined;
        if (name === "traceId") camel = traceId;
        else snake = traceId;
      }
      return valueEnd;
    });
    const traceId = camel ?? snake;
    const isKept = traceId === undefined || !isRemoved(traceId.toLowerCase());
    if (isKept) remaining++;
    else removed++;
    return { end, isKept };
  }

  const scopeSpans = container(["spans"], span);
  const resourceSpans = container(["scopeSpans", "scope_spans"], scopeSpans);
  container(["resourceSpans", "resource_spans"], resourceSpans)(afterSpace(0));
  if (removed === 0) return body;
  return remaining === 0 ? null : withoutCuts(body, cuts);
}

const isEnd = (byte: number | undefined) =>
  byte === undefined || byte <= 0x20 || byte === COMMA || byte === CLOSE || byte === CLOSE_LIST;

function withoutCuts(body: Buffer, cuts: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (let cut = 0; cut < cuts.length; cut += 2) {
    if (cuts[cut]! > from) parts.push(body.subarray(from, cuts[cut]));
    from = cuts[cut + 1]!;
  }
  parts.push(body.subarray(from));
  return Buffer.concat(parts);
}
