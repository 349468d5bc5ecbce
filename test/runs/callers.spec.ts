import { readCallerScript } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { askingSentences, factsAskedFor } from "../../packages/server/src/runs/callers/asked.ts";
import type { SpokenTurn } from "../../packages/server/src/runs/callers/caller.ts";
import { scriptedCaller } from "../../packages/server/src/runs/callers/scripted.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";

const NEVER = new AbortController().signal;

/** Gives the caller the agent's answers in order; null is silence. Returns the caller's texts and the reason of its end. */
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
    const long = `${"I am glad to help. ".repeat(20)}What is your shoe size? I can wait.`;
    expect(await moves("Says: Hi.", [long])).toEqual([
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
