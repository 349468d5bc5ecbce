export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  default?: unknown;
  example?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
};

type SchemaMember = { name: string; type: string; required: boolean; meaning: string };

/** Number of nested levels whose members are listed. Longer dotted names would not help the reader. */
const DEPTH_MAX = 4;
const WHOLE = Number.MAX_SAFE_INTEGER;

/** Returns the type of a value as Markdown with links to shapes, such as "text, 1 to 200 characters" or "list of [Turn](#turn)". */
export function typeText(schema: Schema): string {
  const options = schema.anyOf ?? schema.oneOf;
  if (schema.$ref !== undefined) return link(schema.$ref.split("/").at(-1)!);
  if (options !== undefined) return joined(options.map(typeText));
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return joined(schema.enum.map(code));
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? "any value" : joined(types.map((type) => plainType(type, schema)));
}

function plainType(type: string, schema: Schema): string {
  if (type === "array")
    return `list of ${typeText(schema.items ?? {})}${between(schema.minItems, schema.maxItems, "items")}`;
  if (type === "object") {
    const { additionalProperties: values } = schema;
    return typeof values === "object" && Object.keys(values).length > 0
      ? `object with values: ${typeText(values)}`
      : "object";
  }
  if (type === "string") {
    if (schema.format === "date-time") return "time";
    const example = schema.example === undefined ? "" : `, such as ${code(schema.example)}`;
    return `text${between(schema.minLength, schema.maxLength, "characters")}${example}`;
  }
  if (type === "integer" || type === "number") {
    const maximum = schema.maximum === WHOLE ? undefined : schema.maximum;
    return `${type}${between(schema.minimum, maximum, "")}`;
  }
  return type === "boolean" ? "true or false" : type;
}

/** Returns the members of an object. Members of nested objects and lists get dotted names. */
export function membersOf(schema: Schema, prefix = "", depth = 0): SchemaMember[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const byDefault = member.default === undefined ? "" : ` Default: ${code(member.default)}.`;
    const meaning = `${(member.description ?? "").replaceAll(/\s+/g, " ").trim()}${byDefault}`.trim();
    const shown = { name: path, type: typeText(member), required: required.includes(name), meaning };
    return [shown, ...(depth < DEPTH_MAX ? innerMembers(member, path, depth + 1) : [])];
  });
}

function innerMembers(schema: Schema, path: string, depth: number): SchemaMember[] {
  const options = (schema.anyOf ?? schema.oneOf ?? []).flatMap((option) => innerMembers(option, path, depth));
  const items = schema.items === undefined ? [] : innerMembers(schema.items, `${path}[]`, depth);
  return [...membersOf(schema, `${path}.`, depth), ...items, ...options];
}

const link = (name: string) => `[${name}](#${name.toLowerCase()})`;
const code = (value: unknown) => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
const joined = (texts: string[]) => [...new Set(texts)].join(" or ");

function between(least: number | undefined, most: number | undefined, unit: string): string {
  const unitText = unit === "" ? "" : ` ${unit}`;
  if (least && least === most) return `, exactly ${most}${unitText}`;
  if (least && most !== undefined) return `, ${least} to ${most}${unitText}`;
  if (most !== undefined) return least === 0 && unit === "" ? `, 0 to ${most}` : `, at most ${most}${unitText}`;
  return least && !(least === 1 && unit !== "") ? `, at least ${least}${unitText}` : "";
}
