import type { Answer, Input, Operations } from "@svc/contract";
import { didYouMean, isKeptNumber, nearest } from "@svc/contract/constants";
import { type Document, isMap, isNode, LineCounter, parseDocument, stringify, visit, type YAMLError } from "yaml";

type Test = Answer<Operations["tests"]["get"]>;
type NewTest = Input<Operations["tests"]["create"]>;

/**
 * A push does not change the tags of a test when the file has no `tags`. A file without `personas` or `mock_tools` makes these
 * lists empty.
 */
export type TestDocument = {
  name: string;
  suite?: string;
  tags?: string[];
  /** The service does not store `agent`, `iterations` and `require`, because only runs of the file use them. */
  agent?: string;
  iterations?: number;
  /** Share of the iterations that must pass, in the form that `--require` accepts. */
  require?: string;
  scenario: string;
  expected_behaviors: string[];
  personas: string[];
  mock_tools: NonNullable<NewTest["mock_tools"]>;
  /** Ids in files of the former format. A push or a pull removes them from the file. */
  id?: string;
  version_id?: string;
};

export class InvalidFile extends Error {
  readonly line: number;

  constructor(message: string, line = 1) {
    super(message);
    this.line = line;
  }
}

const OWN_KEYS = ["name", "suite", "tags", "agent", "iterations", "require", "personas", "mock_tools"];
const FORMER_KEYS = ["id", "version_id"];
const DECIMAL = /^[-+]?(?:\d|\.\d)[\d.eE+-]*$/;
const FRONT = /^---[ \t]*\r?\n(?<front>(?:[^]*?\r?\n)?)---[ \t]*(?:\r?\n|$)(?<body>[^]*)$/;
const FORMER_LINE = /^(?:id|version_id):.*\r?\n/gm;
const HEADING = /^## +(?<section>scenario|expected behaviors)\s*$/i;
/** Matches a heading for the caller's lines or facts. The parser moves the lines below it to the scenario. */
const CALLER_HEADING = /^## +(?:caller says:?|facts:?)\s*$/i;
/** Matches a line of a scenario that looks like the heading of a section. In the file, such a line begins with a backslash. */
const HEADING_IN_TEXT = /^\\*## +(?:scenario|expected behaviors)\s*$/i;

export const testDocumentOf = (test: Test): TestDocument => ({
  name: test.name,
  scenario: test.scenario,
  expected_behaviors: test.expected_behaviors,
  personas: test.personas,
  mock_tools: withoutNoDelay(test.mock_tools),
});

/** Leaves out the delay of mock tools that answer at once, because that is the default of a file. */
export const withoutNoDelay = (mocks: Test["mock_tools"]): TestDocument["mock_tools"] =>
  mocks.map(({ delay_ms, ...mock }) => (delay_ms === 0 ? mock : { ...mock, delay_ms }));

/** Returns the file of a drafted test. The comment `origin` in it says where the test comes from. */
export function writeDraftFile(test: TestDocument, origin: string): string {
  // A line break in a name, for example in that of a model, would end the comment.
  return writeTestFile(test).replace("---\n", (front) => `${front}# ${origin.replaceAll(/\s+/g, " ")}\n`);
}

export function writeTestFile(test: TestDocument): string {
  const { name, suite, tags = [], agent, iterations, require, personas, mock_tools } = test;
  const front = {
    name,
    ...(suite !== undefined && { suite }),
    ...(tags.length > 0 && { tags }),
    ...(agent !== undefined && { agent }),
    ...(iterations !== undefined && { iterations }),
    ...(require !== undefined && { require }),
    ...(personas.length > 0 && { personas }),
    ...(mock_tools.length > 0 && { mock_tools }),
  };
  const lines = linesOf(test.scenario).map((line) => (HEADING_IN_TEXT.test(line) ? `\\${line}` : line));
  const items = test.expected_behaviors.map((behavior) => `- ${linesOf(behavior).join("\n  ")}`);
  return `---\n${stringify(front, { lineWidth: 0 })}---\n\n## Scenario\n\n${lines.join("\n")}\n\n## Expected behaviors\n\n${items.join("\n")}\n`;
}

/**
 * Throws an `InvalidFile` with the correction and the line. Checks only the form of the file; except for `name`, values in the
 * front matter may have wrong types.
 */
export function readTestFile(text: string): TestDocument {
  const { front, body, bodyLine } = partsOf(text);
  const { name, personas = [], mock_tools = [], ...others } = readFront(front);
  if (typeof name !== "string") {
    throw name === undefined
      ? new InvalidFile("has no `name` in its front matter")
      : new InvalidFile("has a `name` that is not text: write it in quotes", lineOf(text, ["name"]));
  }
  if ("id" in others !== "version_id" in others)
    throw new InvalidFile(
      "has only one of `id` and `version_id`: remove it",
      lineOf(text, ["id" in others ? "id" : "version_id"]),
    );
  const { scenario, behaviors } = readBody(body, bodyLine);
  return {
    name,
    ...others,
    scenario: scenario.text,
    expected_behaviors: behaviors.items.map((item) => item.text),
    personas: personas as string[],
    mock_tools: mock_tools as TestDocument["mock_tools"],
  };
}

/**
 * The path of a member is, for example, `["mock_tools", 1, "answer"]`. For a member that the file lacks, returns the line of the
 * nearest enclosing member.
 */
export function lineOf(text: string, path: readonly PropertyKey[]): number {
  const { front, body, bodyLine } = partsOf(text);
  const [member, index] = path;
  if (member === "scenario" || member === "expected_behaviors") {
    const { scenario, behaviors } = readBody(body, bodyLine);
    return member === "scenario" ? scenario.line : (behaviors.items[Number(index)]?.line ?? behaviors.line);
  }
  const { document, lineAt } = parsed(front);
  for (let length = path.length; length > 0; length--) {
    const at = offsetOf(document, path.slice(0, length) as (string | number)[]);
    if (at !== undefined) return lineAt(at);
  }
  return 1;
}

/** Returns the text without the ids of the former format. Changes nothing else, not even comments or line ends. */
export function withoutIds(text: string): string {
  const { front } = FRONT.exec(text)?.groups ?? {};
  return front === undefined ? text : text.replace(front, () => front.replaceAll(FORMER_LINE, ""));
}

export const withLineEndsOf = (earlier: string, text: string): string =>
  earlier.includes("\r\n") ? text.replaceAll(/\r?\n/g, "\r\n") : text;

type Parts = { front: string; body: string; bodyLine: number };

function partsOf(text: string): Parts {
  const { front, body } = FRONT.exec(text)?.groups ?? {};
  if (front === undefined || body === undefined)
    throw new InvalidFile("has no front matter: begin with `---`, a line `name: …`, and `---`");
  return { front, body, bodyLine: linesOf(text.slice(0, text.length - body.length)).length };
}

/** `lineAt` converts an offset in the front matter to a line number of the file. */
function parsed(front: string) {
  const lineCounter = new LineCounter();
  const document = parseDocument(front, { lineCounter, prettyErrors: false });
  // The added line is the `---` before the front matter.
  return { document, lineAt: (offset: number) => lineCounter.linePos(offset).line + 1 };
}

function offsetOf(document: Document.Parsed, path: (string | number)[]): number | undefined {
  const last = path.at(-1)!;
  const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => isNode(key) && key.toJSON() === last) : undefined;
  const node: unknown = pair?.key ?? document.getIn(path, true);
  return isNode(node) ? node.range?.[0] : undefined;
}

const YAML_FAULTS: Record<string, string> = {
  BAD_INDENT: "its indentation differs from the lines beside it: begin them with the same number of spaces",
  BAD_SCALAR_START: "a text begins with a sign of YAML: write the text in quotes",
  BLOCK_AS_IMPLICIT_KEY: 'a text has a colon: write the text in quotes, such as `name: "Room: books one"`',
  DUPLICATE_KEY: "a name occurs twice: remove one of them",
  MISSING_CHAR: "a quote or a bracket is not closed: close it",
  TAB_AS_INDENT: "a tab begins a line: write spaces in its place",
};

function yamlFault({ code, message }: YAMLError): string {
  if (code === "BAD_INDENT" && message.startsWith("Flow")) return "a [ or { is not closed: close it with ] or }";
  return YAML_FAULTS[code] ?? "this line cannot be read: write its texts in quotes";
}

function readFront(text: string): Record<string, unknown> {
  const { document, lineAt } = parsed(text);
  const [error] = document.errors;
  if (error)
    throw new InvalidFile(
      `has front matter that is not YAML: ${yamlFault(error)}`,
      lineAt(Math.min(error.pos[0], text.trimEnd().length)),
    );
  visit(document, {
    Scalar(_, { value, source, range }) {
      if (typeof value === "number" && source !== undefined && DECIMAL.test(source) && !isKeptNumber(source)) {
        const message = `has the number ${source}, which programs that read JSON change: write it in quotes`;
        throw new InvalidFile(message, lineAt(range?.[0] ?? 0));
      }
    },
    Alias(_, { range }) {
      throw new InvalidFile("has front matter with aliases: write their values instead", lineAt(range?.[0] ?? 0));
    },
  });
  const front: unknown = document.toJS({ maxAliasCount: 0 });
  if (front === null || typeof front !== "object" || Array.isArray(front))
    throw new InvalidFile("has front matter without a `name`");
  const unknown = Object.keys(front).find((key) => ![...OWN_KEYS, ...FORMER_KEYS].includes(key));
  if (unknown === undefined) return front as Record<string, unknown>;
  const advice = didYouMean(unknown, OWN_KEYS) || ` Use only ${OWN_KEYS.join(", ")}.`;
  throw new InvalidFile(`has "${unknown}" in its front matter.${advice}`, lineAt(offsetOf(document, [unknown]) ?? 0));
}

const SECTIONS = ["Scenario", "Expected behaviors"];

/** Throws for the first heading that is nearly the heading of a section. */
function refuseMisspelt(body: string, firstLine: number): void {
  for (const [at, text] of linesOf(body).entries()) {
    const heading = /^#{1,6} *(?<name>\S.*?):?\s*$/.exec(text)?.groups!.name;
    const meant = heading === undefined || HEADING.test(text) ? undefined : nearest(heading, SECTIONS);
    if (meant !== undefined)
      throw new InvalidFile(`has the heading \`${text.trim()}\`. Write \`## ${meant}\``, firstLine + at);
  }
}

type Section = { line: number; lines: { text: string; line: number }[] };
type Body = {
  scenario: { text: string; line: number };
  behaviors: { line: number; items: { text: string; line: number }[] };
};

/** `firstLine` is the number of the body's first line in the file. */
function readBody(body: string, firstLine: number): Body {
  const sections = new Map<string, Section>();
  const callerLines: string[] = [];
  let current: Section | undefined;
  let isCaller = false;
  for (const [at, text] of linesOf(body).entries()) {
    const line = firstLine + at;
    const section = HEADING.exec(text)?.groups!.section!.toLowerCase();
    if (section !== undefined) {
      if (sections.has(section)) throw new InvalidFile(`has two sections \`${text.trim()}\``, line);
      sections.set(section, (current = { line, lines: [] }));
      isCaller = false;
    } else if (CALLER_HEADING.test(text) && current !== undefined && current !== sections.get("scenario")) {
      callerLines.push("", text);
      isCaller = true;
    } else if (isCaller) callerLines.push(text);
    else if (current !== undefined) current.lines.push({ text, line });
    else if (text.trim() !== "") {
      refuseMisspelt(body, firstLine);
      throw new InvalidFile("has text before its first section: move it below `## Scenario`", line);
    }
  }
  const [scenario, behaviors] = [sections.get("scenario"), sections.get("expected behaviors")];
  if (!scenario || !behaviors) refuseMisspelt(body, firstLine);
  if (!scenario) throw new InvalidFile("has no section `## Scenario`", firstLine);
  if (!behaviors) throw new InvalidFile("has no section `## Expected behaviors`", firstLine);
  const unescaped = (line: string) => (line.startsWith("\\") && HEADING_IN_TEXT.test(line) ? line.slice(1) : line);
  const text = [scenario.lines.map((one) => one.text), callerLines].map((lines) =>
    lines.map(unescaped).join("\n").trim(),
  );
  return {
    scenario: { line: scenario.line, text: text.join("\n\n").trim() },
    behaviors: { line: behaviors.line, items: readItems(behaviors) },
  };
}

function readItems({ line: heading, lines }: Section): { text: string; line: number }[] {
  const items: { texts: string[]; line: number }[] = [];
  for (const { text, line } of lines) {
    if (/^[-*] /.test(text)) items.push({ texts: [text.slice(2)], line });
    else if (text.trim() === "" || (items.length > 0 && text.startsWith("  "))) items.at(-1)?.texts.push(text.slice(2));
    else {
      const advice = `write \`- ${text.trim().slice(0, 40)}\``;
      throw new InvalidFile(`has a line below \`## Expected behaviors\` that is not a list item: ${advice}`, line);
    }
  }
  if (items.length === 0)
    throw new InvalidFile(
      "has no behavior below `## Expected behaviors`: write one, such as `- says /booked/i`",
      heading,
    );
  return items.map(({ texts, line }) => ({ text: texts.join("\n").trim(), line }));
}

const linesOf = (text: string): string[] => text.split(/\r?\n/);
