import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createPlatformAClient } from "../../packages/server/src/monitoring/platform-a/client.ts";
import { PlatformError } from "../../packages/server/src/monitoring/platform-a/platform-error.ts";
import { retryAfterSecondsOf } from "../../packages/server/src/base/net/retry-after.ts";
import { aCall, type WireCall } from "../support/platform-a/calls.ts";
import { type FakePlatformA, openFakePlatformA } from "../support/platform-a/fake.ts";
import type { Fault } from "../support/platform-a/faults.ts";
import { until } from "../support/until.ts";

const START_MS = 1_795_251_153_000;
const MINUTE_MS = 60_000;
const window = { fromMs: START_MS, toMs: START_MS + 1_000 * MINUTE_MS };

let fake: FakePlatformA;
let calls: WireCall[];

beforeAll(async () => {
  fake = await openFakePlatformA();
  calls = Array.from({ length: 25 }, (_, at) =>
    aCall({ seed: at, agentId: `agent_${at % 2}`, startMs: START_MS + at * MINUTE_MS }),
  );
  fake.addCalls(calls);
  for (const at of [0, 1]) fake.addAgent(`agent_${at}`, `Voice ${at}`, "voice", 2);
  fake.addAgent("agent_chat", "Chat", "chat");
});
afterAll(() => fake.close());
afterEach(() => fake.faults.stop());

const clientOf = (more: Partial<Parameters<typeof createPlatformAClient>[0]> = {}) =>
  createPlatformAClient({ baseUrl: fake.url, apiKey: fake.apiKey, timeoutMs: 400, ...more });

async function errorOf(answer: Promise<unknown>): Promise<PlatformError> {
  const error = await answer.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(PlatformError);
  return error as PlatformError;
}

describe("lists", () => {
  test("the client lists the voice agents of all pages, without chat agents", async () => {
    for (let at = 0; at < 1_200; at++) fake.addAgent(`agent_more_${at}`, `More ${at}`);
    const agents = await clientOf({ timeoutMs: 5_000 }).listVoiceAgents();
    fake.state.agents.splice(3);
    expect(agents).toHaveLength(1_202);
    expect(agents[0]).toEqual({ id: "agent_0", name: "Voice 0" });
  });

  test("the client lists voice agents of an older version of the platform, each once under its newest name", async () => {
    fake.faults.next({ kind: "status", status: 404 }, { path: /v2\/list-agents/ });
    expect(await clientOf().listVoiceAgents()).toEqual([
      { id: "agent_0", name: "Voice 0" },
      { id: "agent_1", name: "Voice 1" },
    ]);
  });

  test("the client lists an agent's calls in a window, page by page, earliest first", async () => {
    const client = clientOf();
    const callIds: string[] = [];
    let pageKey: string | undefined;
    do {
      const page = await client.listCalls({
        agentId: "agent_1",
        fromMs: START_MS + 3 * MINUTE_MS,
        toMs: START_MS + 21 * MINUTE_MS,
        pageKey,
        limit: 4,
      });
      callIds.push(...page.calls.map(({ callId }) => callId));
      pageKey = page.nextKey;
    } while (pageKey !== undefined);
    const wanted = [3, 5, 7, 9, 11, 13, 15, 17, 19, 21].map((at) => calls[at]!.call_id);
    expect(callIds).toEqual(wanted);
  });

  test("the client lists no ongoing call, even when the platform lists one", async () => {
    const ongoing = { ...calls[0]!, call_id: "call_ongoing", call_status: "ongoing" };
    fake.addCalls([ongoing]);
    const { calls: listed } = await clientOf().listCalls({ agentId: "agent_0", ...window });
    fake.state.calls.delete("call_ongoing");
    expect(listed.map(({ callId }) => callId)).not.toContain("call_ongoing");
    expect(listed).toHaveLength(13);
  });
});

describe("single reads", () => {
  test("the client reads an agent under its current name", async () => {
    expect(await clientOf().getAgent("agent_1")).toEqual({ id: "agent_1", name: "Voice 1" });
  });

  test("the client reads a call with its transcript and without its secrets", async () => {
    const call = await clientOf().getCall(calls[2]!.call_id);
    expect(call.transcript!.map(({ role, content }) => [role, content])).toEqual(
      (calls[2]!["transcript_with_tool_calls"] as WireCall[]).map(({ role, content }) => [role, content]),
    );
    expect(JSON.stringify(call)).not.toMatch(/eyJ|Signature/);
  });

  test("the client checks whether the key may read call history", async () => {
    await clientOf().checkHistory();
    fake.addKey("key_agents_only", "calls");
    expect((await errorOf(clientOf({ apiKey: "key_agents_only" }).checkHistory())).kind).toBe("permission_missing");
  });

  test("the client reads at most four calls at once, and answers every request", async () => {
    const client = clientOf({ timeoutMs: 5_000 });
    fake.faults.next({ kind: "slow", ms: 20 }, { times: 40 });
    const asked = calls.slice(0, 20).map(({ call_id }) => client.getCall(call_id));
    expect((await Promise.all(asked)).map(({ callId }) => callId)).toEqual(
      calls.slice(0, 20).map((call) => call.call_id),
    );
    expect(fake.mostAtOnce()).toBe(4);
  });

  test("the client reads again when a reused connection breaks, and fails when the new one breaks too", async () => {
    await clientOf().getAgent("agent_1");
    fake.faults.next({ kind: "reset" });
    expect((await clientOf().getAgent("agent_1")).name).toBe("Voice 1");
    fake.faults.next({ kind: "reset" }, { times: 2 });
    const before = fake.requests.length;
    expect((await errorOf(clientOf().getAgent("agent_1"))).kind).toBe("unavailable");
    expect(fake.requests.length - before).toBe(2);
  });

  test("the client refuses an answer with another id than requested, and an id that would change the path", async () => {
    fake.addCalls([{ ...calls[0]!, call_id: "call_other" }]);
    fake.state.calls.set("call_asked", fake.state.calls.get("call_other")!);
    expect((await errorOf(clientOf().getCall("call_asked"))).kind).toBe("unreadable");
    fake.state.calls.delete("call_asked");
    fake.state.calls.delete("call_other");
    const before = fake.requests.length;
    for (const id of ["", ".", ".."]) expect((await errorOf(clientOf().getCall(id))).kind).toBe("not_found");
    expect(fake.requests.length).toBe(before);
    for (const id of ["../list-agents", "a/b", "\ud800", "?x=1"])
      expect((await errorOf(clientOf().getCall(id))).kind).toBe("not_found");
  });

  test("the client reads nothing after its signal aborts", async () => {
    const stop = new AbortController();
    fake.faults.next({ kind: "hang" }, { times: 8 });
    const client = clientOf({ signal: stop.signal, timeoutMs: 60_000 });
    const asked = calls.slice(0, 8).map(({ call_id }) => errorOf(client.getCall(call_id)));
    stop.abort();
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(Array(8).fill("unavailable"));
  });
});

const statuses = (status: number): Fault => ({ kind: "status", status });

describe("an error of the client", () => {
  test.each<[PlatformError["kind"], string, Fault]>([
    ["credential_rejected", "401", statuses(401)],
    ["permission_missing", "402", statuses(402)],
    ["permission_missing", "403", statuses(403)],
    ["not_found", "404", statuses(404)],
    ["not_found", "422", statuses(422)],
    ["rate_limited", "429", statuses(429)],
    ["unavailable", "500", statuses(500)],
    ["unavailable", "502", statuses(502)],
    ["unavailable", "503", statuses(503)],
    ["unavailable", "408", statuses(408)],
    ["unreadable", "400", statuses(400)],
    ["unreadable", "418", statuses(418)],
    ["unreadable", "a success without a body", statuses(204)],
    ["unreadable", "an answer that is not JSON", { kind: "garbage" }],
    ["unreadable", "a compressed answer", { kind: "gzip" }],
    ["unreadable", "JSON of another shape", { kind: "status", status: 200 }],
    ["unavailable", "a request without an answer", { kind: "hang" }],
    ["unavailable", "an answer that never ends", { kind: "trickle" }],
    ["unavailable", "an answer that breaks off twice", { kind: "reset_in_body" }],
  ])("an error of the client is %s after %s, and repeats nothing that the platform sent", async (kind, _, fault) => {
    fake.faults.next(fault, { times: 2, path: /./ });
    const error = await errorOf(clientOf().getAgent("agent_0"));
    expect(error.kind).toBe(kind);
    expect(`${error.message} ${error.stack}`).not.toMatch(/words of the platform|<html>/);
    expect(`${error.message} ${error.stack}`).not.toContain(fake.apiKey);
  });

  test("an error of the client is the same for every method", async () => {
    const methods = {
      listVoiceAgents: (client) => client.listVoiceAgents(),
      getAgent: (client) => client.getAgent("agent_0"),
      checkHistory: (client) => client.checkHistory(),
      listCalls: (client) => client.listCalls({ agentId: "agent_0", ...window }),
      getCall: (client) => client.getCall(calls[0]!.call_id),
    } satisfies Record<string, (client: ReturnType<typeof clientOf>) => Promise<unknown>>;
    for (const method of Object.values(methods)) {
      expect((await errorOf(method(clientOf({ apiKey: "key_of_someone_else" })))).kind).toBe("credential_rejected");
      fake.faults.next(statuses(429));
      expect((await errorOf(method(clientOf()))).kind).toBe("rate_limited");
    }
  });

  test("a redirect is an error, and the client never follows it", async () => {
    const elsewhere = await openFakePlatformA({ apiKey: fake.apiKey });
    fake.faults.next({ kind: "redirect", to: `${elsewhere.url}/get-agent/agent_0` });
    const error = await errorOf(clientOf().getAgent("agent_0"));
    await elsewhere.close();
    expect([error.kind, elsewhere.requests.length]).toEqual(["unreadable", 0]);
  });

  test("an answer over 8 MiB is an error, and the client stops reading it", async () => {
    fake.faults.next({ kind: "huge" });
    const before = process.memoryUsage().rss;
    const error = await errorOf(clientOf({ timeoutMs: 10_000 }).getAgent("agent_0"));
    expect(error.kind).toBe("too_large");
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
    const bytes = await until("the connection is closed", () => fake.requests.at(-1)!.bytes);
    expect(bytes).toBeLessThan(64 * 2 ** 20);
  });

  test("a page key that repeats is an error", async () => {
    fake.faults.next({ kind: "repeated_page_key" }, { times: 10, path: /list/ });
    expect((await errorOf(clientOf().listVoiceAgents())).kind).toBe("unreadable");
    const client = clientOf();
    const { nextKey } = await client.listCalls({ agentId: "agent_0", ...window });
    const again = client.listCalls({ agentId: "agent_0", ...window, pageKey: nextKey });
    expect((await errorOf(again)).kind).toBe("unreadable");
  });

  test("a platform that cannot be reached is an error", async () => {
    const gone = await openFakePlatformA();
    await gone.close();
    const error = await errorOf(clientOf({ baseUrl: gone.url }).checkHistory());
    expect(error.kind).toBe("unavailable");
  });

  test("a key that no header can carry is an error, and the client sends no request", async () => {
    const before = fake.requests.length;
    for (const apiKey of ["short", "with space in it", "with\r\nx-header: 1", "schlüssel-schlüssel"]) {
      const error = await errorOf(clientOf({ apiKey }).checkHistory());
      expect([error.kind, error.message.includes(apiKey)]).toEqual(["credential_rejected", false]);
    }
    expect(fake.requests.length).toBe(before);
  });
});

describe("the Retry-After header", () => {
  test.each<[string, string | undefined, number | undefined]>([
    ["seconds", "17", 17],
    ["a fraction of a second", "0.2", 1],
    ["zero", "0", 1],
    ["a negative number", "-5", undefined],
    ["more than an hour", "999999999999999999999", 3600],
    ["a number without a finite value", "9".repeat(400), 3600],
    ["a date", "Wed, 21 Oct 2099 07:28:00 GMT", 3600],
    ["a date in the past", "Wed, 21 Oct 2015 07:28:00 GMT", 1],
    ["an invalid date", "Wed, 99 Foo 2015 07:28:00 GMT", undefined],
    ["a word", "soon", undefined],
    ["a hexadecimal number", "0x10", undefined],
    ["an empty text", "", undefined],
    ["a missing header", undefined, undefined],
  ])(
    "the Retry-After header with %s gives a wait between a second and an hour, or none when it is invalid",
    async (_, retryAfter, seconds) => {
      for (const status of [429, 503]) {
        fake.faults.next({ kind: "status", status, ...(retryAfter !== undefined && { retryAfter }) });
        const { retryAfterSeconds } = await errorOf(clientOf().getAgent("agent_0"));
        expect(retryAfterSeconds).toBe(seconds);
      }
    },
  );

  test.each(["Wed, 21 Oct 2015 07:28:00 GMT", "Wednesday, 21-Oct-15 07:28:00 GMT", "Wed Oct 21 07:28:00 2015"])(
    "the Retry-After header is counted from now to the date %s",
    (date) => {
      const nowMs = Date.parse("2015-10-21T07:26:30.500Z");
      expect(retryAfterSecondsOf({ "retry-after": date }, nowMs)).toBe(90);
    },
  );

  test("the Retry-After header does not count when the answer has retry-after-ms", async () => {
    fake.faults.next({ kind: "status", status: 429, headers: { "retry-after-ms": "2500" }, retryAfter: "9" });
    expect((await errorOf(clientOf().getAgent("agent_0"))).retryAfterSeconds).toBe(3);
  });
});
