import { CALLER_CONDITIONS, readCallerScript, withCallerWords } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { patternOf } from "../../packages/server/src/grading/pattern/pattern.ts";
import { askingSentences, factsAskedFor } from "../../packages/server/src/runs/callers/asked.ts";
import type { SpokenTurn } from "../../packages/server/src/runs/callers/caller.ts";
import { scriptedCaller } from "../../packages/server/src/runs/callers/scripted.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";

const NEVER = new AbortController().signal;

/** Plays the agent's answers in order, null for silence, and returns the caller's texts and the reason of its end. */
async function moves(scenario: string, answers: (string | null)[], greeting?: string): Promise<string[]> {
  const script = readCallerScript(scenario);
  const caller = scriptedCaller(script, ({ words }, text) => new RegExp(words!, "i").test(text));
  const said: SpokenTurn[] = greeting === undefined ? [] : [{ role: "agent", text: greeting }];
  const texts: string[] = [];
  for (const answer of [...answers, null]) {
    const move = await caller.next(said, NEVER);
    if (move.kind === "hang_up") return [...texts, `(${move.why})${move.note === null ? "" : ` ${move.note}`}`];
    texts.push(move.text);
    said.push({ role: "caller", text: move.text });
    if (answer !== null) said.push({ role: "agent", text: answer });
  }
  return texts;
}

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
    ["Facts: Ana Silva", /The fact `Ana Silva` has no name and value\. Write facts such as/],
    ["Facts: name = Ana; Name = Ben", /The fact `Name` is given twice|The fact `name` is given twice/],
  ])("%j is a problem with its fix", (text, problem) => {
    expect(readCallerScript(`Ana calls.\n${text}`).problems).toEqual([expect.stringMatching(problem)]);
  });

  test("the lines of a scenario are read from every text without an error, in bounded time", async () => {
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

  test("replaces the lines or the facts and keeps the rest", () => {
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

describe("the scripted caller", () => {
  test("the scripted caller says its lines in order, waits for the answer to the last one, and ends without words", async () => {
    expect(await moves("Says: One.\nSays: Two.", ["a", "b"])).toEqual(["One.", "Two.", "(heard_enough)"]);
  });

  test("the scripted caller gives facts only when the agent asks for them, and as many as it asks for", async () => {
    const spoken = await moves(
      "Says: I need a room.\nSays: Thank you, bye.\nFacts: name = Ana Silva; phone = 555-0134",
      [
        "We have your phone number on file. May I have your name?",
        "Thank you. And your phone number, please?",
        "Could you repeat your name and phone number?",
        "My name is Zoe. Your room is booked.",
        "Goodbye.",
      ],
    );
    expect(spoken).toEqual([
      "I need a room.",
      "Ana Silva.",
      "555-0134.",
      "Ana Silva. 555-0134.",
      "Thank you, bye.",
      "(heard_enough)",
    ]);
  });

  test("the scripted caller answers the agent's questions in any order, and a wait holds for words that were said before the answer", async () => {
    const scenario = `Says: A room, please.
Says (when the agent asks /date|when/): June 9, please.
Says (when the agent asks /how many/): Two.
Says (after /booked/): Thank you, goodbye.`;
    expect(
      await moves(scenario, [
        "How many guests?",
        "When would you like to come?",
        "It is booked. For how many nights?",
        "Fine.",
        "Bye",
      ]),
    ).toEqual(["A room, please.", "Two.", "June 9, please.", "Two.", "Thank you, goodbye.", "(heard_enough)"]);
  });

  test("the scripted caller ends, and says why, when a line waits for words that the agent does not say", async () => {
    expect(await moves("Says: Hi.\nSays (after /number/): It is 4.", ["What?"])).toEqual([
      "Hi.",
      '(gave_up) The caller waited for /number/, and the agent said "What?".',
    ]);
    expect(await moves("Says: Hi.\nSays (after /number/): It is 4.", [null])).toEqual([
      "Hi.",
      "(gave_up) The caller waited for /number/, and the agent said nothing.",
    ]);
  });

  test("the scripted caller ends, and quotes the question, when it has no answer", async () => {
    expect(await moves("Says: Hi.", ["What is your shoe size?"])).toEqual([
      "Hi.",
      '(heard_enough) The caller has no line for the agent\'s question: the agent said "What is your shoe size?".',
    ]);
  });

  test("the scripted caller says an `otherwise` line at most three times in a row", async () => {
    const scenario = "Says: Hi.\nSays (otherwise): Go on, please.\nSays (after /number/): It is 4.";
    expect(await moves(scenario, ["Hm.", "Hm.", "Your number?", "Thanks."])).toEqual([
      "Hi.",
      "Go on, please.",
      "Go on, please.",
      "It is 4.",
      "(heard_enough)",
    ]);
    expect((await moves(scenario, Array<string>(9).fill("Hm."))).slice(1)).toEqual([
      ...Array<string>(3).fill("Go on, please."),
      expect.stringMatching(/^\(gave_up\)/),
    ]);
  });

  test("the scripted caller gives up when the agent asks for the same answer again and again", async () => {
    const spoken = await moves("Says: Hi.\nFacts: name = Ana", Array<string>(9).fill("What is your name?"));
    expect(spoken).toEqual([
      "Hi.",
      "Ana.",
      "Ana.",
      "Ana.",
      expect.stringMatching(/^\(gave_up\) The agent asked for the same/),
    ]);
  });

  test("the scripted caller hangs up where the author wrote it", async () => {
    expect(await moves("Says: Hi.\nHangs up (after /refund/)", ["No refund.", "?"])).toEqual(["Hi.", "(heard_enough)"]);
  });

  test("the scripted caller never says words that the author did not write", async () => {
    const script = fc.array(
      fc.constantFrom(
        "Says: one",
        "Says (after /a/): two",
        "Says (when the agent asks /b/): three",
        "Says (otherwise): four",
        "Facts: name = five",
        "The agent must offer a voucher. The caller expects it.",
      ),
      { minLength: 1, maxLength: 6 },
    );
    const heard = fc.array(fc.oneof(fc.string(), fc.constantFrom("a", "b?", "Your name?", "Goodbye.")), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(script, heard, async (parts, answers) => {
        for (const text of await moves([...new Set(parts)].join("\n"), answers))
          expect(text).toMatch(/^(?:\((?:heard_enough|gave_up)\).*|(?:(?:one|two|three|four|five)[. ]*)+)$/s);
      }),
    );
  });
});

const FACTS = [
  { name: "name", value: "Ana Silva" },
  { name: "date of birth", value: "4 May 1984" },
  { name: "date", value: "June 9" },
  { name: "time", value: "6 pm" },
  { name: "phone", value: "555-0134" },
  { name: "e-mail", value: "ana@example.com" },
  { name: "address", value: "4 High Street" },
  { name: "guests", value: "two" },
  { name: "nights", value: "three" },
  { name: "order number", value: "A-1234" },
  { name: "room type", value: "double" },
];
const askedFor = (text: string) =>
  askingSentences(text).flatMap((sentence) => factsAskedFor(sentence, FACTS).map(({ name }) => name));

test.each([
  "I'll let you know when it is done.",
  "The room which you want is free.",
  "One moment, I will see how it goes.",
])("a statement asks for nothing: %s", (text) => expect(askingSentences(text)).toEqual([]));

describe("a fact is given", () => {
  test.each([
    ["May I have your name, please?", ["name"]],
    ["What's the best number to reach you?", ["phone"]],
    ["Which phone number can we call you on?", ["phone"]],
    ["And your e-mail address?", ["e-mail"]],
    ["What is your e-mail address?", ["e-mail"]],
    ["What is your address?", ["address"]],
    ["Could you confirm your date of birth?", ["date of birth"]],
    ["When would you like to arrive?", ["date"]],
    ["Which date and what time would suit you?", ["date", "time"]],
    ["How many guests will there be?", ["guests"]],
    ["How many nights will you stay?", ["nights"]],
    ["Please tell me your order number.", ["order number"]],
    ["I'll need your order code to look it up.", ["order number"]],
    ["What room type would you like?", ["room type"]],
    ["Your name and phone number, please.", ["name", "phone"]],
    ["I have your phone number on file, may I have your name?", ["name"]],
    ["May I have your name to confirm your order number?", ["name"]],
    ["Thank you. And the name?", ["name"]],
    ["Who am I speaking with?", ["name"]],
    ["what name should i put it under", ["name"]],
    ["For the booking, what is your phone number?", ["phone"]],
    ["Could you please let me know your address?", ["address"]],
    ["And you are?", ["name"]],
    ["I'd love to know your name.", ["name"]],
    ["Just your name, please.", ["name"]],
    ["Name, date of birth, and phone number, please.", ["name", "date of birth", "phone"]],
    ["May I have the name of the guest?", ["name"]],
  ])("a fact is given when the agent asks for it: %s", (text, names) => expect(askedFor(text)).toEqual(names));

  test.each([
    "My name is Zoe, how can I help you today?",
    "We have your phone number on file.",
    "Your date is confirmed.",
    "How is your day going?",
    "Shall I send it to your e-mail?",
    "Would you like a call on your phone?",
    "I don't need your order number.",
    "When did you place it?",
    "Are you up to date?",
    "Is there anything else?",
    "Your order number is A-99.",
    "Can I help you with the room?",
    "Please do not tell me your order number.",
    "You don't have to give me your phone number.",
    "I will need a moment to find your order number.",
    "I'll let you know when your date of arrival is confirmed.",
    "The address which you gave is fine.",
    "Let me have a look at your address.",
    "Is your phone number still 555-0199?",
    "",
    "What is the name of your pet?",
    "What's the name of your hotel?",
    "What is your company's name?",
    "What is your mother's maiden name?",
    "What is your IP address?",
    "Tell me the order number of the lady, not yours.",
  ])("not when the agent mentions it, or asks for that of others: %j", (text) => expect(askedFor(text)).toEqual([]));

  test.each([
    "9".repeat(20_000),
    "name ".repeat(4_000),
    "may i ".repeat(3_000),
    "your ".repeat(4_000),
    "i have your ".repeat(2_000),
  ])("a fact is given in bounded time for hostile words (%#)", async (text) =>
    expect(await cpuTimeMs(() => askedFor(`${text}?`))).toBeLessThan(1_000),
  );
});
