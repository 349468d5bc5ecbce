/** Attribute value in OTLP/JSON; only the types that imported calls need. */
type Value =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: Value[] } };
type Attribute = { key: string; value: Value };
export type CallSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status?: { code: number };
};
export type ExportRequest = {
  resourceSpans: [
    {
      resource: { attributes: Attribute[] };
      scopeSpans: [{ scope: { name: string; version: string }; spans: CallSpan[] }];
    },
  ];
};

export const INTERNAL = 1;
export const FAILED = 2;

const KEY_CHARACTERS = 200;

/** Converts a bigint to an OTLP int, and a value without an OTLP type to JSON. */
export function attributes(members: Record<string, unknown>): Attribute[] {
  return Object.entries(members).flatMap(([key, value]) =>
    value === undefined || value === null
      ? []
      : [{ key: key.slice(0, KEY_CHARACTERS).toWellFormed(), value: valueOf(value) }],
  );
}

function valueOf(value: unknown): Value {
  if (typeof value === "string") return { stringValue: value.toWellFormed() };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "bigint") return { intValue: String(value) };
  if (typeof value === "number" && Number.isFinite(value)) return { doubleValue: value };
  if (isNumbers(value)) return { arrayValue: { values: value.map((item) => ({ doubleValue: item })) } };
  return { stringValue: JSON.stringify(value) };
}

const isNumbers = (value: unknown): value is number[] => Array.isArray(value) && value.every(Number.isFinite);
