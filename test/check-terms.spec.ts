import { describe, expect, test } from "vitest";
import { findingsIn } from "../scripts/check-terms.ts";

const linesOf = (path: string, source: string) => findingsIn(path, source).map(({ line }) => line);

describe("the check of terms", () => {
  test.each([
    ["a.md", "Fine.\n\nStore it in Postgres.\n", [3]],
    ["a.ts", "const a = 1; // the dialogue of one call\n/**\n * Asks the evaluator.\n */\n", [1, 3]],
    ["a.sql", "SELECT 1;\n-- for Clickhouse\n", [2]],
    ["a.css", "/* of Github */\n", [1]],
  ])("the check of terms finds a wrong word in the prose of %s with its line", (path, source, lines) => {
    expect(linesOf(path, source)).toEqual(lines);
  });

  test.each([
    ["a.md", "PostgreSQL, `postgres`, [a page](https://example.com/openai/postgres)\n\n```sh\npostgres\n```\n"],
    ["a.md", 'The answer "ask the bot" is a quotation.\n'],
    ["a.ts", "const postgres = open(); // on PostgreSQL, by livekit-agents\n"],
  ])("the check of terms passes code, quotations, links and the right words in %s", (path, source) => {
    expect(linesOf(path, source)).toEqual([]);
  });
});
