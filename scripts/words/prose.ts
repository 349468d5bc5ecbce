// Takes the prose out of a file: comments, Markdown text, the text of elements, and the strings that people read. A parser finds the syntactic
// place of each string; the place decides whether the string is prose (a message, a description, a title) or data (a
// transcript, a persona's speech, an expected behavior, a fixture).
import { type ESTree, parseSync } from "rolldown/utils";

/** A piece of prose. Its line breaks are those of the file, so that a place in the text gives a line. */
export type Prose = { line: number; text: string };

/** Functions whose first argument is a spec's title. */
const TITLED = new Set(["describe", "test", "it"]);
/** Objects whose methods write log lines and terminal output. */
const WRITERS = new Set(["console", "log", "logger", "stdout", "stderr"]);
const WRITING_METHODS = new Set(["log", "logToStderr", "warn", "error", "describe", "raise"]);
/** Properties that people read. In specs they are test input, and only packages and scripts are searched for them. */
const READ_BY_PEOPLE = new Set(
  "description summary message messages hint help mend reason note usage error detail details warning warnings".split(
    " ",
  ),
);
/** Properties of a test or a persona: speech and scenarios. */
const PLAYED = new Set(["personality", "scenario", "expected_behaviors", "says"]);
/** Files whose strings a language model reads: a change of a word changes verdicts and callers. */
const PROMPTS = /(^|[/-])(prompt|brief)\.ts$/;
/** Nodes that do not change the syntactic place of the strings within them. */
const TRANSPARENT = new Set([
  "ArrayExpression",
  "BinaryExpression",
  "ConditionalExpression",
  "LogicalExpression",
  "ParenthesizedExpression",
  "TSAsExpression",
  "TSSatisfiesExpression",
]);

export function proseOf(path: string, source: string): Prose[] {
  if (path.endsWith(".md")) return markdown(source);
  if (path.endsWith(".sql")) return sqlComments(source);
  if (path.endsWith(".css")) return cssComments(source);
  return script(path, source);
}

/** Markdown with front matter is a test file of the product: its sentences are data. */
function markdown(source: string): Prose[] {
  return source.startsWith("---\n") ? [] : [{ line: 1, text: source }];
}

function sqlComments(source: string): Prose[] {
  const comments: Comment[] = [];
  for (let at = 0; at < source.length; at++) {
    if (source[at] === "'") {
      at = source.indexOf("'", at + 1);
    } else if (source.startsWith("--", at)) {
      const end = endOfLine(source, at);
      comments.push({ type: "Line", value: source.slice(at + 2, end), start: at, end });
      at = end;
    }
  }
  return joined(comments, source);
}

function cssComments(source: string): Prose[] {
  return [...source.matchAll(/\/\*([\s\S]*?)\*\//g)].map(({ index, 1: text = "" }) => ({
    line: lineAt(source, index),
    text,
  }));
}

function script(path: string, source: string): Prose[] {
  const { program, comments, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  const strings: Prose[] = [];
  const anySentence = !path.startsWith("test/") && !PROMPTS.test(path);
  visit(program as unknown as Node, [], (node, ancestors) => {
    if (anySentence && (node.type === "JSXElement" || node.type === "JSXFragment")) {
      const text = shownTextOf(node, source);
      if (text !== null) strings.push(text);
    }
    const text = textOf(node);
    if (text !== null && isReadByPeople(node, ancestors, text, anySentence))
      strings.push({ line: lineAt(source, node.start), text });
  });
  return [...joined(comments, source), ...strings].toSorted((a, b) => a.line - b.line);
}

type Comment = { type: "Line" | "Block"; value: string; start: number; end: number };

/** Joins the line comments of consecutive lines to one piece, and removes the stars of block comments. */
function joined(comments: Comment[], source: string): Prose[] {
  const pieces: (Prose & { lastLine: number; alone: boolean })[] = [];
  for (const { type, value, start, end } of comments) {
    const line = lineAt(source, start);
    const alone = source.slice(source.lastIndexOf("\n", start - 1) + 1, start).trim() === "";
    const before = pieces.at(-1);
    if (type === "Line" && alone && before?.alone && before.lastLine === line - 1) {
      before.text += `\n${value}`;
      before.lastLine = line;
    } else {
      const text = type === "Line" ? value : value.replaceAll(/^[ \t]*\*+/gm, "");
      pieces.push({ line, text, lastLine: lineAt(source, end), alone: alone && type === "Line" });
    }
  }
  return pieces.map(({ line, text }) => ({ line, text }));
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

function visit(node: Node, ancestors: Node[], see: (node: Node, ancestors: Node[]) => void): void {
  see(node, ancestors);
  const within = [...ancestors, node];
  for (const child of Object.values(node).flat()) {
    if (typeof child === "object" && child !== null && typeof (child as Node).type === "string")
      visit(child as Node, within, see);
  }
}

function textOf(node: Node): string | null {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral") return null;
  const { quasis } = node as unknown as ESTree.TemplateLiteral;
  return quasis.map((quasi) => quasi.value.cooked ?? "").join("‹value›");
}

/**
 * Returns the text of an element on the page; an expression or an element inside counts as one word. A text that starts with
 * a small letter continues the sentence of the element around it.
 */
function shownTextOf(node: Node, source: string): Prose | null {
  const children = node.children as Node[];
  if (!children.some(({ type, value }) => type === "JSXText" && /\w/.test(value as string))) return null;
  const texts = children.map((child) => {
    const text = source.slice(child.start, child.end);
    return child.type === "JSXText" ? text : `‹value›${text.replaceAll(/[^\n]/g, "")}`;
  });
  const text = texts.join("");
  return { line: lineAt(source, children[0]!.start), text: /^\s*\p{Ll}/u.test(text) ? `‹value› ${text}` : text };
}

function isReadByPeople(node: Node, ancestors: Node[], text: string, anySentence: boolean): boolean {
  const at = ancestors.findLastIndex(({ type }) => !TRANSPARENT.has(type));
  const place = ancestors[at];
  const inside = ancestors[at + 1] ?? node;
  if (place === undefined || !text.includes(" ") || place.type === "TaggedTemplateExpression") return false;
  if (place.type === "NewExpression") return /(Error|Refusal)$/.test(lastName(place.callee as Node));
  if (place.type === "CallExpression") {
    const names = namesOf(place.callee as Node);
    const isTable = ["each", "for"].includes(lastName(place.callee as Node));
    if (TITLED.has(names[0] ?? "")) return !isTable && (place.arguments as Node[])[0] === inside;
    if (names.some((name) => WRITERS.has(name))) return true;
    if (names.includes("expect")) return (place.arguments as Node[])[1] === inside;
    if (names.length > 1 && WRITING_METHODS.has(names.at(-1) ?? "")) return true;
  }
  if (!anySentence) return false;
  if (place.type !== "Property" && place.type !== "PropertyDefinition") return isSentence(text);
  const key = keyOf(place);
  return READ_BY_PEOPLE.has(key) || (isSentence(text) && !PLAYED.has(key));
}

/**
 * Returns whether a string is a sentence in any place: it has four words, starts with a capital or a value, and ends
 * with a full stop.
 */
function isSentence(text: string): boolean {
  return /^[A-Z‹"`]/.test(text) && /[.!?:]$/.test(text.trimEnd()) && text.trim().split(/\s+/).length >= 4;
}

const keyOf = ({ key }: Node): string => {
  const { name, value } = key as { name?: string; value?: unknown };
  return name ?? (typeof value === "string" ? value : "");
};

/** Returns the names in a callee: `test.each(table)` gives test, each. */
function namesOf(callee: Node): string[] {
  if (callee.type === "Identifier") return [callee.name as string];
  if (callee.type === "MemberExpression") return [...namesOf(callee.object as Node), lastName(callee)];
  if (callee.type === "CallExpression") return namesOf(callee.callee as Node);
  return callee.type === "ThisExpression" ? ["this"] : [];
}

const lastName = (node: Node): string =>
  ((node.type === "MemberExpression" ? (node.property as Node).name : node.name) as string | undefined) ?? "";

const lineAt = (source: string, offset: number): number => source.slice(0, offset).split("\n").length;

const endOfLine = (source: string, from: number): number => {
  const end = source.indexOf("\n", from);
  return end === -1 ? source.length : end;
};
