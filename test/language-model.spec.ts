import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { eventsOf } from "../packages/server/src/language-model/event-stream.ts";
import {
  type Delta,
  LanguageModelFailure,
  openLanguageModel,
  type Request,
} from "../packages/server/src/language-model/language-model.ts";
import {
  answers,
  type Behavior,
  breaksOff,
  callsTools,
  delta,
  fakeEndpoint,
  hangs,
  refuses,
  sendsRaw,
  streams,
} from "./support/language-model/fake-endpoint.ts";

const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

const PAUSE_MS = 5;

async function model(...behaviors: Behavior[]) {
  const endpoint = await fakeEndpoint(...behaviors);
  stops.push(endpoint.stop);
  return { ...endpoint, ...openLanguageModel(endpoint.settings, PAUSE_MS) };
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

async function all(deltas: AsyncIterable<Delta>): Promise<Delta[]> {
  const list: Delta[] = [];
  for await (const each of deltas) list.push(each);
  return list;
}

describe("a language model", () => {
  test("is asked with its key, at a temperature, for one shape, and answers with text and usage", async () => {
    const { complete, asked } = await model(answers("Hi"));
    const jsonSchema = { name: "shape", schema: { type: "object" } };
    expect(await complete({ ...request, jsonSchema })).toEqual({
      text: "Hi",
      toolCalls: [],
      usage: { inputTokens: 10, outputTokens: 5 },
      cut: false,
    });
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

  test("calls tools, and is told what they answered", async () => {
    const { complete, asked } = await model(
      callsTools({ name: "end_call", arguments: '{"why":"done"}' }),
      answers("ok"),
    );
    const tools = [{ name: "end_call", description: "Ends the call.", parameters: { type: "object" } }];
    const { text, toolCalls } = await complete({ ...request, tools });
    expect([text, toolCalls]).toEqual(["", [{ id: "t0", name: "end_call", arguments: '{"why":"done"}' }]]);
    const messages = [
      { role: "assistant" as const, content: "", toolCalls },
      { role: "tool" as const, toolCallId: "t0", content: "done" },
    ];
    await complete({ ...request, tools, messages });
    expect(asked[1]!.body).toMatchObject({
      tools: [{ type: "function", function: tools[0] }],
      messages: [
        { role: "assistant", tool_calls: [{ id: "t0", type: "function", function: { name: "end_call" } }] },
        { role: "tool", tool_call_id: "t0", content: "done" },
      ],
    });
  });

  test.each<[string, Behavior]>([
    ["takes no more requests", refuses(429, { "retry-after": "0" })],
    ["fails", refuses(503)],
    ["breaks the connection", breaksOff],
  ])("that %s for a while is tried again", async (_, behavior) => {
    const { complete, asked } = await model(behavior, behavior, answers("Hi"));
    expect((await complete(request)).text).toBe("Hi");
    expect(asked.length).toBe(3);
  });

  test("that never recovers is given up after four tries, in our words alone", async () => {
    const { complete, asked } = await model(refuses(500));
    const failure = await failureOf(complete(request));
    expect([failure.fault, failure.message, asked.length]).toEqual([
      "overloaded",
      "The language model failed to answer (500).",
      4,
    ]);
  });

  test("that asks for more patience than there is is not waited for", async () => {
    const { complete, asked } = await model(refuses(429, { "retry-after": "3600" }));
    const failure = await failureOf(complete({ ...request, timeoutMs: 1_000 }));
    expect([failure.fault, failure.retryAfterSeconds, asked.length]).toEqual(["rate_limited", 3600, 1]);
  });

  test.each<[string, Behavior, string]>([
    ["refuses the key", refuses(401), "credential_rejected"],
    ["refuses the request", refuses(404), "request_rejected"],
    ["sends no JSON", sendsRaw("<html>"), "malformed"],
    ["sends something else", sendsRaw('{"choices":[]}'), "malformed"],
    ["redirects", sendsRaw("", 302), "request_rejected"],
    ["sends without end", sendsRaw("x".repeat(3 * 1024 * 1024)), "malformed"],
  ])("that %s fails as it should, with no word of its own", async (_, behavior, fault) => {
    const { complete } = await model(behavior);
    const failure = await failureOf(complete(request));
    expect(failure.fault).toBe(fault);
    expect(failure.message).not.toMatch(/secret|fake-key/);
  });

  test("that hangs ends in time, and at once when it is not waited for", async () => {
    const { complete } = await model(hangs);
    expect((await failureOf(complete({ ...request, timeoutMs: 80 }))).fault).toBe("timeout");
    expect((await failureOf(complete({ ...request, signal: AbortSignal.timeout(30) }))).fault).toBe("canceled");
    const busy = await model(refuses(429, { "retry-after": "4" }));
    expect((await failureOf(busy.complete({ ...request, signal: AbortSignal.timeout(50) }))).fault).toBe("canceled");
  });

  test("that knows no schemas and no temperature is asked plainly, from then on at once", async () => {
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

describe("a streamed answer", () => {
  test("comes as it is written, and whole at the end", async () => {
    const usage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } };
    const { stream, asked } = await model(streams([delta("Grüß "), delta("Gott", "stop"), usage, "[DONE]"]));
    expect(await all(stream(request))).toEqual([
      { text: "Grüß " },
      { text: "Gott" },
      { completion: { text: "Grüß Gott", toolCalls: [], usage: { inputTokens: 3, outputTokens: 2 }, cut: false } },
    ]);
    expect(asked[0]!.body.stream).toBe(true);
  });

  test("holds tool calls that come in pieces", async () => {
    const part = (index: number, id: string | undefined, name: string | undefined, text: string) => ({
      choices: [{ delta: { tool_calls: [{ index, id, function: { name, arguments: text } }] } }],
    });
    const { stream } = await model(
      streams([
        part(0, "a", "end", '{"x'),
        part(1, "b", "other", "{}"),
        part(0, undefined, undefined, '":1}'),
        delta("", "tool_calls"),
        "[DONE]",
      ]),
    );
    const [last] = (await all(stream(request))).slice(-1);
    expect(last).toMatchObject({
      completion: {
        toolCalls: [
          { id: "a", name: "end", arguments: '{"x":1}' },
          { id: "b", name: "other", arguments: "{}" },
        ],
      },
    });
  });

  test.each<[string, Behavior]>([
    ["that breaks off", streams([delta("half")])],
    ["that tells an error", streams([delta("half"), { error: { message: "secret" } }, "[DONE]"])],
    ["that is no JSON", streams(["nonsense"])],
  ])("%s is a failure, and not tried again", async (_, behavior) => {
    const { stream, asked } = await model(behavior);
    expect((await failureOf(all(stream(request)))).fault).toBe("malformed");
    expect(asked.length).toBe(1);
  });

  test("that cannot begin is tried again", async () => {
    const { stream } = await model(refuses(503), streams([delta("Hi", "stop"), "[DONE]"]));
    expect((await all(stream(request))).length).toBe(2);
  });
});

describe("server-sent events", () => {
  const read = async (chunks: Uint8Array[]) => {
    const list: string[] = [];
    for await (const event of eventsOf(
      (async function* () {
        yield* chunks;
      })(),
    ))
      list.push(event);
    return list;
  };

  test("are the same however their bytes are cut", async () => {
    const line = fc.stringMatching(/^[a-zé 😀:{}]{0,12}$/u);
    const events = fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.integer({ min: 1, max: 9 })),
        async (events, end, cuts) => {
          const text = events.map(
            (lines) => `event: e${end}${lines.map((each) => `data: ${each}${end}`).join("")}: note${end}${end}`,
          );
          let rest = Buffer.from(text.join(""));
          const chunks: Buffer[] = [];
          for (const cut of cuts) [chunks[chunks.length], rest] = [rest.subarray(0, cut), rest.subarray(cut)];
          expect(await read([...chunks, rest])).toEqual(events.map((lines) => lines.join("\n")));
        },
      ),
    );
  });

  test("that did not end are left out", async () => {
    expect(await read([Buffer.from("data: a\n\ndata: b\n")])).toEqual(["a"]);
  });
});
