import type { Answer, Input, Operations } from "@svc/contract";
import { isKeptNumber } from "@svc/contract/constants";
import { parseDocument, stringify, visit } from "yaml";

type Test = Answer<Operations["tests"]["get"]>;
type NewTest = Input<Operations["tests"]["create"]>;

/** A test in the form of a Markdown file; it has no ids until a push creates the test. */
export type TestDocument = {
  name: string;
  id?: string;
  version_id?: string;
  scenario: string;
  expected_behaviors: string[];
  personas: string[];
  mock_tools: NonNullable<NewTest["mock_tools"]>;
};

/** Says why a file is not a valid test. */
export class InvalidFile extends Error {}

const KEYS = ["name", "id", "version_id", "personas", "mock_tools"];
const DECIMAL = /^[-+]?(?:\d|\.\d)[\d.eE+-]*$/;
const FRONT = /^---[ \t]*\r?\n(?<front>(?:[^]*?\r?\n)?)---[ \t]*(?:\r?\n|$)(?<body>[^]*)$/;
const HEADING = /^## +(?<section>scenario|expected behaviors)\s*$/i;
/** A heading above the caller's lines or facts, which belong to the scenario. */
const CALLER_HEADING = /^## +(?:caller says:?|facts:?)\s*$/i;
/** A line of a scenario that would read as a heading; the file has a backslash before it. */
const HEADING_IN_TEXT = /^\\*## +(?:scenario|expected behaviors)\s*$/i;

export const testDocumentOf = (test: Test): TestDocument => ({
  name: test.name,
  id: test.id,
  version_id: test.version_id,
  scenario: test.scenario,
  expected_behaviors: test.expected_behaviors,
  personas: test.personas,
  mock_tools: test.mock_tools.map(({ delay_ms, ...mock }) => (delay_ms === 0 ? mock : { ...mock, delay_ms })),
});

/** Returns a test as Markdown: names, ids and mock tools as front matter, then the scenario and the behaviors as text. */
export function writeTestFile({
  name,
  id,
  version_id,
  scenario,
  expected_behaviors,
  personas,
  mock_tools,
}: TestDocument): string {
  const front = {
    name,
    ...(id !== undefined && { id, version_id }),
    ...(personas.length > 0 && { personas }),
    ...(mock_tools.length > 0 && { mock_tools }),
  };
  const lines = linesOf(scenario).map((line) => (HEADING_IN_TEXT.test(line) ? `\\${line}` : line));
  const items = expected_behaviors.map((behavior) => `- ${linesOf(behavior).join("\n  ")}`);
  return `---\n${stringify(front, { lineWidth: 0 })}---\n\n## Scenario\n\n${lines.join("\n")}\n\n## Expected behaviors\n\n${items.join("\n")}\n`;
}

/** Parses a file's text; throws an `InvalidFile` that says what to correct. It checks the form of the file only. */
export function readTestFile(text: string): TestDocument {
  const { front, body } = FRONT.exec(text)?.groups ?? {};
  if (front === undefined || body === undefined)
    throw new InvalidFile("has no front matter: begin with `---`, a line `name: …`, and `---`");
  const { name, id, version_id, personas = [], mock_tools = [] } = readFront(front);
  if (typeof name !== "string") throw new InvalidFile("has no `name` in its front matter");
  const isNew = id === undefined && version_id === undefined;
  if (!isNew && (typeof id !== "string" || typeof version_id !== "string"))
    throw new InvalidFile(
      "has only one of `id` and `version_id`: keep both as you pulled them, or remove both for a new test",
    );
  return {
    name,
    ...(!isNew && { id: id as string, version_id: version_id as string }),
    ...readBody(body),
    personas: personas as string[],
    mock_tools: mock_tools as TestDocument["mock_tools"],
  };
}

/** Returns the text with other ids in its front matter; the rest stays unchanged, comments too. */
export function withIds(text: string, ids: { id: string; version_id: string }): string {
  const { front, body } = FRONT.exec(text)!.groups!;
  const document = parseDocument(front!);
  document.set("id", ids.id);
  document.set("version_id", ids.version_id);
  return `---\n${document.toString({ lineWidth: 0 })}---\n${body}`;
}

function readFront(text: string): Record<string, unknown> {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) throw new InvalidFile(`has front matter that is not YAML: ${error.message.split("\n")[0]}`);
  visit(document, {
    Scalar(_, { value, source }) {
      if (typeof value === "number" && source !== undefined && DECIMAL.test(source) && !isKeptNumber(source))
        throw new InvalidFile(`has the number ${source}, which programs that read JSON change: write it in quotes`);
    },
  });
  let front: unknown;
  try {
    front = document.toJS({ maxAliasCount: 0 });
  } catch {
    throw new InvalidFile("has front matter with aliases: write their values instead");
  }
  if (front === null || typeof front !== "object" || Array.isArray(front))
    throw new InvalidFile("has front matter without a `name`");
  const unknown = Object.keys(front).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw new InvalidFile(`has "${unknown}" in its front matter: use only ${KEYS.join(", ")}`);
  return front as Record<string, unknown>;
}

function readBody(body: string): Pick<TestDocument, "scenario" | "expected_behaviors"> {
  const sections = new Map<string, string[]>();
  const callerLines: string[] = [];
  let current: string[] | undefined;
  for (const line of linesOf(body)) {
    const section = HEADING.exec(line)?.groups!.section!.toLowerCase();
    if (section !== undefined) {
      if (sections.has(section)) throw new InvalidFile(`has two sections \`${line.trim()}\``);
      sections.set(section, (current = []));
    } else if (CALLER_HEADING.test(line) && current !== undefined && current !== sections.get("scenario")) {
      callerLines.push("", line);
      current = callerLines;
    } else if (current !== undefined) current.push(line);
    else if (line.trim() !== "")
      throw new InvalidFile("has text before its first section: move it below `## Scenario`");
  }
  const [scenario, behaviors] = [sections.get("scenario"), sections.get("expected behaviors")];
  if (!scenario) throw new InvalidFile("has no section `## Scenario`");
  if (!behaviors) throw new InvalidFile("has no section `## Expected behaviors`");
  const unescaped = (line: string) => (line.startsWith("\\") && HEADING_IN_TEXT.test(line) ? line.slice(1) : line);
  const text = [scenario, callerLines].map((lines) => lines.map(unescaped).join("\n").trim());
  return { scenario: text.join("\n\n").trim(), expected_behaviors: readItems(behaviors) };
}

function readItems(lines: readonly string[]): string[] {
  const items: string[][] = [];
  for (const line of lines) {
    if (/^[-*] /.test(line)) items.push([line.slice(2)]);
    else if (line.trim() === "" || (items.length > 0 && line.startsWith("  "))) items.at(-1)?.push(line.slice(2));
    else
      throw new InvalidFile(
        `has a line below \`## Expected behaviors\` that is not a list item: write \`- ${line.trim().slice(0, 40)}\``,
      );
  }
  return items.map((item) => item.join("\n").trim());
}

const linesOf = (text: string): string[] => text.split(/\r?\n/);
