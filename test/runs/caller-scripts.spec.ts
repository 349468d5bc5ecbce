import { CALLER_CONDITIONS, readCallerScript, turnParts, withCallerWords } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { patternOf } from "../../packages/server/src/grading/pattern/pattern.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";

const line = (text: string | null, more: object = {}) => ({ when: "next", words: null, afterMs: 0, text, ...more });

describe("the lines of a scenario", () => {
  test("the lines of a scenario are `Says:` lines in their order, with waits, and facts", () => {
    const script = readCallerScript(`Ana wants a room.

Says: I would like a room for two.
says (when the agent asks /date|when/): June 9, please.
  In the evening.
- Says (after /booked/, after 2.5 s): "Thank you, goodbye."
Says (when the agent says "one moment (please)"): Sure.
Says (otherwise): I do not know.
Hangs up (after /goodbye/).
Facts: name = Ana Silva; phone = 555-0134

She is in a hurry.`);
    expect(script).toEqual({
      lines: [
        line("I would like a room for two."),
        line("June 9, please. In the evening.", { when: "asked", words: "date|when" }),
        line("Thank you, goodbye.", { words: "booked", afterMs: 2500 }),
        line("Sure.", { when: "heard", words: "one moment \\(please\\)" }),
        line("I do not know.", { when: "otherwise" }),
        line(null, { words: "goodbye" }),
      ],
      facts: [
        { name: "name", value: "Ana Silva" },
        { name: "phone", value: "555-0134" },
      ],
      problems: [],
      situation: "Ana wants a room.\n\n\nShe is in a hurry.".replace("\n\n\n", "\n\n"),
    });
  });

  test("the lines of a scenario may press keys, and a line without keys is a problem", () => {
    const script = readCallerScript(`Says: Hello.
Presses 1 2 #.
The caller presses (after /account number/): 4711 0*
Presses: the red button
The caller presses on with the question.`);
    expect(script).toMatchObject({
      lines: [line("Hello."), line("[presses 12#]"), line("[presses 47110*]", { words: "account number" })],
      problems: [
        expect.stringMatching(/`Presses: the red button` has no keys\. .*`Presses \(after \/press 1\/\): 1 2 #`/),
      ],
      situation: "The caller presses on with the question.",
    });
    expect(turnParts("Fine. [presses 1 2 #] Done [presses x].")).toEqual([
      { kind: "words", text: "Fine." },
      { kind: "keys", keys: "12#" },
      { kind: "words", text: "Done [presses x]." },
    ]);
    const edited = withCallerWords("Says: Hi.\nPresses (after /one/): 1", { facts: ["pin = 12"] });
    expect(edited).toBe("Says: Hi.\nPresses (after /one/): 1\nFacts: pin = 12");
  });

  test("the lines of a scenario may be a list under a heading, with conditions in parentheses", () => {
    const script = readCallerScript(`Bo wants a refund.

Caller says:
1. I want my money back.
2. (wait for: /order number/i) It is A-1234.
   And I am not happy.
3. (silence 2.5s) Hello?
- (when the agent asks /name/) Bo.
4. (sighs) Well.
5. (hang up)

This is no part of it.

Facts:
- order number = A-1234
- address = 4 High Street; flat 2`);
    expect(script).toMatchObject({
      lines: [
        line("I want my money back."),
        line("It is A-1234. And I am not happy.", { words: "order number" }),
        line("Hello?", { afterMs: 2500 }),
        line("Bo.", { when: "asked", words: "name" }),
        line("(sighs) Well."),
        line(null),
      ],
      facts: [
        { name: "order number", value: "A-1234" },
        { name: "address", value: "4 High Street; flat 2" },
      ],
      problems: [],
      situation: "Bo wants a refund.\n\nThis is no part of it.",
    });
  });

  test.each([
    "A caller says nothing at first.",
    "He says (rarely) what he wants",
    "- a list\n- without heading",
    "The facts are clear: he hangs up when he is angry.",
    "Her mother says: she may come.",
  ])("the lines of a scenario are not read from prose: %j", (scenario) => {
    expect(readCallerScript(scenario)).toEqual({ lines: [], facts: [], problems: [], situation: scenario });
  });

  test.each([
    ["Says (after /(/): Yes.", /`Says \(after \/\(\/\): Yes\.` waits for \/\(\/\. The pattern cannot be read/],
    ["Says (after /a(?=b)/): Yes.", /Look-around and other \(\?…\) groups are not supported/],
    ["Says (after /(a)\\1/): Yes.", /\\1 is not supported\. Write the pattern without back references/],
    ["Says (after /a{500}/): Yes.", /at most 100 times/],
    ["Says (after /booked): Yes.", /has a condition that cannot be read\. Write one of \(after \/words\/\), /],
    ["Says (when it rains): Yes.", /has a condition that cannot be read/],
    ["Says (after /a/) Yes.", /has no colon before its words/],
    ["Says:", /has no list below it/],
    ["Says (after /a/):", /has no words\. Write them at its end, or write `Hangs up`/],
    ["Says (after /a/, when the agent asks /b/): Yes.", /has more than one of \(after .*\) and \(when .*\)\. Keep one/],
    ["Says (after 90 s): Yes.", /pauses at most 60 s/],
    ["Caller says:\n- (wait for: /[/) Yes.", /waits for \/\[\/\. The pattern cannot be read/],
    ["Caller says:\n\nnothing listed", /has no list below it/],
    ["Facts: name = Ana Silva, nights = two", /are separated by a comma\. Separate them by a semicolon/],
    ["Facts: Ana Silva", /The fact `Ana Silva` has no name and value\. Write facts such as/],
    ["Facts: name = Ana; Name = Ben", /The fact `Name` is given twice|The fact `name` is given twice/],
  ])("%j is a problem with its fix", (text, problem) => {
    expect(readCallerScript(`Ana calls.\n${text}`).problems).toEqual([expect.stringMatching(problem)]);
  });

  test("the caller's lines are found in any text of a scenario without an error, in a limited time", async () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 400 }),
        fc.constantFrom("Says (", "Says: ", "Caller says:\n- (", "Facts: "),
        (text, start) => {
          readCallerScript(start + text);
          readCallerScript(text);
        },
      ),
    );
    for (const text of [
      "Says (after /" + "a".repeat(20_000),
      "Says (".repeat(3_000),
      "Facts: " + "=;".repeat(9_000),
      "# ".repeat(9_000),
    ])
      expect(await cpuTimeMs(() => readCallerScript(text))).toBeLessThan(1_000);
  });

  test("the lines of a scenario accept only patterns that the service can search for", () => {
    const part = fc.constantFrom(
      "a",
      "(",
      ")",
      "[",
      "]",
      "|",
      "*",
      "+",
      "?",
      "{2}",
      "{,",
      "\\b",
      "\\-",
      "\\1",
      "\\p{L}",
      "^",
      "$",
      "(?:",
      "(?<n>",
      "(?i",
      "-",
      "\\",
      "é",
      "\\x4",
      "\\u{61}",
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
        const source = parts.join("");
        const { lines } = readCallerScript(`Says (after /${source}/): Yes.`);
        if (lines[0]?.words === source) expect(patternOf(source, "i")).not.toHaveProperty("problem");
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(CALLER_CONDITIONS.filter(({ form }) => form !== "hang up"))(
    "the lines of a scenario may have the condition $form",
    ({ example }) => {
      expect(readCallerScript(example)).toMatchObject({ problems: [], lines: [{}], situation: "" });
    },
  );
});

describe("a change of the lines", () => {
  const BEFORE = "Ana calls.\n\nCaller says:\n- Hello.\n- (wait for: /date/) June 9.\n- (hang up)\n\nFacts: name = Ana";

  test("a change of the lines replaces the lines or the facts and keeps the rest", () => {
    const after = withCallerWords(BEFORE, { says: ["(after /hi/) Good day.", "Bye."] });
    expect(after).toBe("Ana calls.\n\nSays (after /hi/): Good day.\nSays: Bye.\nFacts: name = Ana");
    expect(withCallerWords(after, { facts: ["name = Ben", "pin = 12"] })).toBe(
      "Ana calls.\n\nSays (after /hi/): Good day.\nSays: Bye.\nFacts: name = Ben; pin = 12",
    );
    expect(withCallerWords(after, { says: [], facts: [] })).toBe("Ana calls.");
    expect(withCallerWords("Ana calls.", { facts: ["a = b; c"] })).toBe("Ana calls.\n\nFacts:\n- a = b; c");
  });

  test("a change of the lines keeps the meaning of lines in a list", () => {
    const { situation, ...script } = readCallerScript(BEFORE);
    expect(readCallerScript(withCallerWords(BEFORE, {}))).toEqual({ situation, ...script });
    expect(script.lines).toHaveLength(3);
  });

  test("a change of the lines keeps a broken condition broken", () => {
    expect(readCallerScript(withCallerWords("Ana.", { says: ["(after /(/) Yes."] })).problems).toHaveLength(1);
    expect(readCallerScript(withCallerWords("Ana.", { says: ["(after dark) Yes."] })).problems).toHaveLength(1);
  });
});
