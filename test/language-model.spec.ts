import { afterEach, describe, expect, test } from "vitest";
import {
  LanguageModelFailure,
  createLanguageModel,
  type Request,
} from "../packages/server/src/grading/language-model/language-model.ts";
import type { LanguageModelSettings } from "../packages/server/src/base/config/config.ts";
import { addUsage, sharesOf } from "../packages/server/src/grading/language-model/usage.ts";
import {
  answers,
  answersWith,
  type Behavior,
  breaksOff,
  callsTools,
  fakeEndpoint,
  hangs,
  refuses,
  sendsRaw,
} from "./support/language-model/fake-endpoint.ts";

const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

const PAUSE_MS = 5;

async function model(...behaviors: Behavior[]) {
  const endpoint = await fakeEndpoint(...behaviors);
  stops.push(endpoint.stop);
  return { ...endpoint, ...createLanguageModel(endpoint.settings, PAUSE_MS) };
}

const request: Request = {
  messages: [{ role: "user", content: "Hello" }],
  temperature: 0,
  maxTokens: 100,
  timeoutMs: 5_000,
};

const failureOf = (answer: Promise<unknown>): Promise<LanguageModelFailure> =>
  answer.then(
    () => expect.fail("it answered"),
    (error) => {
      expect(error).toBeInstanceOf(LanguageModelFailure);
      return error as LanguageModelFailure;
    },
  );

describe("a language model", () => {
  test("a request has the key, a temperature and a schema, and the answer is text", async () => {
    const { complete, asked } = await model(answers("Hi"));
    const jsonSchema = { name: "shape", schema: { type: "object" } };
    expect(await complete({ ...request, jsonSchema })).toMatchObject({ text: "Hi", toolCalls: [] });
    expect(asked[0]).toEqual({
      authorization: "Bearer fake-key-of-the-model",
      body: {
        model: "fake-1",
        messages: [{ role: "user", content: "Hello" }],
        temperature: 0,
        max_tokens: 100,
        response_format: { type: "json_schema", json_schema: { ...jsonSchema, strict: true } },
      },
    });
  });

  test("an answer has the tool calls of the model", async () => {
    const { complete, asked } = await model(callsTools({ name: "end_call", arguments: '{"why":"done"}' }));
    const tools = [{ name: "end_call", description: "Ends the call.", parameters: { type: "object" } }];
    const toolCalls = [{ name: "end_call", arguments: '{"why":"done"}' }];
    expect(await complete({ ...request, tools })).toMatchObject({ text: "", toolCalls });
    expect(asked[0]!.body.tools).toEqual([{ type: "function", function: tools[0] }]);
  });

  test("an answer has the served model, the reason of its end, its tokens and their cost", async () => {
    const members = {
      finish: "length",
      model: "served-2",
      usage: { prompt_tokens: 1_000, completion_tokens: 100, prompt_tokens_details: { cached_tokens: 400 } },
    };
    const endpoint = await fakeEndpoint(answersWith("Hi", members));
    stops.push(endpoint.stop);
    const ask = (prices: LanguageModelSettings["prices"]) =>
      createLanguageModel({ ...endpoint.settings, prices }, PAUSE_MS).complete(request);
    const tokens = { requests: 1, inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 100 };
    expect(await ask(undefined)).toMatchObject({
      finishReason: "length",
      servedModel: "served-2",
      dialect: "full",
      usage: { ...tokens, cost: null },
    });
    expect((await ask({ input: 2, output: 10 })).usage.cost).toBeCloseTo(0.003, 10);
  });

  test.each([
    ["no usage", { usage: undefined }],
    ["usage without numbers", { usage: { prompt_tokens: "many" } }],
    ["usage that is null", { usage: null }],
  ])("an answer with %s has unknown tokens and an unknown cost, never zero", async (_, members) => {
    const endpoint = await fakeEndpoint(answersWith("Hi", members));
    stops.push(endpoint.stop);
    const prices = { input: 2, output: 10 };
    const { usage } = await createLanguageModel({ ...endpoint.settings, prices }, PAUSE_MS).complete(request);
    expect(usage).toEqual({
      requests: 1,
      inputTokens: null,
      cachedInputTokens: null,
      outputTokens: null,
      cost: null,
    });
  });

  test("shares of usage add up to the usage", () => {
    const usage = { requests: 1, inputTokens: 1_001, cachedInputTokens: 7, outputTokens: 100, cost: 0.3 };
    const shares = sharesOf(usage, 7);
    const sum = shares.reduce(addUsage);
    expect(sum).toMatchObject({ inputTokens: 1_001, cachedInputTokens: 7, outputTokens: 100 });
    expect(sum.cost).toBeCloseTo(0.3, 12);
  });

  test.each<[string, Behavior]>([
    ["accepts no more requests", refuses(429)],
    ["fails", refuses(503)],
    ["breaks the connection", breaksOff],
  ])("a model that %s for a while gets the request again", async (_, behavior) => {
    const { complete, asked } = await model(behavior, behavior, answers("Hi"));
    expect((await complete(request)).text).toBe("Hi");
    expect(asked.length).toBe(3);
  });

  test("a model that never recovers fails after four tries, with a message that quotes nothing of it", async () => {
    const { complete, asked } = await model(refuses(500));
    const failure = await failureOf(complete(request));
    expect([failure.fault, failure.message, asked.length]).toEqual([
      "overloaded",
      "The language model failed to answer (500).",
      4,
    ]);
  });

  test("a Retry-After beyond the time limit fails at once", async () => {
    const { complete, asked } = await model(refuses(429, { "retry-after": "3600" }));
    const failure = await failureOf(complete({ ...request, timeoutMs: 1_000 }));
    expect([failure.fault, failure.retryAfterSeconds, asked.length]).toEqual(["rate_limited", 3600, 1]);
  });

  test.each<[string, Behavior, string]>([
    ["refuses the key", refuses(401), "credential_rejected"],
    ["refuses the request", refuses(404), "request_rejected"],
    ["has no quota left", sendsRaw('{"error":{"code":"insufficient_quota"}}', 429), "quota_exhausted"],
    ["wants to be paid", refuses(402), "quota_exhausted"],
    ["sends no JSON", sendsRaw("<html>"), "malformed"],
    ["sends something else", sendsRaw('{"choices":[]}'), "malformed"],
    ["redirects", sendsRaw("", 302), "request_rejected"],
    ["sends without end", sendsRaw("x".repeat(3 * 1024 * 1024)), "malformed"],
  ])("a model that %s is a failure whose message quotes nothing of it", async (_, behavior, fault) => {
    const { complete } = await model(behavior);
    const failure = await failureOf(complete(request));
    expect(failure.fault).toBe(fault);
    expect(failure.message).not.toMatch(/secret|fake-key/);
  });

  test("a model that hangs ends at the time limit, and at once when the caller cancels", async () => {
    const { complete } = await model(hangs);
    expect((await failureOf(complete({ ...request, timeoutMs: 80 }))).fault).toBe("timeout");
    expect((await failureOf(complete({ ...request, signal: AbortSignal.timeout(30) }))).fault).toBe("canceled");
    const busy = await model(refuses(429, { "retry-after": "4" }));
    expect((await failureOf(busy.complete({ ...request, signal: AbortSignal.timeout(50) }))).fault).toBe("canceled");
  });

  test("a model that refuses schemas or a temperature is asked again without them, and later requests omit them at once", async () => {
    const picky: Behavior = (asked, response, raw) =>
      ("temperature" in asked.body ? refuses(400) : answers("plain"))(asked, response, raw);
    const { complete, asked } = await model(picky);
    const jsonSchema = { name: "shape", schema: {} };
    expect((await complete({ ...request, jsonSchema })).text).toBe("plain");
    expect((await complete({ ...request, jsonSchema })).text).toBe("plain");
    expect(asked.length).toBe(3);
    expect(asked[2]!.body).toEqual({ model: "fake-1", messages: request.messages, max_completion_tokens: 100 });
  });
});
