import { SvcError } from "@svc/sdk";
import { describe, expect, test } from "vitest";
import {
  changedFields,
  makesVersion,
  type TestContent,
  testErrorsOf,
} from "../../packages/web/src/test-definitions/test-content.ts";
import { matchingTests } from "../../packages/web/src/test-definitions/tests.tsx";

const base: TestContent = {
  name: "Books a room",
  scenario: "Ana calls.",
  behaviors: ["calls book_room", "ends the call"],
  personas: [],
  mockTools: [{ tool: "book_room", answer: { code: 1, ok: true }, delay_ms: 0 }],
};

describe("an edit of a test", () => {
  test("an edit of a test sends only the fields that changed", () => {
    expect(changedFields(base, { ...base, scenario: "Ben calls.", personas: ["calm"] })).toEqual({
      scenario: "Ben calls.",
      personas: ["calm"],
    });
  });

  test("an edit of a test changes nothing when only blanks, empty behaviors or the order of JSON members differ", () => {
    const same = {
      ...base,
      scenario: " Ana calls.\n",
      behaviors: [...base.behaviors, " "],
      mockTools: [{ delay_ms: 0, answer: { ok: true, code: 1 }, tool: "book_room" }],
    };
    expect(changedFields(base, same)).toBeUndefined();
  });

  test("an edit of a test makes no version when only the name changes", () => {
    expect(makesVersion(base, { ...base, name: "Books two rooms" })).toBe(false);
    expect(makesVersion(base, { ...base, behaviors: ["ends the call"] })).toBe(true);
    expect(makesVersion(base, base)).toBe(false);
  });
});

describe("the service's words about a test", () => {
  const refusal = (issues: { path: string; message: string }[]) =>
    new SvcError({ code: "unprocessable", status: 422, message: "Change the request.", details: { issues } });

  test("the service's words about a test are beside the behavior that the person sees, even after an empty one", () => {
    const error = refusal([{ path: "expected_behaviors.1", message: "The pattern does not close." }]);
    expect(testErrorsOf(error, { behaviors: ["a", "", "says /x"] })).toEqual({
      behaviors: { 2: "The pattern does not close." },
      mockTools: {},
    });
  });

  test("the service's words about a test are beside their fields, and about the form for any other", () => {
    const error = refusal([
      { path: "scenario", message: "At least 1 character." },
      { path: "mock_tools.0.answer", message: "Too deep." },
      { path: "suite", message: "Unknown." },
    ]);
    expect(testErrorsOf(error, base)).toEqual({
      scenario: "At least 1 character.",
      behaviors: {},
      mockTools: { 0: "Too deep." },
    });
    expect(testErrorsOf(refusal([{ path: "suite", message: "Unknown." }]), base).form).toBe("Change the request.");
  });

  test("the service's words about a test are beside the name when another test has it", () => {
    const error = new SvcError({ code: "name_taken", status: 409, message: "Another test has this name." });
    expect(testErrorsOf(error, base).name).toBe("Another test has this name.");
  });
});

test("a search finds tests with every word, in any part and case", () => {
  const tests = [
    { name: "Books a room", scenario: "Ana calls.", expected_behaviors: ["ends the call"] },
    { name: "Cancels", scenario: "Ben calls.", expected_behaviors: ["calls cancel_room"] },
  ];
  expect(matchingTests(tests, "ROOM ben").map(({ name }) => name)).toEqual(["Cancels"]);
  expect(matchingTests(tests, "  ")).toHaveLength(2);
});
