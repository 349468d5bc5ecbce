import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lastHeard, type Move, type SpokenTurn } from "../../packages/server/src/runs/callers/caller.ts";
import { askedFor, factsOf } from "../../packages/server/src/runs/callers/facts.ts";
import { ruleBasedCaller } from "../../packages/server/src/runs/callers/rule-based.ts";
import { scriptOf, withoutScript } from "../../packages/server/src/runs/callers/script.ts";
import { scriptedCaller } from "../../packages/server/src/runs/callers/scripted.ts";
import { seeded } from "../../packages/server/src/grading/seeded.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";

const NEVER = new AbortController().signal;
const ANA =
  "Ana Silva calls to book a double room for two nights from Friday. Her phone number is 555-0134 and her e-mail is ana@example.com. She arrives at 6 pm.";

const callerOf = (scenario: string, seed = "1") => ruleBasedCaller(scenario, seeded(seed));
const textOf = (move: Move) => (move.kind === "say" ? move.text : `(${move.why})`);

/** Plays the agent's lines in order and returns the caller's texts. */
async function played(scenario: string, agentLines: string[], seed?: string): Promise<string[]> {
  const caller = callerOf(scenario, seed);
  const said: SpokenTurn[] = [];
  const moves: string[] = [];
  for (const line of [null, ...agentLines]) {
    if (line !== null) said.push({ role: "agent", text: line });
    const move = await caller.next(said, NEVER);
    moves.push(textOf(move));
    if (move.kind === "hang_up") break;
    said.push({ role: "caller", text: move.text });
  }
  return moves;
}

describe("the caller that needs no model", () => {
  test("opens with the scenario's goal in the first person", async () => {
    const [opening] = await played(ANA, []);
    expect(opening).toMatch(/^(Hi|Hello|Good day), I'd like to book a double room for two nights from Friday\.$/);
  });

  test.each([
    ["May I have your name, please?", "My name is Ana Silva."],
    ["What's the best phone number to reach you?", "My number is 555-0134."],
    ["And your e-mail address?", "It's ana@example.com."],
    ["How many nights will you stay?", "Two nights."],
    ["Which day would you like to check in?", "Friday, please."],
    ["What time will you arrive?", "At 6 pm, please."],
  ])("answers %s from the scenario's facts", async (question, answer) => {
    const [, reply] = await played(ANA, [question]);
    expect(reply).toContain(answer);
  });

  test("answers two questions at once", async () => {
    const [, reply] = await played(ANA, ["Can I have your name and your phone number?"]);
    expect(reply).toMatch(/555-0134.*Ana Silva|Ana Silva.*555-0134/);
  });

  test("agrees when asked to confirm, declines further offers, and hangs up after the agent's farewell", async () => {
    const moves = await played(ANA, [
      "A double room, two nights, 240 dollars in all. Shall I book it?",
      "Booked. Is there anything else I can help you with?",
      "Thank you for calling, goodbye!",
    ]);
    expect(moves[1]).toMatch(/^Yes/);
    expect(moves[2]).toMatch(/^No/);
    expect(moves[3]).toBe("(heard_enough)");
  });

  test("gives up when it repeats itself", async () => {
    const moves = await played(ANA, Array<string>(20).fill("What is your name?"));
    expect(moves.at(-1)).toBe("(gave_up)");
    expect(moves.length).toBeLessThan(8);
  });

  test("makes up no fact that the scenario does not state", async () => {
    const [, reply] = await played("A man calls to cancel.", ["What is your date of birth?"]);
    expect(["I'm not sure, sorry.", "I don't have that with me."]).toContain(reply);
  });

  test("says the same words for the same seed", async () => {
    const lines = ["Hello!", "Shall I go on?", "Anything else?"];
    expect(await played(ANA, lines, "7")).toEqual(await played(ANA, lines, "7"));
  });

  test("always makes a move, whatever the scenario and the agent say", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ maxLength: 300 }),
        fc.array(fc.string({ maxLength: 200 })),
        async (scenario, lines) => {
          const moves = await played(scenario || "x", lines);
          expect(moves.every((move) => move.length > 0)).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  test.each([
    "9".repeat(20_000),
    "a@".repeat(10_000),
    "A".repeat(20_000),
    "call to ".repeat(2_500),
    "1 ".repeat(10_000),
  ])("reads a hostile scenario in bounded time (%#)", async (scenario) => {
    const read = () => {
      factsOf(scenario);
      askedFor(scenario);
      return played(scenario, [scenario]);
    };
    expect(await cpuTimeMs(read)).toBeLessThan(2_000);
  });
});

describe("a script", () => {
  const SCRIPT = `Bo wants a refund.

Caller says:
1. I want my money back.
2. (wait for: /order number/i) It is A-1234.
   And I am not happy.
3. (silence 2.5s) Hello?
4. (hang up)

This is no part of it.`;

  test("is the list under its heading", () => {
    expect(scriptOf(SCRIPT)).toEqual([
      { waitFor: null, waitForFlags: "", silenceMs: 0, text: "I want my money back.", hangUp: false },
      {
        waitFor: "order number",
        waitForFlags: "i",
        silenceMs: 0,
        text: "It is A-1234. And I am not happy.",
        hangUp: false,
      },
      { waitFor: null, waitForFlags: "", silenceMs: 2500, text: "Hello?", hangUp: false },
      { waitFor: null, waitForFlags: "", silenceMs: 0, text: null, hangUp: true },
    ]);
    expect(withoutScript(SCRIPT)).toBe("Bo wants a refund.");
  });

  test.each(["No list here.", "Caller says:\n\nnothing listed", "- a list\n- without heading"])(
    "is undefined for a scenario without caller lines (%#)",
    (scenario) => expect(scriptOf(scenario)).toBeUndefined(),
  );

  const caller = (script: string) => scriptedCaller(scriptOf(script)!, ({ waitFor }, text) => text.includes(waitFor!));

  async function moves(script: string, answers: string[]): Promise<string[]> {
    const one = caller(script);
    const said: SpokenTurn[] = [];
    const texts: string[] = [];
    for (const answer of answers) {
      const move = await one.next(said, NEVER);
      texts.push(textOf(move));
      if (move.kind === "hang_up") break;
      said.push({ role: "caller", text: move.text }, { role: "agent", text: answer });
    }
    return texts;
  }

  test("is spoken line by line, and then the caller hangs up", async () => {
    expect(await moves("Caller says:\n- One.\n- Two.", ["a", "b", "c"])).toEqual(["One.", "Two.", "(heard_enough)"]);
  });

  test("holds a line until the agent says the awaited words", async () => {
    const spoken = await moves("Caller says:\n- Hi.\n- (wait for: /number/) It is 4.", [
      "What?",
      "Hm.",
      "Your number?",
      "Ok",
    ]);
    expect(spoken).toEqual(["Hi.", "Mm-hm.", "Okay.", "It is 4."]);
  });

  test("makes the caller give up when the agent never says the awaited words", async () => {
    const spoken = await moves("Caller says:\n- Hi.\n- (wait for: /number/) It is 4.", Array<string>(9).fill("What?"));
    expect(spoken.at(-1)).toBe("(gave_up)");
  });

  test("parses every scenario without an error", () => {
    fc.assert(fc.property(fc.string({ maxLength: 400 }), (text) => void scriptOf(`Caller says:\n${text}`)));
  });
});

test("the caller hears everything that the agent said since the caller's last turn", () => {
  const said: SpokenTurn[] = [
    { role: "agent", text: "a" },
    { role: "caller", text: "b" },
    { role: "agent", text: "c" },
    { role: "agent", text: "d" },
  ];
  expect(lastHeard(said)).toBe("c\nd");
});
