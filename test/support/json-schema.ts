import fc from "fast-check";

/** The part of JSON Schema 2020-12 that the OpenAPI document uses. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
  description?: string;
  example?: unknown;
  default?: unknown;
};

/** Returns a named schema of a document by its reference. */
export type SchemasByRef = (ref: string) => Schema;

const KEYWORDS = new Set(
  "description deprecated example default title $ref type enum const anyOf oneOf properties required additionalProperties propertyNames items minItems maxItems minLength maxLength minimum maximum pattern format".split(
    " ",
  ),
);

/** For each string format: a check and a generator of values. An unknown format is an error of the document. */
const FORMATS: Record<string, { fits: (text: string) => boolean; values: fc.Arbitrary<string> }> = {
  "date-time": {
    fits: (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text),
    values: fc
      .date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString()),
  },
  date: {
    fits: (text) => /^\d{4}-\d\d-\d\d$/.test(text),
    values: fc
      .date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10)),
  },
  email: { fits: (text) => /^[^@\s]+@[^@\s]+$/.test(text), values: fc.nat().map((n) => `person-${n}@example.test`) },
  uri: { fits: (text) => URL.canParse(text), values: fc.nat().map((n) => `https://host-${n}.example.test/path`) },
  password: { fits: () => true, values: fc.nat().map((n) => `a long password ${n}`) },
  binary: { fits: () => true, values: fc.string() },
};

/**
 * Returns why a value does not match a schema: one line for each fault, with its path; an empty list for a match. Throws for a
 * keyword or format that it does not know, so that no part of a schema stays unchecked.
 */
export function faultsOf(schema: Schema, value: unknown, byRef: SchemasByRef, at = ""): string[] {
  const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword));
  if (unknown !== undefined) throw new Error(`the schema at ${at || "/"} has the unknown keyword ${unknown}`);
  if (schema.$ref !== undefined) return faultsOf(byRef(schema.$ref), value, byRef, at);
  if (value === undefined) return [`${at || "/"} is missing`];
  const faults: string[] = [];
  const fail = (what: string) => faults.push(`${at || "/"} ${what}`);

  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) fail(`is not ${types.join(" or ")}`);
  if ("const" in schema && schema.const !== value) fail(`is not ${JSON.stringify(schema.const)}`);
  if (schema.enum && !schema.enum.includes(value)) fail(`is none of ${JSON.stringify(schema.enum)}`);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const tries = choices.map((choice) => faultsOf(choice, value, byRef, at));
    const fitting = tries.filter((found) => found.length === 0).length;
    if (fitting === 0) faults.push(...tries.reduce((least, found) => (found.length < least.length ? found : least)));
    if (schema.oneOf && fitting > 1) fail("matches several schemas of oneOf");
  }
  if (typeof value === "string") checkText(schema, value, fail);
  if (typeof value === "number") {
    if (value < (schema.minimum ?? -Infinity)) fail(`is below ${schema.minimum}`);
    if (value > (schema.maximum ?? Infinity)) fail(`is above ${schema.maximum}`);
  }
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) fail(`has fewer than ${schema.minItems} items`);
    if (value.length > (schema.maxItems ?? Infinity)) fail(`has more than ${schema.maxItems} items`);
    if (schema.items)
      value.forEach((item, index) => faults.push(...faultsOf(schema.items!, item, byRef, `${at}/${index}`)));
  } else if (value !== null && typeof value === "object") {
    faults.push(...faultsOfObject(schema, value as Record<string, unknown>, byRef, at));
  }
  return faults;
}

function checkText(schema: Schema, text: string, fail: (what: string) => void): void {
  const characters = [...text].length;
  if (characters < (schema.minLength ?? 0)) fail(`has fewer than ${schema.minLength} characters`);
  if (characters > (schema.maxLength ?? Infinity)) fail(`has more than ${schema.maxLength} characters`);
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(text))
    fail(`does not fit ${schema.pattern}`);
  if (schema.format !== undefined && !formatOf(schema.format).fits(text)) fail(`is no ${schema.format}`);
}

function formatOf(name: string) {
  const format = FORMATS[name];
  if (!format) throw new Error(`the document has the unknown format ${name}`);
  return format;
}

function faultsOfObject(schema: Schema, value: Record<string, unknown>, byRef: SchemasByRef, at: string): string[] {
  const faults: string[] = [];
  for (const name of schema.required ?? []) if (!Object.hasOwn(value, name)) faults.push(`${at}/${name} is missing`);
  for (const [name, member] of Object.entries(value)) {
    const known = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    const rest = schema.additionalProperties;
    if (known) faults.push(...faultsOf(known, member, byRef, `${at}/${name}`));
    else if (rest === false) faults.push(`${at}/${name} is not allowed`);
    else if (typeof rest === "object") faults.push(...faultsOf(rest, member, byRef, `${at}/${name}`));
  }
  return faults;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return value !== null && typeof value === "object" && !Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

/** Returns the id of an existing resource by the prefix of its kind; undefined when none is known. */
export type KnownId = (prefix: string, draw: number) => string | undefined;

const ANY_TEXT = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^[a-z][a-z0-9 -]{0,30}$/) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.toWellFormed()) },
);

/**
 * Returns an arbitrary of values that match a schema. A text whose description names an id, such as `tst_…`, is an id of
 * `knownId` most of the time.
 */
export function valuesOf(schema: Schema, byRef: SchemasByRef, knownId: KnownId): fc.Arbitrary<unknown> {
  const inner = (part: Schema) => valuesOf(part, byRef, knownId);
  if (schema.$ref !== undefined) return inner(byRef(schema.$ref));
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(inner));
  const [type] = [schema.type ?? []].flat();
  if (type === "string") return texts(schema, knownId);
  if (type === "integer")
    return fc.integer({ min: schema.minimum ?? -1_000, max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1) });
  if (type === "number")
    return fc.double({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000, noNaN: true }).map((n) => n + 0);
  if (type === "boolean") return fc.boolean();
  if (type === "null") return fc.constant(null);
  if (type === "array")
    return fc.array(inner(schema.items ?? {}), {
      minLength: schema.minItems ?? 0,
      maxLength: Math.min(schema.maxItems ?? 3, Math.max(3, schema.minItems ?? 0)),
    });
  if (type === "object") return objects(schema, inner);
  return fc
    .jsonValue({ maxDepth: 2, noUnicodeString: false })
    .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
}

/** Returns the kind of id that a description names: a prefix, or `trace` for the id of a trace. */
function idPrefixOf(description: string): string | undefined {
  if (description.startsWith("Project id")) return "prj";
  if (description.startsWith("32 hexadecimal")) return "trace";
  return /`([a-z]{3,4})_…`/.exec(description)?.[1];
}

function texts(schema: Schema, knownId: KnownId): fc.Arbitrary<string> {
  const prefix = idPrefixOf(schema.description ?? "");
  if (prefix !== undefined) {
    const known = fc.nat().map((draw) => knownId(prefix, draw) ?? `${prefix}_unknown`);
    return fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: ANY_TEXT.map((text) => text || "x") });
  }
  if (schema.format !== undefined) return formatOf(schema.format).values;
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern, "u"));
  const least = schema.minLength ?? 0;
  const most = schema.maxLength ?? Infinity;
  return ANY_TEXT.map((text) => [...text.padEnd(least, "x")].slice(0, most).join(""));
}

function objects(schema: Schema, inner: (part: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const members = Object.entries(schema.properties ?? {}).map(([name, part]) => [name, inner(part)] as const);
  const known = fc.record(Object.fromEntries(members), { requiredKeys: (schema.required ?? []) as [] });
  const rest = schema.additionalProperties;
  if (rest === undefined || rest === false) return known;
  const more = fc.dictionary(fc.stringMatching(/^[a-z][A-Za-z]{0,9}$/), inner(rest === true ? {} : rest), {
    maxKeys: 3,
  });
  return fc.tuple(known, more).map(([named, others]) => ({ ...others, ...named }));
}
