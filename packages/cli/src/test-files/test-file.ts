import type { Answer, Input, Operations } from "@svc/contract";
import { parseDocument, stringify } from "yaml";

type Test = Answer<Operations["tests"]["get"]>;
type NewTest = Input<Operations["tests"]["create"]>;

/** A test as a Markdown file holds it; without ids when it was never pushed. */
export type TestFile = {
  name: string;
  id?: string;
  version_id?: string;
  scenario: string;
  expected_behaviors: string[];
  personas: string[];
  mock_tools: NonNullable<NewTest["mock_tools"]>;
};

/** Why a file is no test, with the line where that is known. */
export class FileFault extends Error {}

const KEYS = ["name", "id", "version_id", "personas", "mock_tools"];
const FRONT = /^---[ \t]*\r?\n(?<front>(?:[^]*?\r?\n)?)---[ \t]*(?:\r?\n|$)(?<body>[^]*)$/;
const HEADING = /^## +(?<section>scenario|expected behaviors)\s*$/i;
/** A line of a scenario that would read as a heading stands behind a backslash. */
const HEADING_IN_TEXT = /^\\*## +(?:scenario|expected behaviors)\s*$/i;

export const testFileOf = (test: Test): TestFile => ({
  name: test.name,
  id: test.id,
  version_id: test.version_id,
  scenario: test.scenario,
  expected_behaviors: test.expected_behaviors,
  personas: test.personas,
  mock_tools: test.mock_tools,
});

/** Front matter with what has a form, then the scenario and the behaviors as text. */
export function writeTestFile({
  name,
  id,
  version_id,
  scenario,
  expected_behaviors,
  personas,
  mock_tools,
}: TestFile): string {
  const front = {
    name,
    ...(id !== undefined && { id, version_id }),
    ...(personas.length > 0 && { personas }),
    ...(mock_tools.length > 0 && { mock_tools }),
  };
  const told = linesOf(scenario).map((line) => (HEADING_IN_TEXT.test(line) ? `\\${line}` : line));
  const items = expected_behaviors.map((behavior) => `- ${linesOf(behavior).join("\n  ")}`);
  return `---\n${stringify(front, { lineWidth: 0 })}---\n\n## Scenario\n\n${told.join("\n")}\n\n## Expected behaviors\n\n${items.join("\n")}\n`;
}

/** Reads a file's text; throws a `FileFault` that says what to mend. What it holds is not checked beyond its form. */
export function readTestFile(text: string): TestFile {
  const { front, body } = FRONT.exec(text)?.groups ?? {};
  if (front === undefined || body === undefined)
    throw new FileFault("begins with no front matter: write `---`, a line `name: …`, and `---`");
  const { name, id, version_id, personas = [], mock_tools = [] } = readFront(front);
  if (typeof name !== "string") throw new FileFault("has no `name` in its front matter");
  const isNew = id === undefined && version_id === undefined;
  if (!isNew && (typeof id !== "string" || typeof version_id !== "string"))
    throw new FileFault("has only one of `id` and `version_id`: keep both as they were pulled, or none for a new test");
  return {
    name,
    ...(!isNew && { id: id as string, version_id: version_id as string }),
    ...readBody(body),
    personas: personas as string[],
    mock_tools: mock_tools as TestFile["mock_tools"],
  };
}

/** The same text with other ids in its front matter; all else stays as it was written, comments too. */
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
  if (error) throw new FileFault(`has front matter that is no YAML: ${error.message.split("\n")[0]}`);
  let front: unknown;
  try {
    front = document.toJS({ maxAliasCount: 0 });
  } catch {
    throw new FileFault("has front matter with aliases, which are not read: write the values out");
  }
  if (front === null || typeof front !== "object" || Array.isArray(front))
    throw new FileFault("has front matter without a `name`");
  const unknown = Object.keys(front).find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    throw new FileFault(`has "${unknown}" in its front matter, which takes ${KEYS.join(", ")}`);
  return front as Record<string, unknown>;
}

function readBody(body: string): Pick<TestFile, "scenario" | "expected_behaviors"> {
  const sections = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of linesOf(body)) {
    const section = HEADING.exec(line)?.groups!.section!.toLowerCase();
    if (section !== undefined) {
      if (sections.has(section)) throw new FileFault(`has two sections \`${line.trim()}\``);
      sections.set(section, (current = []));
    } else if (current !== undefined) current.push(line);
    else if (line.trim() !== "")
      throw new FileFault("has text before its first section; it belongs under `## Scenario`");
  }
  const [scenario, behaviors] = [sections.get("scenario"), sections.get("expected behaviors")];
  if (!scenario) throw new FileFault("has no section `## Scenario`");
  if (!behaviors) throw new FileFault("has no section `## Expected behaviors`");
  const told = scenario.map((line) => (line.startsWith("\\") && HEADING_IN_TEXT.test(line) ? line.slice(1) : line));
  return { scenario: told.join("\n").trim(), expected_behaviors: readItems(behaviors) };
}

function readItems(lines: readonly string[]): string[] {
  const items: string[][] = [];
  for (const line of lines) {
    if (/^[-*] /.test(line)) items.push([line.slice(2)]);
    else if (line.trim() === "" || (items.length > 0 && line.startsWith("  "))) items.at(-1)?.push(line.slice(2));
    else
      throw new FileFault(
        `has a line under \`## Expected behaviors\` that is no item: write \`- ${line.trim().slice(0, 40)}\``,
      );
  }
  return items.map((item) => item.join("\n").trim());
}

const linesOf = (text: string): string[] => text.split(/\r?\n/);
