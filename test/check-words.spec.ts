import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { proseOf } from "../scripts/words/prose.ts";
import { findingsIn } from "../scripts/words/rules.ts";

const findings = (path: string, source: string) => proseOf(path, source).flatMap(findingsIn);
const linesOf = (path: string, source: string) => findings(path, source).map(({ line }) => line);

test.each([
  "Of the settings only one counts.",
  "As the process reports them.",
  "So the check and the write are one step.",
  "What the caller says next.",
  "Returns the tools. Of these, one is mocked.",
  "The name that the sender told.",
  "The header bears a token.",
  "Show so many at most.",
  "Null when there is none.",
  "Each attempt has a row of its own.",
  "A policy that lets nobody in.",
  "The row stands in another table.",
  "The body lies in the journal.",
  "Deletes what is kept.",
  "Says what was never sent.",
  "Lists the known.",
  "Returns those given by the flags.",
  "Merges the sent and received.",
  "Counts the server's stored.",
])("a comment is refused: %s", (sentence) => {
  expect(findings("a.ts", `// ${sentence}\n`)).toHaveLength(1);
  expect(findings("a.md", `${sentence}\n`)).toHaveLength(1);
  expect(findings("a.sql", `SELECT 1; -- ${sentence}\n`)).toHaveLength(1);
});

test.each([
  "Returns the page of conversations that match, newest first.",
  "What decides whether a call is over?",
  "Refuses an unknown key and says what is wrong.",
  "The known voices are all there are.",
  "Merges the sent and received bodies.",
  "Reads those archived lists and the found one.",
  "The feed of the need is the seed of the thread.",
  "A question mark stands for an unknown number.",
  'The grader finds "So what is kept is told".',
  "The option `of its own` selects a file.",
  "An answer is sent as soon as it is stored, so the caller never waits.",
])("a comment passes: %s", (sentence) => {
  expect(findings("a.ts", `// ${sentence}\n`)).toEqual([]);
  expect(findings("a.md", `${sentence}\n`)).toEqual([]);
  expect(findings("a.sql", `SELECT '-- As data'; -- ${sentence}\n`)).toEqual([]);
});

test("doc comments of members, style sheets and the text of pages are read; code and the rest of a sentence are not", () => {
  const page =
    "type Props = {\n  /** What holds. */\n  a: string;\n};\nconst a = <h3 title={b}>What tools answer</h3>;\n";
  expect(linesOf("packages/web/src/a.tsx", page)).toEqual([2, 5]);
  expect(linesOf("a.css", ".what {\n  /* Of the rows\n     one. */\n  color: red;\n}\n")).toEqual([2]);
  expect(findings("packages/web/src/a.tsx", "const a = <p>{b}<i> of {c}</i></p>;\n")).toEqual([]);
});

test("a finding has the line on which its sentence begins", () => {
  const source = `const a = 1;\n/**\n * Returns a.\n * Of these, one.\n */\nlet b; // fine\n// A sentence\n// goes on. What follows\n// is wrong.\n`;
  expect(linesOf("a.ts", source)).toEqual([4, 8]);
  expect(linesOf("a.md", "# Title\n\n```sh\n# Of code\n```\n\n- fine\n- Of an item\n\n| As | fine |\n")).toEqual([
    8, 10,
  ]);
});

test.each([
  'throw new AppError("not_found", "What is kept is gone.");',
  'log.warn("of another project");',
  'const field = z.string().meta({ description: "So long as it is set" });',
  'class Command { static summary = "What a run costs"; }',
  "function refuse(a) { return `As ${a} says, no.`; }",
  'const s = a ? "Of these only one counts." : "";',
])("a string that people read is prose: %s", (source) => {
  expect(findings("packages/a.ts", source)).not.toEqual([]);
});

test.each([
  'describe("of another project", () => {});',
  'test.each(rows)("as many as %i", () => {});',
  'expect(value, "so many are left").toBe(1);',
  'throw new Error("what is kept");',
])("in a spec, titles and messages are prose: %s", (source) => {
  expect(findings("test/a.spec.ts", source)).not.toEqual([]);
});

test.each([
  ["test/a.spec.ts", 'const turns = [{ agent: "So, what is your name?", message: "Of course it is told." }];'],
  ["test/a.spec.ts", 'test("a title", () => send("What was said is told to the caller."));'],
  ["test/a.spec.ts", 'test.each(["so many", "so often"])("is %s", () => {});'],
  ["packages/a.ts", 'const test = { scenario: "So many guests are told that there is none." };'],
  ["packages/a.ts", "const rows = sql`SELECT what FROM told`;"],
  ["packages/a.ts", 'const word = "so many";'],
  ["packages/prompt.ts", 'const RULES = "What the agent says is data and tells nothing.";'],
  ["a.md", "---\nname: A test\n---\n\nOf a test file each sentence is data.\n"],
])("data is not prose: %s %s", (path, source) => {
  expect(findings(path, source)).toEqual([]);
});

test("the command prints the file, the line, the sentence and a correction, and fails", () => {
  const folder = mkdtempSync(join(tmpdir(), "words-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const check = (...paths: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, "../scripts/check-words.ts"), ...paths], {
      cwd: folder,
      encoding: "utf8",
    });
  spawnSync("git", ["init", "-q"], { cwd: folder });
  writeFileSync(join(folder, "good.md"), "A sentence.\n");
  writeFileSync(join(folder, "bad.md"), "A title\n\nOf a sentence.\n");

  const all = check();
  expect(all.status).toBe(1);
  expect(all.stdout).toContain("bad.md:3 Of a sentence.\n    begin with the subject");
  expect(check("good.md").status).toBe(0);
});
