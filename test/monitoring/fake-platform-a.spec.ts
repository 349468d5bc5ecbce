import Retell from "retell-sdk";
import type { CallResponse } from "retell-sdk/resources/call";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { aCall, ongoing } from "../support/platform-a/calls.ts";
import { type FakePlatformA, openFakePlatformA } from "../support/platform-a/fake.ts";

const START_MS = 1_795_251_153_000;
const HOUR_MS = 3_600_000;

let fake: FakePlatformA;
let sdk: Retell;

beforeAll(async () => {
  fake = await openFakePlatformA();
  sdk = sdkWith(fake.apiKey);
  for (let at = 0; at < 7; at++) fake.addAgent(`agent_v${at}`, `Voice ${at}`, "voice", at);
  fake.addAgent("agent_c0", "Chat", "chat");
  fake.addCalls(
    Array.from({ length: 25 }, (_, at) =>
      aCall({ seed: at, agentId: `agent_v${at % 2}`, startMs: START_MS + at * HOUR_MS }),
    ),
  );
});
afterAll(() => fake.close());
beforeEach(() => fake.faults.stop());

const sdkWith = (apiKey: string) =>
  new Retell({ apiKey, baseURL: fake.url, maxRetries: 0, timeout: 2_000, logLevel: "off" });

const statusOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 200,
    (error) => (error instanceof Retell.APIError ? error.status : String(error)),
  );

describe("the fake and the platform's own client", () => {
  test("the client reads the account of the key and its limit of concurrent calls", async () => {
    expect((await sdk.identity.retrieve()).org_name).toBe("Acme");
    expect((await sdk.concurrency.retrieve()).concurrency_limit).toBe(20);
  });

  test("the client reads voice agents page by page", async () => {
    const names: string[] = [];
    let key: string | undefined;
    do {
      const page = await sdk.agent.list({
        limit: 3,
        ...(key !== undefined && { pagination_key: key }),
        filter_criteria: { channel: { type: "string", op: "eq", value: "voice" } },
      });
      names.push(...page.items.map(({ agent_name }) => agent_name!));
      key = page.has_more ? page.pagination_key : undefined;
    } while (key !== undefined);
    expect(names).toEqual(Array.from({ length: 7 }, (_, at) => `Voice ${at}`));
  });

  test("the client reads an agent of each channel, only through the route of its channel", async () => {
    expect((await sdk.agent.retrieve("agent_v1")).agent_name).toBe("Voice 1");
    expect((await sdk.chatAgent.retrieve("agent_c0")).agent_name).toBe("Chat");
    expect(await statusOf(sdk.agent.retrieve("agent_c0"))).toBe(404);
  });

  test("the client reads an agent's calls in a window, earliest first, without transcripts", async () => {
    const list = (pagination_key?: string) =>
      sdk.call.list({
        limit: 4,
        sort_order: "ascending",
        ...(pagination_key !== undefined && { pagination_key }),
        include_total: true,
        filter_criteria: {
          agent: [{ agent_id: "agent_v0" }],
          start_timestamp: { type: "range", op: "bt", value: [START_MS + HOUR_MS, START_MS + 20 * HOUR_MS] },
          call_status: { type: "enum", op: "in", value: ["ended", "error"] },
        },
      });
    const first = await list();
    const second = await list(first.pagination_key);
    const third = await list(second.pagination_key);
    expect([first.has_more, second.has_more, third.has_more, third.total]).toEqual([true, true, false, 10]);
    const items = [first, second, third].flatMap((page) => page.items);
    expect(items.map(({ start_timestamp }) => (start_timestamp! - START_MS) / HOUR_MS)).toEqual([
      2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
    ]);
    expect(items.some((item) => "transcript_object" in item)).toBe(false);
  });

  test("the client reads a call with its transcript", async () => {
    const made = aCall({ seed: 3, agentId: "agent_v1", startMs: START_MS + 3 * HOUR_MS });
    const call: CallResponse = await sdk.call.retrieve(made.call_id);
    expect(call).toEqual(made);
    expect(call.transcript_object!.length).toBeGreaterThan(4);
    expect(call.latency!.e2e!.values).toHaveLength(call.latency!.e2e!.num!);
    expect(await statusOf(sdk.call.retrieve("call_none"))).toBe(404);
  });

  test("the client reads a web call and a whole chat", async () => {
    expect((await sdk.call.createWebCall({ agent_id: "agent_v0" })).transport).toBe("gateway");
    const chat = await sdk.chat.create({ agent_id: "agent_c0", metadata: { run: "1" } });
    const { messages } = await sdk.chat.createChatCompletion({ chat_id: chat.chat_id, content: "hello" });
    expect(messages.map((message) => "content" in message && message.content)).toEqual(["You said: hello"]);
    await sdk.chat.end(chat.chat_id);
    expect((await sdk.chat.retrieve(chat.chat_id)).chat_status).toBe("ended");
    expect((await sdk.chat.list({ limit: 10 })).items).toHaveLength(1);
    expect(await statusOf(sdk.chat.createChatCompletion({ chat_id: chat.chat_id, content: "x" }))).toBe(400);
    expect(await statusOf(sdk.chat.create({ agent_id: "agent_v0" }))).toBe(400);
  });

  test("the client reads the older lists", async () => {
    const agents = await sdk.get<{ agent_id: string; version: number }[]>("/list-agents");
    expect(agents.filter(({ agent_id }) => agent_id === "agent_v3").map(({ version }) => version)).toEqual([
      0, 3, 2, 1,
    ]);
    const body = { limit: 2, sort_order: "ascending", filter_criteria: { agent_id: ["agent_v1"] } };
    const calls = await sdk.post<{ call_id: string }[]>("/v2/list-calls", { body });
    const more = await sdk.post<unknown[]>("/v2/list-calls", { body: { ...body, pagination_key: calls[1]!.call_id } });
    expect([calls.length, more.length]).toEqual([2, 2]);
    expect(more).not.toContainEqual(calls[1]);
    expect(await sdk.get<unknown[]>("/list-chat-agents")).toHaveLength(1);
  });
});

describe("refusals of the fake", () => {
  test("an unknown key is refused, and so is a request for which the key lacks a permission", async () => {
    fake.addKey("key_history_only", "agents");
    expect(await statusOf(sdkWith("key_unknown").agent.list())).toBe(401);
    expect(await statusOf(sdkWith("key_history_only").agent.list())).toBe(403);
    expect(await statusOf(sdkWith("key_history_only").call.list({ limit: 1 }))).toBe(200);
  });

  test("requests are refused on the paths and as often as a spec sets", async () => {
    fake.faults.next({ kind: "status", status: 429, retryAfter: "1" }, { times: 2, path: /get-call/ });
    const { call_id } = aCall({ seed: 0, agentId: "agent_v0", startMs: START_MS });
    const read = () => statusOf(sdk.call.retrieve(call_id));
    expect([await statusOf(sdk.agent.list()), await read(), await read(), await read()]).toEqual([200, 429, 429, 200]);
  });

  test("requests are refused at random, the same way for the same seed, up to a limit", async () => {
    const refusedAtRandom = async () => {
      fake.faults.drawFrom([{ kind: "status", status: 500 }], { seed: 7, probability: 0.4, limit: 5 });
      return Promise.all(Array.from({ length: 30 }, () => statusOf(sdk.identity.retrieve())));
    };
    const first = (await refusedAtRandom()).filter((status) => status === 500);
    expect(first).toHaveLength(5);
    expect((await refusedAtRandom()).filter((status) => status === 500)).toHaveLength(5);
  });

  test.each(["reset", "reset_in_body", "hang", "garbage"] as const)(
    "the fault %s reaches the platform's own client as an error",
    async (kind) => {
      fake.faults.next({ kind });
      const brief = new Retell({
        apiKey: fake.apiKey,
        baseURL: fake.url,
        maxRetries: 0,
        timeout: 300,
        logLevel: "off",
      });
      expect(await statusOf(brief.agent.list())).not.toBe(200);
    },
  );
});

describe("calls of the fake", () => {
  test("calls of the fake are listed as soon as they are added, however early they started", async () => {
    fake.addCalls([aCall({ seed: 900, agentId: "agent_v5", startMs: START_MS })]);
    const { items } = await sdk.call.list({ filter_criteria: { agent: [{ agent_id: "agent_v5" }] } });
    expect(items).toHaveLength(1);
  });

  test("calls of the fake can be ongoing, and can lack their transcript for some reads after their end", async () => {
    const call = aCall({ seed: 901, agentId: "agent_v5", startMs: START_MS });
    fake.addCalls([ongoing(call)]);
    expect((await sdk.call.retrieve(call.call_id)).call_status).toBe("ongoing");
    fake.addCalls([call]);
    fake.holdTranscript(call.call_id);
    expect((await sdk.call.retrieve(call.call_id)).transcript_object).toBeUndefined();
    expect(await sdk.call.retrieve(call.call_id)).toEqual(call);
  });
});
