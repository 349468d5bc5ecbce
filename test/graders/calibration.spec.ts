import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { calibrationOf } from "../../packages/server/src/grading/judge/calibration.ts";
import { gapOf } from "../../packages/server/src/grading/judge/transcript.ts";
import { labelledSet } from "../../packages/server/src/grading/judge/labelled-set.ts";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { openHome } from "../support/cli.ts";
import {
  answers,
  answersWith,
  type Asked,
  type Behavior,
  fakeEndpoint,
  hangs,
  refuses,
} from "../support/language-model/fake-endpoint.ts";
import { decides, lastPrompt, passesWithProof, recordLines } from "../support/language-model/judge-replies.ts";
import { chatConnection, played, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const set = labelledSet();
const all = set.conversations.flatMap((conversation) =>
  conversation.behaviors.map((labelled) => ({ ...labelled, conversation })),
);

describe("the labelled set", () => {
  test("has at least 200 behaviors over at least 40 conversations, half failing", () => {
    expect(all.length).toBeGreaterThanOrEqual(200);
    expect(set.conversations.length).toBeGreaterThanOrEqual(40);
    const failing = all.filter(({ label }) => label === "failed").length / all.length;
    expect(Math.abs(failing - 0.5)).toBeLessThan(0.02);
  });

  test("has whole records, tool calls in the agent's turns and reasons that name turns of the record", () => {
    for (const { id, evidence, behaviors } of set.conversations) {
      expect(gapOf(evidence), id).toBeNull();
      for (const { turn } of evidence.toolCalls) expect(evidence.turns[turn!]?.speaker, id).toBe("agent");
      for (const { why } of behaviors)
        for (const [, turn] of why.matchAll(/[Tt]urns? (\d+)/g))
          expect(Number(turn), `${id}: ${why}`).toBeLessThan(evidence.turns.length);
    }
  });
});

/** Returns a judge that gives each behavior its label, except the behaviors that `errs` names. */
const labelJudge = (errs: (behavior: string, conversationId: string) => boolean) => (asked: Asked) => {
  const prompt = lastPrompt(asked);
  const { id, behaviors } = set.conversations.find(({ evidence }) => prompt.includes(evidence.scenario!))!;
  const line = recordLines(prompt).find((text) => /^\[\d+\] agent: \S+ \S+ \S/.test(text))!;
  const [, turn, quote] = /^\[(\d+)\] agent: (.*)$/.exec(line)!;
  return decides((behavior) => {
    const isPass = (behaviors.find((one) => one.behavior === behavior)!.label === "passed") !== errs(behavior, id);
    return { status: isPass ? "pass" : "fail", evidence: [{ turn: Number(turn), quote: quote! }] };
  })(asked);
};

let endpoint: Awaited<ReturnType<typeof fakeEndpoint>>;
let server: TestServer;
let agent: ChatAgent;
let home: ReturnType<typeof openHome>;
let judge: Behavior;
beforeAll(async () => {
  endpoint = await fakeEndpoint((...asked) => judge(...asked));
  const { baseUrl, apiKey, model } = endpoint.settings;
  const settings = { SVC_LLM_BASE_URL: baseUrl, SVC_LLM_API_KEY: apiKey, SVC_LLM_MODEL: model };
  server = await startServer({
    settings: { ...settings, SVC_LLM_PRICE_INPUT: "1", SVC_LLM_PRICE_OUTPUT: "1" },
  });
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  agent = await startChatAgent((spoken) => (spoken.event === "start" ? {} : { message: "Of course, a room for two." }));
});
afterAll(async () => {
  home.remove();
  agent.stop();
  endpoint.stop();
  await server.stop();
});
beforeEach(() => {
  judge = answers(labelJudge(() => false));
});

const calibrated = async () => {
  await server.client.judge.calibrate({});
  return until("the judge is calibrated", async () => {
    const state = await server.client.judge.calibrations({});
    return state.running === null && state;
  });
};

describe("a calibration", () => {
  test("without a wrong verdict has no misses, and intervals that do not claim more than the set shows", async () => {
    const { failure, calibrations } = await calibrated();
    expect([failure, calibrations.length]).toEqual([null, 1]);
    const [calibration] = calibrations;
    expect(calibration).toMatchObject({
      judge: { model: "fake-1-2026-01", dialect: "full" },
      setVersion: set.version,
      behaviors: all.length,
      conversations: set.conversations.length,
      accuracy: { count: all.length, of: all.length, share: 1, high: 1 },
      falsePass: { count: 0, share: 0, low: 0 },
      falseFail: { count: 0, share: 0, low: 0 },
      undecided: 0,
      misses: [],
    });
    expect(calibration!.falsePass.high!).toBeGreaterThan(0.02);
    expect(calibration!.usage.cost).toBeGreaterThan(0);
  });

  test("counts and lists the false passes and the false fails, and replaces the judge's earlier result", async () => {
    const wrong = new Set(all.filter((_, index) => index % 9 === 0));
    judge = answers(
      labelJudge((behavior, id) => [...wrong].some((one) => one.behavior === behavior && one.conversation.id === id)),
    );
    const { calibrations } = await calibrated();
    const count = (label: string) => [...wrong].filter((one) => one.label === label).length;
    expect(calibrations).toHaveLength(1);
    const [{ falsePass, falseFail, misses, accuracy }] = calibrations as [(typeof calibrations)[number]];
    expect([falsePass.count, falseFail.count]).toEqual([count("failed"), count("passed")]);
    expect(accuracy.count).toBe(all.length - wrong.size);
    expect(misses.map(({ conversationId, behavior }) => [conversationId, behavior])).toEqual(
      [...wrong].map(({ conversation, behavior }) => [conversation.id, behavior]),
    );
  });

  test("with several models behind one name has no result, and says what to set", async () => {
    let requests = 0;
    const content = labelJudge(() => false);
    judge = (...asked) => answersWith(content, { model: requests++ % 2 === 0 ? "model-a" : "model-b" })(...asked);
    const before = (await server.client.judge.calibrations({})).calibrations;
    const { failure, calibrations } = await calibrated();
    expect(failure).toMatch(/^The endpoint answered with several models \(model-a, model-b\).* Set SVC_LLM_MODEL /);
    expect(calibrations).toEqual(before);
  });

  test("shows its progress, and a second start joins the one under way", async () => {
    let isHeld = true;
    const right = answers(labelJudge(() => false));
    judge = (...asked) =>
      void until("it goes on", async () => {
        if (!isHeld) right(...asked);
        return !isHeld;
      });
    const started = await server.client.judge.calibrate({});
    const again = await server.client.judge.calibrate({});
    expect(started.running).toMatchObject({ done: 0, total: all.length });
    expect(again.running!.startedAt).toBe(started.running!.startedAt);
    isHeld = false;
    await until("it has ended", async () => (await server.client.judge.calibrations({})).running === null);
  });

  test("whose endpoint fails has no result but the reason, and the earlier result stays", async () => {
    judge = refuses(401);
    const { failure, calibrations } = await calibrated();
    expect(failure).toMatch(/could not be judged.*refuses the key/);
    expect(calibrations).toHaveLength(1);
  });

  test("is shown beside the verdicts of the same judge, and not beside those of another", async () => {
    await calibrated();
    const target = await chatConnection(server.client, agent.url);
    const testVersions = await versionsOf(server.client, [
      { scenario: "Caller says: I'd like a room.", behaviors: ["Is polite."] },
    ]);
    const simulationBy = async (model: string) => {
      judge = (asked, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(
          JSON.stringify({
            model,
            choices: [{ message: { content: passesWithProof(asked) }, finish_reason: "stop" }],
          }),
        );
      const { id } = await startRun(server.client, { ...target, testVersions, caller: "scripted" });
      return (await played(server, id)).simulations[0]!;
    };
    const known = await simulationBy("fake-1-2026-01");
    expect(known.grades[0]!.calibration).toMatchObject({ accuracy: { share: 1 }, setVersion: set.version });
    const other = await simulationBy("another-2");
    expect(other.grades[0]).toMatchObject({ judge: { model: "another-2" }, calibration: null });
    expect((await home.svc(["simulations", "show", known.id])).stdout).toMatch(
      /Judge\s+fake-1-2026-01, prompt \d+, full dialect: accuracy 100 %/,
    );
    expect((await home.svc(["simulations", "show", other.id])).stdout).toMatch(/another-2.*not calibrated/);
  });

  test("svc judge calibrate waits and prints the rates and the misses; svc judge show prints them again", async () => {
    judge = answers(labelJudge((behavior) => behavior === all[0]!.behavior));
    const { stdout, exitCode } = await home.svc(["judge", "calibrate"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/False passes\s+[\d.]+ % \(\d+ of \d+, 95 % interval/);
    expect(stdout).toContain(all[0]!.why);
    expect((await home.svc(["judge", "show"])).stdout).toBe(stdout);
    judge = refuses(401);
    const failed = await home.svc(["judge", "calibrate"]);
    expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringMatching(/refuses the key/)]);
  });

  test("that a stop of the service interrupts has no result", async () => {
    const { baseUrl, apiKey, model } = endpoint.settings;
    const settings = { SVC_LLM_BASE_URL: baseUrl, SVC_LLM_API_KEY: apiKey, SVC_LLM_MODEL: model };
    const short = await startServer({ settings });
    judge = hangs;
    await short.client.judge.calibrate({});
    await short.stop();
    const { dataDir } = short;
    const next = await startServer({ settings, dataDir });
    expect(await next.client.judge.calibrations({})).toEqual({ running: null, failure: null, calibrations: [] });
    await next.stop();
  });

  test("is refused without a language model, with the mend", async () => {
    const bare = await startServer();
    await expect(bare.client.judge.calibrate({})).rejects.toThrow(/Set SVC_LLM_BASE_URL/);
    await bare.stop();
  });
});

test("a calibration in which the endpoint failed more than one in twenty behaviors has no result", () => {
  const identity = { model: "m", promptVersion: "2", dialect: "full" as const };
  const behaviors = all.slice(0, 100).map(({ conversation, ...labelled }, index) => ({
    ...labelled,
    conversationId: conversation.id,
    judgement: {
      decision: { verdict: index < 6 ? ("errored" as const) : labelled.label, reason: "down", evidence: [] },
      confidence: null,
      votes: [],
      identity,
      usage: { requests: 1, inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, cost: null },
    },
  }));
  const times = { startedAt: "2026-01-01T00:00:00.000Z", finishedAt: "2026-01-01T00:01:00.000Z" };
  expect(calibrationOf(set, behaviors, times)).toEqual({ failure: "6 of 100 behaviors could not be judged. down" });
  expect(calibrationOf(set, behaviors.slice(2), times)).toMatchObject({ undecided: 4 });
});
