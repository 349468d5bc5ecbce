import { describe, expect, test } from "vitest";
import { BUILT_IN, type BuiltInName, gradeBuiltIn } from "../../packages/server/src/grading/built-in/built-in.ts";
import { evidenceFrom, labelledBehaviors, type Sketch } from "../support/labelled-behaviors.ts";

/** Returns a conversation from lines such as "agent: Hello". Each turn lasts a second, and half a second passes between turns. */
function conversation(lines: string[], rest: Partial<Sketch> = {}): Sketch {
  const turns = lines.map((line, i) => {
    const [, speaker, text] = /^(agent|caller): (.*)$/.exec(line)!;
    return { speaker: speaker as "agent" | "caller", from: i * 1500, to: i * 1500 + 1000, text: text! };
  });
  return { about: "", modality: "text", scenario: null, persona: null, ending: null, turns, ...rest };
}

const tool = (
  name: string,
  turn: number,
  rest: { arguments?: unknown; result?: unknown; failed?: boolean; at?: number } = {},
) => ({
  name,
  arguments: {},
  result: null,
  turn,
  at: turn * 1500 + 10,
  ...rest,
});

const verdict = (name: BuiltInName, sketch: Sketch) => gradeBuiltIn(name, evidenceFrom(sketch)).verdict;
const byCaller = { ending: { reason: "persona_concluded", by: "caller" as const } };
const byAgent = { ending: { reason: "agent_ended", by: "agent" as const } };
const byLimit = { ending: { reason: "turn_limit", by: "limit" as const } };

describe("unanswered turns", () => {
  test("unanswered turns fail when the caller has to speak again", () => {
    expect(verdict("unanswered_turns", conversation(["caller: Hi", "caller: Hello?", "agent: Yes?"]))).toBe("failed");
    expect(verdict("unanswered_turns", conversation(["caller: Hi", "agent: Yes?", "caller: Bye"]))).toBe("passed");
  });

  test("unanswered turns do not say that a last turn was answered that nobody answered", () => {
    const reasonOf = (...lines: string[]) =>
      gradeBuiltIn("unanswered_turns", evidenceFrom(conversation(lines, byAgent))).reason;
    const answered = ["caller: Hi", "agent: Yes?"];
    expect(reasonOf(...answered)).toBe("The agent answered every turn of the caller.");
    expect(reasonOf(...answered, "caller: A room.")).toBe(
      "The agent answered every turn of the caller before the last.",
    );
  });

  test("unanswered turns exclude turns that speech recognition split", () => {
    const lines = ["caller: I would like", "caller: to book a room", "agent: Sure."];
    expect(verdict("unanswered_turns", conversation(lines, { modality: "voice" }))).toBe("passed");
  });
});

describe("a missed final turn", () => {
  const asked = ["agent: Hello", "caller: Is it open today?"];
  test.each<[string, string[], Partial<Sketch>, string]>([
    ["the agent left the caller's question unanswered", asked, byAgent, "failed"],
    ["a limit of the run left no time for an answer", asked, byLimit, "inconclusive"],
    ["the caller hung up", asked, byCaller, "passed"],
    ["the caller said goodbye", ["agent: Hello", "caller: Thanks, bye!"], {}, "passed"],
    ["it is not known who ended the call", asked, {}, "inconclusive"],
    ["the service ended the call", asked, { ending: { reason: "orphaned", by: "service" } }, "inconclusive"],
    ["the agent spoke last", [...asked, "agent: Yes."], byLimit, "passed"],
  ])("a missed final turn when $0, is $3", (_, lines, rest, expected) => {
    expect(verdict("missed_final_turn", conversation(lines, rest))).toBe(expected);
  });
});

describe("a duplicate tool call", () => {
  const lines = ["caller: Book", "agent: Done", "caller: Again", "agent: Done"];
  const twice = (second: object, first: object = {}) =>
    conversation(lines, {
      toolCalls: [
        tool("book", 1, { arguments: { a: 1, b: 2 }, ...first }),
        tool("book", 1, { arguments: { b: 2, a: 1 }, ...second }),
      ],
    });
  test.each<[string, Sketch, string]>([
    ["the same arguments in another order", twice({}), "failed"],
    [
      "the same nested arguments in another order",
      twice(
        { arguments: { who: [{ a: 1, b: { c: 2, d: 3 } }] } },
        { arguments: { who: [{ b: { d: 3, c: 2 }, a: 1 }] } },
      ),
      "failed",
    ],
    ["a list in another order", twice({ arguments: { who: [2, 1] } }, { arguments: { who: [1, 2] } }), "passed"],
    ["other arguments", twice({ arguments: { a: 2 } }), "passed"],
    ["a failed first call", twice({}, { failed: true }), "passed"],
    ["another result", twice({ result: "done" }), "passed"],
    ["a turn of the caller between the calls", twice({ turn: 3, at: 4600 }), "passed"],
    ["withheld arguments", twice({ arguments: null }, { arguments: null }), "passed"],
    ["no tool call", conversation(lines), "not_graded"],
  ])("a duplicate tool call with $0 is $2", (_, sketch, expected) => {
    expect(verdict("duplicate_tool_call", sketch)).toBe(expected);
  });
});

describe("an unhandled tool error", () => {
  const after = (text: string, more: ReturnType<typeof tool>[] = []) =>
    conversation(["caller: Book it", `agent: ${text}`], { toolCalls: [tool("book", 1, { failed: true }), ...more] });
  test.each<[string, Sketch, string]>([
    ["that the agent admits", after("I'm sorry, that did not go through."), "passed"],
    ["that the agent claims as a success", after("I have booked it for you."), "failed"],
    ["followed by a successful call", after("I have booked it for you.", [tool("book", 1)]), "passed"],
    ["that the agent does not mention", after("What else?"), "inconclusive"],
    [
      "that ends the conversation",
      conversation(["caller: Book it"], { toolCalls: [tool("book", 0, { failed: true })] }),
      "failed",
    ],
    ["that did not happen", conversation(["agent: Hi"], { toolCalls: [tool("book", 0)] }), "not_graded"],
  ])("$0 is $2", (_, sketch, expected) => {
    expect(verdict("unhandled_tool_error", sketch)).toBe(expected);
  });
});

describe("a repeated sentence", () => {
  const same = "agent: Please tell me your account number now.";
  test.each<[string, string[], string]>([
    ["twice in a row", [same, "caller: 12", same], "failed"],
    ["that the caller asks for again", [same, "caller: Sorry, what?", same], "passed"],
    ["that is short", ["agent: One moment, please.", "caller: Ok", "agent: One moment, please."], "passed"],
    [
      "three times among other sentences",
      [0, 1, 2].flatMap((i) => [`${same} It is needed, ${i} more.`, "caller: Ok"]),
      "failed",
    ],
    [
      "that ends each matter",
      [0, 1, 2].flatMap((i) => [`agent: Done, ${i}. Is there anything else I can help you with?`, "caller: Yes"]),
      "passed",
    ],
    ["that did not happen", ["agent: Hello there, how are you today?", "caller: Fine"], "passed"],
  ])("$0 is $2", (_, lines, expected) => {
    expect(verdict("repeated_sentence", conversation(lines))).toBe(expected);
  });
});

describe("a claimed action", () => {
  const claimed = (text: string, toolCalls: ReturnType<typeof tool>[] = [], rest: Partial<Sketch> = {}) =>
    conversation(["caller: Please", `agent: ${text}`], { toolCalls, ...rest });
  const booked = "Great, I've booked your room.";
  test.each<[string, Sketch, string]>([
    ["without any tool", claimed(booked), "failed"],
    ["with only a look-up tool", claimed(booked, [tool("get_booking", 1)]), "failed"],
    ["with a failed call of its tool", claimed(booked, [tool("book_room", 1, { failed: true })]), "failed"],
    ["with the tool of another action", claimed(booked, [tool("send_sms", 1)]), "failed"],
    ["with its tool", claimed(booked, [tool("createReservation", 1)]), "passed"],
    ["with a tool whose name fits any action", claimed(booked, [tool("submit", 1)]), "passed"],
    [
      "with its tool in a later turn",
      conversation(["caller: Please", `agent: ${booked}`, "caller: Ok", "agent: Hm"], {
        toolCalls: [tool("book_room", 3)],
      }),
      "failed",
    ],
    ["in the passive", claimed("Your appointment has been successfully rescheduled."), "failed"],
    ["as a condition", claimed("Once I have booked the room you will get a code."), "not_graded"],
    ["as a question", claimed("Have I booked the right room?"), "not_graded"],
    ["as a denial", claimed("I have not booked anything."), "not_graded"],
    ["as an offer", claimed("Your room can be booked online."), "not_graded"],
    ["while tool calls are not visible", claimed(booked, [], { toolsVisible: false }), "not_graded"],
  ])("$0 is $2", (_, sketch, expected) => {
    expect(verdict("claimed_without_tool_call", sketch)).toBe(expected);
  });
});

describe("times of speech", () => {
  const spoken = (pauseMs: number): Sketch => ({
    ...conversation([]),
    modality: "voice",
    turns: Array.from({ length: 8 }, (_, i) => {
      const from = Math.floor(i / 2) * (6000 + pauseMs) + (i % 2) * (1000 + pauseMs);
      return { speaker: i % 2 === 0 ? "caller" : "agent", from, to: from + 1000, text: "words" };
    }),
  });

  test("times of speech fail the grader of response latency beyond three seconds", () => {
    expect(verdict("response_latency", spoken(900))).toBe("passed");
    expect(verdict("response_latency", spoken(3_500))).toBe("failed");
    expect(verdict("response_latency", conversation(["agent: Hello"]))).toBe("not_graded");
  });

  test("times of speech give a score of turn taking, and a conversation without them gets no score", () => {
    const good = gradeBuiltIn("turn_taking", evidenceFrom(spoken(900)));
    const slow = gradeBuiltIn("turn_taking", evidenceFrom(spoken(3_500)));
    expect(good).toMatchObject({ verdict: "passed", score: 1 });
    expect(slow).toMatchObject({ verdict: "failed", score: 0.5 });
    expect(gradeBuiltIn("turn_taking", evidenceFrom(conversation(["agent: Hello"])))).toMatchObject({
      verdict: "not_graded",
    });
  });
});

test("every built-in grader gives a reason, and evidence that exists, on every labelled conversation", () => {
  const evidences = new Set(labelledBehaviors().map(({ evidence }) => evidence));
  const names = Object.keys(BUILT_IN) as BuiltInName[];
  for (const evidence of evidences) {
    for (const name of names) {
      const { reason, evidence: proofs } = gradeBuiltIn(name, evidence);
      expect(reason, name).toMatch(/\.$/);
      for (const proof of proofs)
        expect("turn" in proof ? evidence.turns[proof.turn] : evidence.toolCalls[proof.toolCall]).toBeDefined();
    }
  }
});

test("a conversation without turns is not graded", () => {
  for (const name of Object.keys(BUILT_IN) as BuiltInName[]) expect(verdict(name, conversation([]))).toBe("not_graded");
});
