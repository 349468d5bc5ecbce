import { describe, expect, test } from "vitest";
import { decideByCode } from "../../packages/server/src/grading/expected-behaviors.ts";
import { asksAtMost } from "../../packages/server/src/grading/judge/judge.ts";
import { evidenceFrom, labelledBehaviors } from "../support/labelled-behaviors.ts";
import {
  answers,
  answersWith,
  type Asked,
  type Behavior,
  hangs,
  refuses,
  sendsRaw,
} from "../support/language-model/fake-endpoint.ts";
import {
  askedBehaviors,
  decides,
  itemOf,
  judgement,
  lastPrompt,
  outsideFences,
  replyOf,
} from "../support/language-model/judge-replies.ts";
import {
  BEHAVIOR,
  evidence,
  fail,
  judged,
  open,
  pass,
  PROHIBITION,
  type Reply,
  shown,
  sketch,
} from "../support/language-model/judged.ts";

const invented = { evidence: [{ turn: 2, quote: "breakfast is included" }] };

describe("a verdict of the judge", () => {
  test.each<[string, Reply[], string, number]>([
    ["two passes", [pass, pass], "passed", 2],
    ["two failures", [fail, fail], "failed", 2],
    ["a pass, a failure and a pass", [pass, fail, pass], "passed", 3],
    ["a failure, a pass and a failure", [fail, pass, fail], "failed", 3],
    ["a pass and two failures", [pass, fail, fail], "failed", 3],
    ["a failure and two passes", [fail, pass, pass], "passed", 3],
    ["one pass, one failure and one inconclusive vote", [pass, fail, open], "inconclusive", 3],
    ["two inconclusive votes", [open, open], "inconclusive", 2],
  ])("a verdict of the judge after %s is what two votes say", async (_, replies, verdict, requests) => {
    const { first, asked } = await judged(replies);
    expect([first.decision.verdict, asked.length, first.votes.length]).toEqual([verdict, requests, requests]);
  });

  test("a pass and a failure need the same proof and the same number of votes", async () => {
    for (const [status, behavior, verdict] of [
      ["pass", BEHAVIOR, "passed"],
      ["fail", PROHIBITION, "failed"],
    ] as const) {
      expect((await judged([judgement(status, shown)], [behavior])).verdicts).toEqual([verdict]);
      expect((await judged([judgement(status)], [behavior])).verdicts).toEqual(["inconclusive"]);
      expect((await judged([judgement(status, shown), open, open], [behavior])).verdicts).toEqual(["inconclusive"]);
    }
  });

  test("a verdict of the judge names its quotes with their speaker and the least confidence of its votes", async () => {
    const { first } = await judged([pass, judgement("pass", { ...shown, confidence: 0.6 })]);
    expect(first.decision.evidence).toEqual([{ turn: 2, speaker: "agent", quote: "the price is 240 Euros" }]);
    expect(first.confidence).toBe(0.6);
  });

  test("a verdict of the judge has the served model, the prompt's version and the dialect as its identity, and its share of the tokens", async () => {
    const { judgements } = await judged([pass], ["tells the price", "books the room", "says hello"]);
    for (const { identity } of judgements)
      expect(identity).toEqual({
        model: "fake-1-2026-01",
        promptVersion: expect.stringMatching(/^\d+$/),
        dialect: "full",
      });
    const tokens = judgements.map(({ usage }) => usage.inputTokens!);
    expect(tokens.reduce((sum, count) => sum + count)).toBe(2 * 10);
    expect(judgements.map(({ usage }) => [usage.requests, usage.cost])).toEqual([1, 2, 3].map(() => [2, null]));
  });

  test("a verdict of the judge has the plain dialect in its identity when the endpoint refuses the full one", async () => {
    const picky: Behavior = (asked, response, raw) =>
      ("temperature" in asked.body ? refuses(400) : answers(pass))(asked, response, raw);
    expect((await judged([picky])).first.identity).toMatchObject({ dialect: "plain" });
  });

  test("a verdict of the judge records the model's name, the wording and the raw items of each vote", async () => {
    const { first, asked } = await judged([fail]);
    expect(first.votes.map(({ model, wording }) => [model, wording])).toEqual([
      ["fake-1-2026-01", 0],
      ["fake-1-2026-01", 1],
    ]);
    expect(first.votes[0]!.replies).toEqual(JSON.parse(fail(asked[0]!)).judgements);
  });
});

describe("an unusable answer", () => {
  test("an unusable answer with a faulty quote is requested again, with the named line in a fence", async () => {
    const { first, asked } = await judged([judgement("pass", invented), pass, pass]);
    expect([first.decision.verdict, asked.length, first.votes.length]).toEqual(["passed", 3, 2]);
    const prompt = lastPrompt(asked[1]!);
    expect(prompt).toMatch(/breakfast is included[^]*\[2\] agent: Booked! The price is 240 euros/);
    expect(outsideFences(prompt)).not.toMatch(/breakfast|240/);
    expect(first.votes[0]!.replies).toHaveLength(2);
  });

  test("an unusable answer with faulty quotes in every answer is inconclusive and keeps the quotes with their faults", async () => {
    const { first, asked } = await judged([judgement("pass", invented)]);
    expect([first.decision.verdict, asked.length]).toEqual(["inconclusive", 6]);
    expect(first.votes[0]!.evidence[0]).toMatchObject({
      foundIn: null,
      fault: expect.stringMatching(/does not say this/),
    });
    expect(first.decision.reason).toMatch(/breakfast is included/);
  });

  test.each<[string, Reply]>([
    ["prose", "I think it passes."],
    ["prose around JSON", (asked) => `Sure! ${pass(asked)}`],
    ["an empty text", ""],
    ["another object", '{"status":"pass"}'],
    ["a list", "[]"],
    ["an unknown status", (asked) => pass(asked).replaceAll('"pass"', '"passed"')],
    ["an additional member", (asked) => pass(asked).replaceAll('"status"', '"verdict":"pass","status"')],
    ["a member twice", (asked) => pass(asked).replaceAll('"status":', '"status":"fail","status":')],
    [
      "a member twice, once with an escape",
      (asked) => pass(asked).replace('"status":', '"st\\u0061tus":"fail","status":'),
    ],
    ["its list twice", (asked) => pass(asked).replace('{"judgements":', '{"judgements":[],"judgements":')],
    ["the ids of other behaviors", (asked) => pass(asked).replaceAll(askedBehaviors(asked)[0]!.id, "b00000")],
    ["two items for one behavior", (asked) => replyOf([1, 2].map(() => JSON.parse(pass(asked)).judgements[0]))],
    ["no item", replyOf([])],
  ])("(%s) never passes or fails: it is errored after three requests for each of two votes", async (_, reply) => {
    const { first, asked } = await judged([reply]);
    expect([first.decision.verdict, asked.length]).toEqual(["errored", 6]);
    expect(first.decision.reason).toMatch(/no valid judgement in 3 answers/);
  });

  test("an unusable answer that was cut at its token limit is not read, and a smaller question follows", async () => {
    const behaviors = ["one", "two", "three", "four"];
    const cut: Behavior = (asked, response, request) =>
      answersWith(pass, { finish: askedBehaviors(asked).length > 2 ? "length" : "stop" })(asked, response, request);
    const { verdicts, asked } = await judged([cut], behaviors);
    expect(verdicts).toEqual(behaviors.map(() => "passed"));
    expect(asked.map((each) => askedBehaviors(each).length)).toEqual([4, 2, 2, 4, 2, 2]);
  });

  test("an unusable answer that is always cut is errored", async () => {
    expect((await judged([answersWith(pass, { finish: "length" })], ["one", "two"])).verdicts).toEqual([
      "errored",
      "errored",
    ]);
  });

  test.each<[string, Behavior[], string, number]>([
    ["answers after 429 and 500", [refuses(429), refuses(500), answers(pass)], "passed", 4],
    ["refuses the key", [refuses(401)], "errored", 1],
    ["always answers 503", [refuses(503)], "errored", 4],
    ["sends HTML", [sendsRaw("<html>")], "errored", 1],
  ])(
    "an unusable answer from an endpoint that %s is %3$s after %4$i requests",
    async (_, behaviors, verdict, requests) => {
      const { first, asked } = await judged(behaviors);
      expect([first.decision.verdict, asked.length]).toEqual([verdict, requests]);
      expect(first.decision.reason).not.toContain("secret");
    },
  );

  test("an unusable answer from an endpoint that hangs is errored in time", async () => {
    expect((await judged([hangs], [BEHAVIOR], evidence, { timeoutMs: 80 })).verdicts).toEqual(["errored"]);
  });
});

describe("the behaviors of a conversation", () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `shows the behavior number ${i}`);

  test("share one request per vote, and each has its own verdict", async () => {
    const byName = decides((behavior) =>
      behavior.endsWith("1") ? { status: "fail", ...shown } : { status: "pass", ...shown },
    );
    const { verdicts, asked } = await judged([byName], many(3));
    expect([verdicts, asked.length]).toEqual([["passed", "failed", "passed"], 2]);
  });

  test("the behaviors of a conversation are at most twelve in one request, and no more requests than the plan says", async () => {
    const { verdicts, asked } = await judged([pass], many(30));
    expect(verdicts).toEqual(many(30).map(() => "passed"));
    expect(asked.map((each) => askedBehaviors(each).length)).toEqual([12, 12, 6, 12, 12, 6]);
    const worst = await judged([judgement("pass", invented)], many(30));
    expect(worst.asked.length).toBeLessThanOrEqual(asksAtMost(30));
  });

  test("the behaviors of a conversation that an answer leaves out are asked for again, alone, and the others keep their vote", async () => {
    const forgets = (asked: Asked) => replyOf(JSON.parse(pass(asked)).judgements.slice(0, 2));
    const { verdicts, asked } = await judged([forgets, pass, pass], many(3));
    expect(verdicts).toEqual(["passed", "passed", "passed"]);
    expect(asked.map((each) => askedBehaviors(each).length)).toEqual([3, 1, 3]);
  });

  test("the behaviors of a conversation with ids that were not in the question change nothing", async () => {
    const adds = (asked: Asked) =>
      replyOf([...JSON.parse(pass(asked)).judgements, itemOf("bzzzzz", "fail"), { behavior: 7 }, null]);
    const { verdicts, asked } = await judged([adds], many(2));
    expect([verdicts, asked.length]).toEqual([["passed", "passed"], 2]);
  });

  test("the behaviors of a conversation that are always left out are errored, and the others decided", async () => {
    const forgets = (asked: Asked) =>
      replyOf(
        askedBehaviors(asked).flatMap(({ id, behavior }) =>
          behavior.endsWith("1") ? [] : [itemOf(id, "pass", shown)],
        ),
      );
    expect((await judged([forgets], many(3))).verdicts).toEqual(["passed", "errored", "passed"]);
  });

  test("the behaviors of a conversation may be equal sentences", async () => {
    expect((await judged([pass], [BEHAVIOR, BEHAVIOR])).verdicts).toEqual(["passed", "passed"]);
  });

  test("the behaviors of a conversation that two votes decided are not asked about a third time", async () => {
    let asks = 0;
    const unsure = (asked: Asked) => {
      asks++;
      return decides((behavior) =>
        behavior.endsWith("1") && asks === 2 ? { status: "fail", ...shown } : { status: "pass", ...shown },
      )(asked);
    };
    const { verdicts, asked } = await judged([unsure], many(3));
    expect(verdicts).toEqual(["passed", "passed", "passed"]);
    expect(asked.map((each) => askedBehaviors(each).length)).toEqual([3, 3, 1]);
  });
});

describe("an expected behavior", () => {
  test("an expected behavior with a form is decided without the judge", () => {
    expect(decideByCode("calls book_room", evidence, true)).toMatchObject({
      by: "check",
      decision: { verdict: "passed" },
    });
  });

  test("an expected behavior without a form is not graded when there is no judge", () => {
    const decided = decideByCode(BEHAVIOR, evidence, false);
    expect(decided).toMatchObject({ by: "none", decision: { verdict: "not_graded" } });
    expect(decideByCode(BEHAVIOR, evidence, true)).toBeNull();
  });

  test("an expected behavior with a form that the code cannot decide goes to the judge when there is one", () => {
    const asking = evidenceFrom({
      ...sketch,
      turns: [{ speaker: "agent", from: 0, to: 1, text: "Who is your emergency contact?" }],
    });
    const behavior = 'says "emergency contacts"';
    expect(decideByCode(behavior, asking, false)).toMatchObject({ by: "check", decision: { verdict: "inconclusive" } });
    expect(decideByCode(behavior, asking, true)).toBeNull();
  });

  test("an expected behavior from the labelled set gets its label from a judge that returns the labels", async () => {
    const ofJudge = labelledBehaviors().filter(({ by }) => by === "judge");
    expect(ofJudge.length).toBeGreaterThanOrEqual(15);
    const status = { passed: "pass", failed: "fail", inconclusive: "inconclusive" } as const;
    for (const { behavior, expected, evidence: on } of ofJudge) {
      const turn = on.turns.findIndex(({ text, speaker }) => speaker === "agent" && (text?.length ?? 0) > 3);
      const quotes = turn < 0 ? [] : [{ turn, quote: on.turns[turn]!.text! }];
      const reply = judgement(status[expected as keyof typeof status], { evidence: quotes });
      expect((await judged([reply], [behavior], on)).verdicts, behavior).toEqual([expected]);
    }
  });
});
