import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { formsDocument } from "../../packages/server/src/grading/checks/document.ts";
import { FORMS, parseCheck } from "../../packages/server/src/grading/checks/table.ts";
import { readBehavior } from "../../packages/server/src/grading/read-behavior.ts";
import { sentenceReadings } from "../support/sentence-readings.ts";

const plain = (markdown: string) => markdown.replace(/-{3,}/g, "---").replace(/\s+/g, " ");

describe("docs/behaviors.md", () => {
  test("docs/behaviors.md has the table of forms; `npm run behaviors` writes it", () => {
    expect(plain(readFileSync("docs/behaviors.md", "utf8"))).toContain(plain(formsDocument()));
  });
});

describe("the table of forms", () => {
  const examples = FORMS.flatMap(({ name, examples }) => examples.map((example) => [example, name] as const));

  test.each(examples)("the table of forms reads its example %j as %s", (example, name) => {
    expect(parseCheck(example)?.form).toBe(name);
    expect(parseCheck(`The agent ${example}.`)?.form).toBe(name);
  });

  test.each(examples)("the table of forms says %j in a sentence that ends with a full stop", (example) => {
    expect(readBehavior(example, false)).toMatchObject({
      behavior: example,
      decidedBy: "check",
      reading: expect.stringMatching(/^[A-Z][^]*\.$/),
      suggestion: null,
      problem: null,
    });
  });

  test.each(examples)("the table of forms gives no form to %j with a condition", (example) => {
    for (const more of [" unless the caller agrees", " or not", " before lunch please", ", politely", " if asked"])
      expect(readBehavior(example + more, true).decidedBy, example + more).toBe("judge");
  });
});

describe("a sentence", () => {
  test.each([
    ["The agent should never say “refund”", 'The agent never says "refund".'],
    ["assistant must not invoke 'refund' under any circumstances", "The agent never calls `refund`."],
    ["hangs up", "The agent ends the call."],
    ["The bot will not hang up", "The agent never ends the call."],
    ["replies in under 2 seconds", "The agent answers every turn of the caller in less than 2000 ms."],
    ["calls search no more than twice", "The agent calls `search` at most twice."],
    ["calls the book_room tool with guests: 2", "The agent calls `book_room` with guests = 2."],
    ["should escalate to a human", "The agent transfers the call to a person."],
    ["never calls refund with amount=100", "The agent never calls `refund` with amount = 100."],
    [
      "calls find_hotel with city=New York, guests=2",
      "The agent calls `find_hotel` with city = New York and guests = 2.",
    ],
    ["calls dial with phone=+1 415 555 0188", "The agent calls `dial` with phone = +1 415 555 0188."],
    ["reads back 'Ana Silva'", 'The agent says "Ana Silva" back to the caller.'],
  ])("%j is understood as %j", (sentence, reading) => {
    expect(readBehavior(sentence, false).reading).toBe(reading);
  });

  test.each([
    "never calls refund with amount=100 unless verified",
    "never calls refund with amount=100 or amount=200",
    "calls create_order with customer=Smith and Sons and quantity=4",
    "calls book_table with guests=2 before the caller agrees",
    "does not have to call refund",
    "never fails to call log_interaction",
    "must always say hello",
    "may call refund",
    "uses slang",
    "calls search once or twice",
    "asks for the date of birth",
    "says 'tis the season",
  ])("%j belongs to the judge", (sentence) => {
    expect(readBehavior(sentence, true)).toMatchObject({ decidedBy: "judge", form: null, problem: null });
    expect(readBehavior(sentence, false).decidedBy).toBe("nobody");
  });

  test.each([
    'says "240',
    "says /a(/",
    "says /abc",
    'never says "x" or "y',
    'repeats back "Ana',
    'calls t with a="b',
    "calls t with a=/(/",
  ])("%j is broken, and the problem says how to correct it", (sentence) => {
    expect(readBehavior(sentence, true)).toMatchObject({ decidedBy: "nobody", problem: expect.any(String) });
  });

  test.each([
    ["calls lookup_reservation before quoting any price", "calls verify_identity before charge_card"],
    ["says hello", 'says "hello" in its first turn'],
    ["hangs up once the caller agrees", "hangs up"],
    ["p90 latency is low", "p95 latency is under 2000 ms"],
    ["is friendly", null],
  ])("%j gets the suggestion %j", (sentence, suggestion) => {
    expect(readBehavior(sentence, true).suggestion).toBe(suggestion);
  });
});

describe("the sentences that testers wrote", () => {
  test("the sentences that testers wrote are read as in the golden file; `npm run bench -- sentences --write` writes it", () => {
    expect(sentenceReadings()).toEqual(JSON.parse(readFileSync("test/grading/sentences.golden.json", "utf8")));
  });
});
