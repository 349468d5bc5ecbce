import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JudgeCalibration } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCalibrationStore } from "../../packages/server/src/grading/graders/store/calibrations.ts";
import { openSqlite } from "../../packages/server/src/stores/sqlite/sqlite.ts";
import { calibrationOf } from "../../packages/server/src/grading/judge/calibration.ts";
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

/** Returns a fake judge whose verdicts are the labels, except for the behaviors that `errs` selects. */
const labelJudge = (errs: (behavior: string, conversationId: string) => boolean) => (asked: Asked) => {
  const prompt = lastPrompt(asked);
  const { id, behaviors } = set.conversations.find(
    ({ evidence }) =>
      prompt.includes(evidence.scenario!) && evidence.turns.every(({ text }) => prompt.includes(`: ${text}`)),
  )!;
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
  test("a calibration without a wrong verdict has no misses, and intervals that do not claim more than the set shows", async () => {
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
      balancedAccuracy: { value: 1, high: 1 },
      kappa: { value: 1, high: 1 },
      inconclusive: { count: 0, share: 0, low: 0 },
      unusable: { count: 0, share: 0, low: 0 },
      undecided: 0,
      misses: [],
    });
    expect(calibration!.falsePass.high!).toBeGreaterThan(0.02);
    expect(calibration!.usage.cost).toBeGreaterThan(0);
  });

  test("a calibration counts and lists the false passes and the false fails, and replaces the judge's earlier result", async () => {
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

  test("a calibration has a result for a judge whose replies are all refused, without a kappa", async () => {
    judge = answers("I think that they all pass.");
    const { failure, calibrations } = await calibrated();
    expect([failure, calibrations.length]).toEqual([null, 1]);
    expect(calibrations[0]).toMatchObject({
      accuracy: { share: 0 },
      unusable: { count: all.length, share: 1 },
      inconclusive: { count: 0 },
      balancedAccuracy: { value: 0 },
      kappa: { value: null, low: null, high: null },
    });
    expect((await home.svc(["judge", "show"])).stdout).toMatch(/Kappa\s+not known\n[^]*No usable reply\s+100 %/);
  });

  test("a calibration with several models behind one name has no result, and says what to set", async () => {
    let requests = 0;
    const content = labelJudge(() => false);
    judge = (...asked) => answersWith(content, { model: requests++ % 2 === 0 ? "model-a" : "model-b" })(...asked);
    const before = (await server.client.judge.calibrations({})).calibrations;
    const { failure, calibrations } = await calibrated();
    expect(failure).toMatch(
      /^The endpoint answered with several models \(model-a, model-b\).* Set the language model's name /,
    );
    expect(calibrations).toEqual(before);
  });

  test("a calibration shows its progress, and a second start joins the one under way", async () => {
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

  test("a calibration whose endpoint fails has no result but the reason, and the earlier result stays", async () => {
    judge = refuses(401);
    const { failure, calibrations } = await calibrated();
    expect(failure).toMatch(/could not be judged.*refuses the key/);
    expect(calibrations).toHaveLength(1);
  });

  test("a calibration is shown beside the verdicts of the same judge, and not beside those of another", async () => {
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
    for (const name of ["Accuracy", "False passes", "False fails", "Inconclusive", "No usable reply"])
      expect(stdout).toMatch(new RegExp(`${name}\\s+[\\d.]+ % \\(\\d+ of \\d+, 95 % interval [\\d.]+ to [\\d.]+ %\\)`));
    for (const name of ["Balanced accuracy", "Kappa"])
      expect(stdout).toMatch(new RegExp(`${name}\\s+[\\d.]+, 95 % interval [\\d.]+ to [\\d.]+`));
    expect(stdout).toContain(all[0]!.why);
    expect((await home.svc(["judge", "show"])).stdout).toBe(stdout);
    judge = refuses(401);
    const failed = await home.svc(["judge", "calibrate"]);
    expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringMatching(/refuses the key/)]);
  });

  test("a calibration that a stop of the service interrupts has no result", async () => {
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

  test("a calibration is refused without a language model, with the remedy", async () => {
    const bare = await startServer();
    await expect(bare.client.judge.calibrate({})).rejects.toThrow(/Set a language model/);
    await bare.stop();
  });
});

describe("the rates of a calibration", () => {
  const identity = { model: "m", promptVersion: "2", dialect: "full" as const };
  const times = { startedAt: "2026-01-01T00:00:00.000Z", finishedAt: "2026-01-01T00:01:00.000Z" };
  type Verdict = "passed" | "failed" | "inconclusive" | "errored";
  const judgedAs = (verdicts: readonly { label: "passed" | "failed"; verdict: Verdict }[]) =>
    verdicts.map(({ label, verdict }) => ({
      behavior: "tells the price",
      label,
      why: "It does.",
      conversationId: "c1",
      judgement: {
        decision: { verdict, reason: "down", evidence: [] },
        confidence: null,
        votes: [],
        identity,
        usage: { requests: 1, inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, cost: null },
      },
    }));
  const timesOf = (label: "passed" | "failed", counts: Partial<Record<Verdict, number>>) =>
    (Object.entries(counts) as [Verdict, number][]).flatMap(([verdict, count]) =>
      Array.from({ length: count }, () => ({ label, verdict })),
    );

  test("the rates of a calibration do not exist when the endpoint failed more than one in twenty behaviors", () => {
    const behaviors = judgedAs([...timesOf("passed", { errored: 6, passed: 94 })]);
    expect(calibrationOf(set, behaviors, times)).toEqual({ failure: "6 of 100 behaviors could not be judged. down" });
    expect(calibrationOf(set, behaviors.slice(2), times)).toMatchObject({
      undecided: 4,
      unusable: { count: 4, of: 98 },
    });
  });

  test("the rates of a calibration count each kind of miss apart", () => {
    const behaviors = judgedAs([
      ...timesOf("passed", { passed: 60, failed: 10, inconclusive: 8, errored: 2 }),
      ...timesOf("failed", { failed: 15, passed: 4, inconclusive: 1 }),
    ]);
    const result = calibrationOf(set, behaviors, times);
    expect(result).toMatchObject({
      accuracy: { count: 75, of: 100 },
      falsePass: { count: 4, of: 20 },
      falseFail: { count: 10, of: 80 },
      inconclusive: { count: 9, of: 100 },
      unusable: { count: 2, of: 100 },
      undecided: 11,
      balancedAccuracy: { value: (60 / 80 + 15 / 20) / 2 },
    });
    // 89 behaviors are decided. 64 of them passed, 60 of these rightly, and 25 failed. 70 of the 89 have the label `passed`.
    const byChance = (64 * 70 + 25 * 19) / 89 ** 2;
    expect(result).toMatchObject({ kappa: { value: expect.closeTo((75 / 89 - byChance) / (1 - byChance), 10) } });
  });

  test("the rates of a calibration show a judge that passes everything, which accuracy alone does not", () => {
    const behaviors = judgedAs([...timesOf("passed", { passed: 90 }), ...timesOf("failed", { passed: 10 })]);
    expect(calibrationOf(set, behaviors, times)).toMatchObject({
      accuracy: { share: 0.9 },
      balancedAccuracy: { value: 0.5 },
      kappa: { value: 0 },
    });
  });

  test("the rates of a calibration are computed again for a stored result of an earlier version, which had fewer", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-spec-"));
    const { db, close } = openSqlite(dataDir);
    const store = createCalibrationStore(db);
    const behaviors = judgedAs([
      ...timesOf("passed", { passed: 50, failed: 5, inconclusive: 5 }),
      ...timesOf("failed", { failed: 38, passed: 2 }),
    ]);
    const result = calibrationOf(set, behaviors, times) as JudgeCalibration;
    const { balancedAccuracy: _1, kappa: _2, inconclusive: _3, unusable: _4, ...earlier } = result;
    await store.put("", earlier as JudgeCalibration);
    expect(await store.list("")).toEqual([result]);
    await close();
    rmSync(dataDir, { recursive: true });
  });
});
