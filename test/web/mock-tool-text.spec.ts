import { describe, expect, test } from "vitest";
import {
  EMPTY_MOCK_TOOL,
  jsonProblem,
  mockToolDraftOf,
  readMockTool,
} from "../../packages/web/src/mock-tools/mock-tool-text.ts";

const draft = { ...EMPTY_MOCK_TOOL, tool: " book_room " };

describe("the form of a mock tool", () => {
  test("the form of a mock tool reads an answer of any JSON, or an error", () => {
    expect(readMockTool({ ...draft, json: "null", delay: "250" })).toEqual({
      mockTool: { tool: "book_room", answer: null, delayMs: 250 },
    });
    expect(readMockTool({ ...draft, kind: "error", json: "{", error: "closed" })).toEqual({
      mockTool: { tool: "book_room", error: "closed", delayMs: 0 },
    });
  });

  test("the form of a mock tool shows a stored mock tool as it would read it again", () => {
    const stored = { tool: "book_room", answer: { code: [1, null] }, delayMs: 5 };
    for (const each of [stored, { ...stored, succeedsWhen: "code = 1" }])
      expect(readMockTool(mockToolDraftOf(each))).toEqual({ mockTool: each });
  });

  test("the form of a mock tool says where JSON breaks", () => {
    expect(jsonProblem('{\n  "a": 1,\n}')).toBe(
      "This is not valid JSON: Expected double-quoted property name, line 3, column 1.",
    );
    expect(jsonProblem("")).toBe('Write the answer as JSON, such as {"free": true}.');
  });

  test("the form of a mock tool refuses a number that programs change", () => {
    expect(jsonProblem('{"ids": [1, 12345678901234567890]}')).toBe(
      "Programs that read JSON change the number at ids.1. Send it as text, or with fewer digits.",
    );
    expect(jsonProblem('{"id": 1234567}')).toBeUndefined();
  });

  test("the form of a mock tool reports a delay that is no number and broken JSON at the same time", () => {
    expect(readMockTool({ ...draft, json: "[", delay: "soon" })).toMatchObject({
      problems: { delay: "Write a number of milliseconds.", json: expect.stringContaining("not valid JSON") },
    });
  });
});
