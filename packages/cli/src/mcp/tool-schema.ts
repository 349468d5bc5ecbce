import type { z } from "zod";

/** Members of a JSON Schema that validators need and assistants do not. They would be a third of the list of tools. */
const LEFT_OUT = new Set(["$schema", "pattern", "example", "override", "maximum"]);

/** Returns a schema that accepts any input, because `register` rejects wrong arguments with its own message. */
export const slimInput = (schema: z.ZodType) => slim(schema, { validate: (value: unknown) => ({ value }) });

/** Returns a schema that validates in the same way, but whose JSON Schema for clients is shorter. */
export function slim<Schema extends z.ZodType>(schema: Schema, overrides: object = {}): Schema {
  const { jsonSchema, ...standard } = schema["~standard"];
  const described = (side: "input" | "output") => (options: Parameters<typeof jsonSchema.input>[0]) =>
    withoutDetails(jsonSchema[side](options)) as Record<string, unknown>;
  return {
    "~standard": { ...standard, ...overrides, jsonSchema: { input: described("input"), output: described("output") } },
  } as never;
}

function withoutDetails(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDetails);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(withOneType(asDescribed(value)))
      .filter(([name]) => !LEFT_OUT.has(name))
      .map(([name, member]) => [
        name,
        name === "properties" ? eachWithoutDetails(member as object) : withoutDetails(member),
      ]),
  );
}

const eachWithoutDetails = (members: object) =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, withoutDetails(member)]));

/** Returns the schema with its `override`, with which the contract describes what no schema of zod says. */
const asDescribed = (schema: object): object =>
  "override" in schema && typeof schema.override === "object" ? { ...schema, ...schema.override } : schema;

/** Writes a type that may be null as `anyOf`, because some clients read only one name in `type`. */
function withOneType(schema: object): object {
  if (!("type" in schema) || !Array.isArray(schema.type)) return schema;
  const { type, description, ...rest } = schema as { type: string[]; description?: string };
  const anyOf = type.map((one) => (one === "null" ? { type: one } : { type: one, ...rest }));
  return { ...(description !== undefined && { description }), anyOf };
}
