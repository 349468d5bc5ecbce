import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, parseCheck } from "../../packages/server/src/grading/checks/table.ts";
import type { Decision } from "../../packages/server/src/grading/decision.ts";
import { anyText } from "../support/any-text.ts";
import { evidenceFrom, labelledBehaviors, type Sketch } from "../support/labelled-behaviors.ts";

const checkOf = (behavior: string) => parseCheck(behavior)!;

const decided = (behavior: string, sketch: Sketch): Decision => decide(checkOf(behavior), evidenceFrom(sketch));

const call = (turns: Sketch["turns"], rest: Partial<Sketch> = {}): Sketch => ({
  about: "",
  modality: "voice",
  scenario: null,
  persona: null,
  ending: null,
  turns,
  ...rest,
});
const says = (text: string | null, from = 0): Sketch["turns"][number] => ({
  speaker: "agent",
  from,
  to: from + 1000,
  text,
});
const asks = (text: string | null, from = 0): Sketch["turns"][number] => ({
  speaker: "caller",
  from,
  to: from + 1000,
  text,
});
const tool = (name: string, args: unknown = {}, at = 0) => ({ name, arguments: args, result: null, turn: 0, at });

describe("keys of the telephone", () => {
  const pressed = (keysKnown: boolean, ...turns: (string | null)[]) => ({
    ...evidenceFrom(call([asks("Press the keys."), ...turns.map((text, at) => says(text, 2_000 * (at + 1)))])),
    ending: { reason: "agent_ended", by: "agent" as const },
    ...(keysKnown && { keysKnown }),
  });

  test.each([
    ["presses 4 2 #", ["One moment.", "[presses 42#]"], "passed"],
    ["presses 4 2 #", ["[presses 4]", "Moment.", "[presses 2#]"], "passed"],
    ["sends the digits 2, 4", ["[presses 42#]"], "failed"],
    ["sends the digits 42#", [null, "[presses 42#]"], "passed"],
    ["never presses the key 9", ["[presses 42#]"], "passed"],
    ["never presses 2", ["[presses 42#]"], "failed"],
    ["never sends digits", ["I press 4 now."], "passed"],
    ["never sends digits", ["[presses 4]"], "failed"],
    ["presses a key", ["Hello."], "failed"],
  ])("%s of an agent that says %j: %s", (behavior, turns, verdict) => {
    expect(decide(checkOf(behavior), pressed(true, ...turns)).verdict).toBe(verdict);
  });

  test("pressed keys are unknown in a conversation whose turns other programs report", () => {
    expect(decide(checkOf("presses 4"), pressed(false, "Hello.")).verdict).toBe("inconclusive");
    expect(decide(checkOf("never presses 4"), pressed(false, "Hello.")).verdict).toBe("inconclusive");
    expect(decide(checkOf("presses 4"), pressed(false, "[presses 4]")).verdict).toBe("passed");
  });

  test.each([
    "presses on with the order",
    "sends 5 emails",
    "enters the code",
    "dials the number of the guest",
    "presses 1 for you",
  ])("are not read in %j", (behavior) => expect(parseCheck(behavior)).toBeUndefined());
});

describe("a behavior", () => {
  test.each([
    "calls back the customer",
    "calls the customer by name",
    "calls support",
    "calls book_room when the caller agrees",
    "calls book_room with care",
    "says hello",
    "says that the line is recorded",
    'says "hello" politely',
    "repeats back the price",
    "repeats back the 3 options",
    "asks for the dates and the number of guests",
    "asks for permission to record the call",
    "asks for how long they stay",
    "responds within 2 turns",
    "responds within a second",
    "no silence",
    "handles errors gracefully",
    "ends the call politely",
    "transfers to the billing department",
    "finishes within 5 minutes",
    "does not call anyone a liar",
    "",
    "   ",
    ".",
  ])("%j only resembles a form and belongs to the judge", (sentence) => {
    expect(parseCheck(sentence)).toBeUndefined();
  });

  test.each([
    ["calls `support`", "calls"],
    ["The agent calls   book_room.", "calls"],
    ["CALLS book_room WITH guests=2", "calls"],
    ["calls book_room()", "calls"],
    ["says “recorded line”", "says"],
    ["says /a\\/b[/]c/i in its first turn", "says"],
    ["says 'x' within the first two turns", "says"],
    ["hello", undefined],
  ])("%j has the form %j", (sentence, form) => {
    expect(parseCheck(sentence)?.form).toBe(form);
  });

  test("a behavior with an unsupported pattern is not graded, and the reason says why", () => {
    const { verdict, reason } = decided("says /(?=a)b/", call([says("ab")]));
    expect([verdict, reason]).toEqual(["not_graded", expect.stringContaining("Look-around")]);
    expect(decided("calls t with b=/(/", call([says("a")])).verdict).toBe("not_graded");
  });

  test("a behavior never makes the parser or a check throw, with any text", () => {
    const pieces = fc.constantFrom(
      ..."calls |never calls |book_room| with |exactly |a=|b.c=|1|\"|'|/|\\|(|[|{|}|,| and |once|at most |2 times|before |says |within first |turns|repeats back |then |responds within |ms|p95|`|.|\n".split(
        "|",
      ),
    );
    const resembling = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(""));
    const evidences = labelledBehaviors().map(({ evidence }) => evidence);
    fc.assert(
      fc.property(fc.oneof(anyText(100), resembling), fc.constantFrom(...new Set(evidences)), (sentence, evidence) => {
        const check = parseCheck(sentence);
        if (check) expect(decide(check, evidence).reason).not.toBe("");
      }),
      { numRuns: 3_000 },
    );
  });

  test("a behavior is parsed in time at the maximum length", () => {
    const texts = [
      "calls ".repeat(400),
      `calls tool with ${"b=1, ".repeat(400)}`,
      `says "${" ".repeat(1_990)}`,
      `calls tool with b=${" ".repeat(1_980)}`,
      `asks for ${"a ".repeat(990)}`,
    ];
    expect(texts.map((text) => parseCheck(text)?.form)).toEqual(
      texts.map((_, i) => (i === 2 ? "unreadable" : undefined)),
    );
  });
});

describe("a check", () => {
  test("a check compares arguments by their text, as numbers, booleans and null too", () => {
    const sketch = call([says("ok")], {
      toolCalls: [tool("t", { n: "2", f: true, none: null, list: [1, { a: 1, b: 2 }], deep: { x: { y: "z" } } })],
    });
    for (const held of [
      "n=2",
      "n=2.0",
      "f=true",
      "none=null",
      'list=[1,{"a":1}]',
      "deep.x.y=z",
      'deep={"x":{}}',
      "n=/^\\d$/",
      'n="2"',
    ])
      expect(decided(`calls t with ${held}`, sketch).verdict, held).toBe("passed");
    for (const not of ["n=3", "f=yes", "list=[1]", "deep.x=z", "toString=/./", "__proto__=/./", "deep.x.y.z=7"])
      expect(decided(`calls t with ${not}`, sketch).verdict, not).toBe("failed");
  });

  test("a check says that calls with the right arguments failed, and never that no call had them", () => {
    const refused = { ...tool("book", { guests: 2 }), result: { error: "not mocked" } };
    const reasonOf = (toolCalls: (typeof refused)[]) =>
      decided("calls book with guests=2", call([says("ok")], { toolCalls }));
    expect(reasonOf([refused])).toEqual({
      verdict: "inconclusive",
      reason: "book was called once with these arguments, and the call failed or may have failed.",
      evidence: [{ toolCall: 0 }],
    });
    expect(reasonOf([refused, refused]).reason).toBe(
      "book was called 2 times with these arguments, and each call failed or may have failed.",
    );
  });

  test("a check shows the arguments of calls that do not match", () => {
    const sketch = call([says("ok")], { toolCalls: [tool("book", { guests: 3 })] });
    expect(decided("calls book with guests=2", sketch)).toEqual({
      verdict: "failed",
      reason: 'book was never called with these arguments. It was called with {"guests":3}.',
      evidence: [{ toolCall: 0 }],
    });
  });

  test("a check fails two calls at the same time as out of order", () => {
    const toolCalls = [
      { ...tool("first", {}, 5), result: "ok" },
      { ...tool("second", {}, 5), result: "ok" },
    ];
    expect(decided("calls first before second", call([says("ok")], { toolCalls })).verdict).toBe("failed");
  });

  test.each([
    [{ rank: 1, name: null }, "inconclusive", "passed"],
    [{ rank: 2 }, "inconclusive", "failed"],
    ["matched", "passed", "failed"],
  ])("a check reads success in the result %j, or by the condition of its author", (result, read, conditioned) => {
    const toolCalls = [
      { ...tool("check_pin", {}, 5), result },
      { ...tool("pay", {}, 90), result: "ok" },
    ];
    const sketch = call([says("ok")], { toolCalls });
    expect(decided("never calls pay before check_pin", sketch).verdict).toBe(read);
    const condition = "never calls pay before check_pin, where check_pin succeeds when rank = 1";
    expect(decided(condition, sketch).verdict).toBe(conditioned);
  });

  test("a check decides on arguments of any depth", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 50_000; i++) deep = [deep];
    const sketch = call([says("ok")]);
    const evidence = evidenceFrom(sketch);
    evidence.toolCalls.push({ ...EMPTY_CALL, name: "t", arguments: { deep } });
    for (const behavior of ["calls t with deep=1", "calls t with deep=/1/", "calls t with deep=[[1]]", "never calls t"])
      expect(decide(parseCheck(behavior)!, evidence).verdict).toBe("failed");
  });

  test("a check is inconclusive about text after the part of a turn that is read", () => {
    const long = call([says(`${"word ".repeat(5_000)}goodbye`)]);
    expect(decided('says "goodbye"', long).verdict).toBe("inconclusive");
    expect(decided('never says "goodbye"', long).verdict).toBe("inconclusive");
    expect(decided('never says "word"', long).verdict).toBe("failed");
  });

  test("a check is inconclusive in time when a pattern costs too much", () => {
    const hostile = call(Array.from({ length: 60 }, (_, i) => says("a".repeat(20_000), i * 2000)));
    expect(decided("says /(.*a){30}b{9}(.*a){30}$/", hostile).verdict).toBe("inconclusive");
  });

  test("a check does not count words as repeated that the agent said before the caller", () => {
    const before = call([says("Is it 4711?"), asks("Yes, 4711.", 2000), says("Fine.", 4000)]);
    expect(decided("repeats back 4711", before).verdict).toBe("failed");
    expect(decided("repeats back 4711", call([says("It is 4711.")])).verdict).toBe("passed");
  });

  test("a check with a percentile allows the slow answers that it permits, and counts unknown times as slow", () => {
    const answers = (slow: number, count: number, missing = 0) => {
      const evidence = evidenceFrom(call([asks("a"), says("b", 2000)]));
      evidence.measures.response_latency = {
        provenance: "measured",
        reason: null,
        missing,
        samples: Array.from({ length: count }, (_, i) => ({ value: i < slow ? 2000 : 100, turn: 1 })),
      };
      return evidence;
    };
    const within = (evidence: ReturnType<typeof answers>, at = " p95") =>
      decide(parseCheck(`responds within 1 s${at}`)!, evidence).verdict;
    expect(within(answers(1, 20))).toBe("passed");
    expect(within(answers(2, 20))).toBe("failed");
    expect(within(answers(1, 19))).toBe("inconclusive");
    expect(within(answers(2, 19))).toBe("failed");
    expect(within(answers(0, 19))).toBe("inconclusive");
    expect(within(answers(5, 10), " median")).toBe("passed");
    expect(within(answers(6, 10), " median")).toBe("failed");
    expect(within(answers(0, 5, 1))).toBe("inconclusive");
    expect(within(answers(0, 19, 1))).toBe("passed");
    expect(within(answers(1, 19, 1))).toBe("inconclusive");
    expect(within(answers(2, 18, 2))).toBe("failed");
  });

  test("a check never passes on an unavailable measure", () => {
    const evidence = evidenceFrom(call([asks("a"), says("b", 2000)]));
    for (const measure of Object.values(evidence.measures))
      Object.assign(measure, { provenance: "unavailable", reason: "Not known.", samples: [], missing: 0 });
    for (const behavior of ["responds within 9 s", "no silence over 9 s", "stops within 9 s when interrupted"])
      expect(decide(parseCheck(behavior)!, evidence).verdict, behavior).toBe("inconclusive");
  });

  test("a check gives a part of a conversation the verdict of the whole, or inconclusive", () => {
    for (const { behavior, by, evidence } of labelledBehaviors()) {
      if (by === "judge") continue;
      const check = parseCheck(behavior)!;
      const whole = decide(check, evidence).verdict;
      const cut = decide(check, { ...evidence, partial: "Cut." }).verdict;
      expect([whole, "inconclusive"], behavior).toContain(cut);
    }
  });
});

const EMPTY_CALL = {
  endMs: 50,
  name: null,
  arguments: null,
  result: null,
  outcome: "ok" as const,
  turn: 0,
  startMs: 0,
  mocked: null,
};
