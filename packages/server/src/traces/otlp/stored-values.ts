/** A value in the shape that protobufjs encodes. 64-bit integers are strings of digits. */
export type Value = {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: string;
  doubleValue?: number;
  bytesValue?: Buffer;
  arrayValue?: { values: Value[] };
  kvlistValue?: { values: Attribute[] };
};
export type Attribute = { key: string; value: Value };

const QUOTE = '"';
const BACKSLASH = "\\";
const NUMBER = /-?\d+(\.\d+)?(e[+-]?\d+)?/y;
const WHOLE = /^-?\d+$/;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const DIGITS_ALWAYS_INT64 = 18;

/**
 * Parses JSON that a decoder wrote. For the result, a decoder would write the same JSON. An object preserves the order of its members, and
 * members that occur twice.
 */
export function storedValue(json: string): Value {
  let at = 0;
  return value();

  function value(): Value {
    switch (json[at]) {
      case QUOTE:
        return { stringValue: string() };
      case "{":
        return { kvlistValue: { values: items("}", attribute) } };
      case "[":
        return { arrayValue: { values: items("]", value) } };
      case "t":
        at += "true".length;
        return { boolValue: true };
      case "f":
        at += "false".length;
        return { boolValue: false };
      case "n":
        at += "null".length;
        return {};
      default:
        return number();
    }
  }

  function attribute(): Attribute {
    const key = string();
    at++;
    return { key, value: value() };
  }

  function items<Item>(close: string, read: () => Item): Item[] {
    const all: Item[] = [];
    at++;
    while (json[at] !== close) {
      if (all.length > 0) at++;
      all.push(read());
    }
    at++;
    return all;
  }

  function string(): string {
    const from = at;
    for (at = json.indexOf(QUOTE, at + 1); isEscaped(from); at = json.indexOf(QUOTE, at + 1));
    const content = json.slice(from + 1, at++);
    return content.includes(BACKSLASH) ? (JSON.parse(json.slice(from, at)) as string) : content;
  }

  /** Returns whether the quote at `at` is escaped and the string that begins at `from` continues. */
  function isEscaped(from: number): boolean {
    let first = at;
    while (first > from + 1 && json[first - 1] === BACKSLASH) first--;
    return (at - first) % 2 === 1;
  }

  function number(): Value {
    NUMBER.lastIndex = at;
    const digits = NUMBER.exec(json)![0];
    at += digits.length;
    return isInt64(digits) ? { intValue: digits } : { doubleValue: Number(digits) };
  }
}

function isInt64(digits: string): boolean {
  if (!WHOLE.test(digits)) return false;
  if (digits.length <= DIGITS_ALWAYS_INT64) return true;
  const whole = BigInt(digits);
  return whole >= INT64_MIN && whole <= INT64_MAX;
}

export const storedAttributes = (json: string): Attribute[] => storedValue(json).kvlistValue!.values;
