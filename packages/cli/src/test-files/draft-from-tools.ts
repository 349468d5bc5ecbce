import { cutText, expectedCallOf } from "@svc/contract/constants";
import { type AgentTool, isObject, type Schema, wordsOf } from "./agent-tools.ts";
import type { TestDocument } from "./test-file.ts";

const SLOW_MS = 4_000;
const DEPTH_MAX = 4;
const TOLD_CHARACTERS = 80;

/** Argument that the caller can tell. The value is undefined when nothing in the schema or the name suggests one. */
type Argument = {
  name: string;
  words: string;
  isRequired: boolean;
  value: string | number | boolean | undefined;
  description: string;
};

/**
 * Drafts the tests of a tool: it works, it fails, it is slow, and the caller does not know its first required argument. The callers have
 * fixed lines, and code decides every behavior. What the author must write is marked with [REPLACE: …].
 */
export function testsOfTool(tool: AgentTool): TestDocument[] {
  const args = argumentsOf(tool.input);
  const expected = expectedCallOf(
    tool.name,
    Object.fromEntries(args.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
  );
  const call = expectedCallOf(tool.name, {});
  const answer = sampleOf(tool.output) ?? { status: "ok" };
  const works = { tool: tool.name, answer };
  const draft = (
    title: string,
    situation: string,
    content: Pick<TestDocument, "expected_behaviors"> & {
      mock: TestDocument["mock_tools"][number];
      unknown?: Argument;
    },
  ): TestDocument => ({
    name: `${tool.name}: ${title}`,
    suite: "Tools",
    tags: ["tools"],
    scenario: scenarioOf(tool, situation, args, content.unknown),
    expected_behaviors: content.expected_behaviors,
    personas: [],
    mock_tools: [content.mock],
  });
  const unknown = args.find(({ isRequired }) => isRequired);
  return [
    draft("works", "The tool answers.", { mock: works, expected_behaviors: [expected] }),
    draft("fails", "The tool fails, and the agent says so.", {
      mock: { tool: tool.name, error: "The service is not available." },
      expected_behaviors: [`handles error of ${call.slice("calls ".length)}`],
    }),
    draft("is slow", `The tool answers after ${SLOW_MS / 1_000} s.`, {
      mock: { ...works, delay_ms: SLOW_MS },
      expected_behaviors: [call, "responds within 10 s"],
    }),
    ...(unknown === undefined
      ? []
      : [
          draft(`${unknown.words} is unknown`, `The caller does not know the ${unknown.words}.`, {
            mock: works,
            unknown,
            expected_behaviors: [`never ${call}`, `says /${patternOf(unknown.words)}/i`],
          }),
        ]),
  ];
}

function scenarioOf({ purpose }: AgentTool, situation: string, args: readonly Argument[], unknown?: Argument): string {
  const facts = args
    .filter((one) => one !== unknown)
    .map(({ words, value, description }) => ({ words, value: told(value, description) }));
  return [
    `The caller asks for this: ${purpose}. ${situation}`,
    "",
    `Says: Hello, I need this: ${purpose}.`,
    ...(unknown ? [`Says (when the agent asks /${patternOf(unknown.words)}/): I do not know that.`] : []),
    ...(facts.length > 0
      ? [`Says: Here is what I know: ${facts.map((fact) => `${fact.words} ${fact.value}`).join(", ")}.`]
      : []),
    "Says: Yes, please.",
    "Says: No, that is all. Thank you.",
    ...(facts.length > 0 ? [`Facts: ${facts.map((fact) => `${fact.words} = ${fact.value}`).join("; ")}`] : []),
  ].join("\n");
}

const told = (value: Argument["value"], description: string): string => {
  if (value === undefined) return `[REPLACE: ${description}]`;
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
};

/** Matches the last word of an argument's name, in the singular and the plural: `guest names` matches "name". */
const patternOf = (words: string): string => words.split(" ").at(-1)!.replace(/s$/, "");

function argumentsOf(input: Schema): Argument[] {
  const properties = isObject(input["properties"]) ? input["properties"] : {};
  // Many definitions do not say what is required. Their agents then ask for everything.
  const required = Array.isArray(input["required"]) ? input["required"] : undefined;
  return (required ?? Object.keys(properties)).flatMap((name: unknown) => {
    const schema = typeof name === "string" ? properties[name] : undefined;
    const words = wordsOf(String(name));
    if (typeof name !== "string" || !isObject(schema) || words === "") return [];
    const value = sampleOf(schema, name);
    const description = typeof schema["description"] === "string" ? schema["description"] : words;
    return {
      name,
      words,
      isRequired: required !== undefined,
      value: isTellable(value) ? value : undefined,
      description: cutText(description.replaceAll(/[\s;[\]]+/g, " ").trim(), TOLD_CHARACTERS),
    };
  });
}

/** The values of a list of facts end at a semicolon. */
const isTellable = (value: unknown): value is string | number | boolean =>
  typeof value === "number" ||
  typeof value === "boolean" ||
  (typeof value === "string" && !/[;\n[\]]/.test(value) && value !== "");

const BY_NAME: readonly [name: RegExp, value: string][] = [
  [/e-?mail/, "ana.silva@example.com"],
  [/phone|mobile/, "555-0134"],
  [/\b(date|day)$/, `June 9, ${new Date().getUTCFullYear() + 1}`],
  [/\btime$/, "10:00"],
  [/\bname$/, "Ana Silva"],
  [/\b(city|town|location|destination)$/, "Lisbon"],
  [/\b(id|code|number|reference)$/, "GH-4207"],
];
const BY_FORMAT: Record<string, string> = {
  email: "ana.silva@example.com",
  date: `${new Date().getUTCFullYear() + 1}-06-09`,
  time: "10:00",
};

/** Returns a value that a schema allows; undefined when neither the schema nor the name of the value suggests one. */
function sampleOf(schema: Schema | undefined, name = "", depth = 0): unknown {
  if (schema === undefined || depth > DEPTH_MAX) return undefined;
  const given = [
    schema["const"],
    first(schema["enum"]),
    first(schema["examples"]),
    schema["example"],
    schema["default"],
  ];
  const value = given.find((one) => one !== undefined && one !== null);
  if (value !== undefined) return value;
  switch (first(schema["type"]) ?? schema["type"]) {
    case "boolean":
      return true;
    case "integer":
    case "number":
      return numberOf(schema);
    case "string":
      return textOf(schema, wordsOf(name));
    case "array": {
      const item = isObject(schema["items"]) ? sampleOf(schema["items"], name, depth + 1) : undefined;
      return item === undefined ? undefined : [item];
    }
    case "object":
      return objectOf(schema, depth);
    default:
      return undefined;
  }
}

function numberOf({ minimum, maximum, exclusiveMinimum }: Schema): number {
  const low = Math.max(...[minimum, Number(exclusiveMinimum) + 1, 2].map(Number).filter(Number.isFinite));
  return typeof maximum === "number" ? Math.min(low, maximum) : low;
}

function textOf({ format, pattern }: Schema, words: string): string | undefined {
  if (typeof pattern === "string") return undefined;
  return BY_FORMAT[String(format)] ?? BY_NAME.find(([name]) => name.test(words))?.[1];
}

function objectOf({ properties }: Schema, depth: number): Record<string, unknown> | undefined {
  if (!isObject(properties)) return undefined;
  const members = Object.entries(properties).flatMap(([name, schema]) => {
    const value = isObject(schema) ? sampleOf(schema, name, depth + 1) : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);
