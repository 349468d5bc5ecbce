import { expect, test } from "vitest";
import { outcomeOf, verdictsOf, withBoldMatches, wordsOf } from "../../packages/cli/src/traces/row-texts.ts";

const none = { reportedOutcome: null, preview: null, previewRole: null, searchMatch: null };
const outcome = { successful: false, ending: "user_hangup", summary: "Asked for a table." };

test("a row says what the platform reports, and - when it reports nothing", () => {
  expect(outcomeOf({ reportedOutcome: outcome })).toBe("not successful, user_hangup");
  expect(outcomeOf({ reportedOutcome: { ...outcome, successful: null } })).toBe("user_hangup");
  expect(outcomeOf({ reportedOutcome: { successful: null, ending: null, summary: "A call." } })).toBe("-");
  expect(outcomeOf(none)).toBe("-");
});

test("a row of the list of conversations has the numbers of its verdicts, and `-` without a verdict", () => {
  expect(verdictsOf({ verdicts: { passed: 3, failed: 1, undecided: 2 } })).toBe("+3 -1 ?2");
  expect(verdictsOf({ verdicts: { passed: 0, failed: 1, undecided: 0 } })).toBe("-1");
  expect(verdictsOf({ verdicts: null })).toBe("-");
});

test("a row has the match of a search, else the platform's summary, else the first words", () => {
  const spoken = { ...none, preview: "Hello?", previewRole: "user" as const };
  const searchMatch = { in: "turns" as const, text: "a table for two", start: 2, end: 7 };
  expect(wordsOf({ ...spoken, reportedOutcome: outcome, searchMatch })).toBe("a table for two");
  expect(wordsOf({ ...spoken, reportedOutcome: outcome })).toBe("Asked for a table.");
  expect(wordsOf(spoken)).toBe("Hello?");
  expect(wordsOf({ ...spoken, previewRole: "agent" })).toBe("(agent) Hello?");
  expect(wordsOf(none)).toBe("?");
});

test("the match of a search is bold in its row, and only there", () => {
  const searchMatch = { in: "turns" as const, text: "a table for two", start: 2, end: 7 };
  const table = "WORDS\na table for two\nno table";
  const bold = withBoldMatches(table, [{ searchMatch }, { searchMatch: null }], (text) => `<${text}>`);
  expect(bold).toBe("WORDS\na <table> for two\nno table");
});
