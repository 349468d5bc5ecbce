import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSameContent } from "../../packages/cli/src/test-files/content-changes.ts";
import { fileNameOf } from "../../packages/cli/src/test-files/folder.ts";
import {
  readTestFile,
  type TestDocument,
  withoutIds,
  writeTestFile,
} from "../../packages/cli/src/test-files/test-file.ts";

const MARKS = [
  "\n",
  "\n\n",
  "- ",
  "## Scenario",
  "## Expected behaviors",
  "\\## Scenario",
  "---",
  "  ",
  "#",
  ": ",
  "'",
  '"',
  "{",
  "\t",
  "*",
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...MARKS), fc.string({ maxLength: 6 })), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join("").trim() || "x");
const tests: fc.Arbitrary<TestDocument> = fc.record({
  name: text,
  suite: text,
  tags: fc.array(fc.constantFrom("smoke", "nightly", "1"), { minLength: 1, maxLength: 2 }),
  agent: text,
  iterations: fc.integer({ min: 1, max: 20 }),
  require: fc.constantFrom("4/5", "80%"),
  scenario: text,
  expected_behaviors: fc.array(text, { minLength: 1, maxLength: 4 }),
  personas: fc.array(text, { maxLength: 2 }),
  mock_tools: fc.array(
    fc.record(
      { tool: text, answer: fc.jsonValue() as fc.Arbitrary<never>, delay_ms: fc.nat(30_000), succeeds_when: text },
      { requiredKeys: ["tool", "answer", "delay_ms"] },
    ),
    { maxLength: 2 },
  ),
});

describe("a test's file", () => {
  test("a test's file can represent every test, with any line ends, and the removal of former ids leaves the rest unchanged", () => {
    fc.assert(
      fc.property(tests, fc.constantFrom("\n", "\r\n"), (document, lineEnd) => {
        const file = writeTestFile(document).replaceAll(/\r?\n/g, lineEnd);
        const read = readTestFile(file);
        expect(isSameContent(read, document)).toBe(true);
        expect(read).toMatchObject({ iterations: document.iterations, require: document.require, tags: document.tags });
        const former = file.replace(/^---\r?\n/, `---${lineEnd}id: tst_1${lineEnd}version_id: tstv_1${lineEnd}`);
        expect(readTestFile(former)).toEqual({ ...read, id: "tst_1", version_id: "tstv_1" });
        expect(withoutIds(former)).toBe(file);
      }),
    );
  });

  test("a test's file may be written by hand, and keeps its comments", () => {
    const file = `---
# Fridays are busy.
name: Books a room
mock_tools:
  - tool: book_room
    answer: { code: GH-4207 } # as the hotel sends it
---

## Scenario

Ana calls.

Caller says:
- Two nights, please.

## Expected behaviors

- calls book_room with nights=2
* repeats back
  the price
`;
    expect(readTestFile(file)).toEqual({
      name: "Books a room",
      scenario: "Ana calls.\n\nCaller says:\n- Two nights, please.",
      expected_behaviors: ["calls book_room with nights=2", "repeats back\nthe price"],
      personas: [],
      mock_tools: [{ tool: "book_room", answer: { code: "GH-4207" } }],
    });
  });

  test("a test's file gets a unique file name from the name of the test", () => {
    expect(fileNameOf("Books a Room — für 2!", new Set(["books-a-room-fur-2.md"]))).toBe("books-a-room-fur-2-2.md");
    expect(fileNameOf("../../etc", new Set())).toBe("etc.md");
    expect(fileNameOf("…", new Set())).toBe("test.md");
  });
});
