import { type Operation, issueText, operations } from "@svc/contract";
import { expect, test } from "vitest";
import { z } from "zod";
import { toolsIn } from "../packages/cli/src/mcp/server.ts";
import { ProviderSettings, Settings } from "../packages/server/src/base/config/settings.ts";

/** Phrases of the schema library's own messages, which no refusal may contain. */
const LIBRARY =
  /^(invalid\b|too (small|big)|unrecognized|expected )|\b(expected|received) (\w+|"|>|<)|\bNaN\b|undefined/i;

const WRONG: readonly unknown[] = [undefined, null, "", " ", "x y", 7, -1.5, 1e308, true, [], [null], {}, { x: 1 }];
const TREE_DEPTH = 4;

type Schema = {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  const?: unknown;
};

/** Returns inputs of the schema's form that have `value` in place of every member at this depth. */
function inputsWith(schema: Schema, value: unknown, depth: number): unknown[] {
  if (depth === 0) return [value];
  if (schema.const !== undefined) return [schema.const];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.flatMap((choice) => inputsWith(choice, value, depth));
  if (schema.items) return inputsWith(schema.items, value, depth - 1).map((item) => [item]);
  if (!schema.properties) return [value];
  const members = Object.entries(schema.properties).map(
    ([name, member]) => [name, inputsWith(member, value, depth - 1)[0]] as const,
  );
  return [Object.fromEntries(members)];
}

const jsonSchema = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema;

/** Returns each message with which the schema refuses a wrong input, and a path to which the message belongs. */
function textsOf(schema: z.ZodType): Map<string, string> {
  const texts = new Map<string, string>();
  const form = jsonSchema(schema);
  for (const value of WRONG)
    for (let depth = 0; depth <= TREE_DEPTH; depth++)
      for (const input of inputsWith(form, value, depth)) {
        const { error } = schema.safeParse(input, { error: issueText });
        for (const { message, path } of error?.issues ?? []) texts.set(message, path.join("."));
      }
  return texts;
}

const INPUTS = Object.entries(operations).flatMap(([family, members]) =>
  Object.entries(members as Record<string, Operation>).flatMap(([name, { params, query, body }]) =>
    Object.entries({ params, query, body }).flatMap(([part, schema]) =>
      schema instanceof z.ZodType ? [{ name: `the ${part} of ${family}.${name}`, schema: schema as z.ZodType }] : [],
    ),
  ),
);
/** The tools on a person's machine and at the service. Only the tools that read files differ. */
const TOOL_INPUTS = (["machine", "service"] as const).flatMap((place) =>
  toolsIn(place).map(({ name, input }) => ({
    name: `the arguments of ${name} (${place})`,
    schema: input as z.ZodType,
  })),
);

test.each([
  ["a request", INPUTS, 150],
  ["a tool of assistants", TOOL_INPUTS, 30],
])("every issue of an input of %s has a text of this project", (_, inputs, atLeast) => {
  expect(inputs.length).toBeGreaterThan(atLeast);
  const found = inputs.flatMap(({ name, schema }) =>
    [...textsOf(schema)].filter(([text]) => LIBRARY.test(text)).map(([text, path]) => `${name}, ${path}: ${text}`),
  );
  expect(found).toEqual([]);
});

test("every issue of a setting has a text of this project", () => {
  const wrong = ["-", " ", "abc", "-1", "1.5", "99999999", "ftp://x y", "\u0000", "a\nb"];
  const found = Object.entries({ ...Settings.shape, ...ProviderSettings.shape }).flatMap(([name, schema]) =>
    wrong.flatMap((value) => {
      const issues = schema.safeParse(value, { error: issueText }).error?.issues ?? [];
      return issues.filter(({ message }) => LIBRARY.test(message)).map(({ message }) => `${name}=${value}: ${message}`);
    }),
  );
  expect(found).toEqual([]);
});
