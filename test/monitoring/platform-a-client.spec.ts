import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openPlatformAClient } from "../../packages/server/src/monitoring/platform-a/client.ts";
import { PlatformFailure } from "../../packages/server/src/monitoring/platform-a/failure.ts";
import { retryAfterSecondsOf } from "../../packages/server/src/retry-after.ts";
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

const clientOf = (more: Partial<Parameters<typeof openPlatformAClient>[0]> = {}) =>
  openPlatformAClient({ baseUrl: fake.url, apiKey: fake.apiKey, timeoutMs: 400, ...more });

async function failureOf(answer: Promise<unknown>): Promise<PlatformFailure> {
  const failure = await answer.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(PlatformFailure);
  return failure as PlatformFailure;
}

describe("the client lists", () => {
  test("voice agents only, of all pages", async () => {
    for (let at = 0; at < 1_200; at++) fake.addAgent(`agent_more_${at}`, `More ${at}`);
    const agents = await clientOf({ timeoutMs: 5_000 }).listVoiceAgents();
    fake.state.agents.splice(3);
    expect(agents).toHaveLength(1_202);
    expect(agents[0]).toEqual({ id: "agent_0", name: "Voice 0" });
  });

  test("voice agents of an older platform, each once under its newest name", async () => {
    fake.faults.next({ kind: "status", status: 404 }, { path: /v2\/list-agents/ });
    expect(await clientOf().listVoiceAgents()).toEqual([
      { id: "agent_0", name: "Voice 0" },
      { id: "agent_1", name: "Voice 1" },
    ]);
  });

  test("calls of an agent and a window, page by page, the earliest first", async () => {
    const client = clientOf();
    const found: string[] = [];
    let pageKey: string | undefined;
    do {
      const page = await client.listCalls({
        agentId: "agent_1",
        fromMs: START_MS + 3 * MINUTE_MS,
        toMs: START_MS + 21 * MINUTE_MS,
        pageKey,
        limit: 4,
      });
      found.push(...page.calls.map(({ callId }) => callId));
      pageKey = page.nextKey;
    } while (pageKey !== undefined);
    const wanted = [3, 5, 7, 9, 11, 13, 15, 17, 19, 21].map((at) => calls[at]!.call_id);
    expect(found).toEqual(wanted);
  });

  test("no call that goes on, whatever the platform lists", async () => {
    const ongoing = { ...calls[0]!, call_id: "call_ongoing", call_status: "ongoing" };
    fake.addCalls([ongoing]);
    const { calls: listed } = await clientOf().listCalls({ agentId: "agent_0", ...window });
    fake.state.calls.delete("call_ongoing");
    expect(listed.map(({ callId }) => callId)).not.toContain("call_ongoing");
    expect(listed).toHaveLength(13);
  });
});

describe("the client reads", () => {
  test("an agent under its current name", async () => {
    expect(await clientOf().agent("agent_1")).toEqual({ id: "agent_1", name: "Voice 1" });
  });

  test("a call with all that was said, and none of its secrets", async () => {
    const call = await clientOf().call(calls[2]!.call_id);
    expect(call.transcript!.map(({ role, content }) => [role, content])).toEqual(
      (calls[2]!["transcript_with_tool_calls"] as WireCall[]).map(({ role, content }) => [role, content]),
    );
    expect(JSON.stringify(call)).not.toMatch(/eyJ|sk-|pw-|Signature/);
  });

  test("whether the key may read the history", async () => {
    await clientOf().checkHistory();
    fake.addKey("key_agents_only", "calls");
    expect((await failureOf(clientOf({ apiKey: "key_agents_only" }).checkHistory())).kind).toBe("permission_missing");
  });

  test("at most four at once, and all that were asked for", async () => {
    const client = clientOf({ timeoutMs: 5_000 });
    fake.faults.next({ kind: "slow", ms: 20 }, { times: 40 });
    const asked = calls.slice(0, 20).map(({ call_id }) => client.call(call_id));
    expect((await Promise.all(asked)).map(({ callId }) => callId)).toEqual(
      calls.slice(0, 20).map((call) => call.call_id),
    );
    expect(fake.mostAtOnce()).toBe(4);
  });

  test("once more what a broken connection took, and then no more", async () => {
    fake.faults.next({ kind: "reset" });
    expect((await clientOf().agent("agent_1")).name).toBe("Voice 1");
    fake.faults.next({ kind: "reset" }, { times: 2 });
    const before = fake.requests.length;
    expect((await failureOf(clientOf().agent("agent_1"))).kind).toBe("unavailable");
    expect(fake.requests.length - before).toBe(2);
  });

  test("nothing of another id than it asked for, and no id that leads elsewhere", async () => {
    fake.addCalls([{ ...calls[0]!, call_id: "call_other" }]);
    fake.state.calls.set("call_asked", fake.state.calls.get("call_other")!);
    expect((await failureOf(clientOf().call("call_asked"))).kind).toBe("unreadable");
    fake.state.calls.delete("call_asked");
    fake.state.calls.delete("call_other");
    const before = fake.requests.length;
    for (const id of ["", ".", ".."]) expect((await failureOf(clientOf().call(id))).kind).toBe("not_found");
    expect(fake.requests.length).toBe(before);
    for (const id of ["../list-agents", "a/b", "\ud800", "?x=1"])
      expect((await failureOf(clientOf().call(id))).kind).toBe("not_found");
  });

  test("nothing more once it is stopped", async () => {
    const stop = new AbortController();
    fake.faults.next({ kind: "hang" }, { times: 8 });
    const client = clientOf({ signal: stop.signal, timeoutMs: 60_000 });
    const asked = calls.slice(0, 8).map(({ call_id }) => failureOf(client.call(call_id)));
    stop.abort();
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(Array(8).fill("unavailable"));
  });
});

const statuses = (status: number): Fault => ({ kind: "status", status });

describe("a failure of the platform", () => {
  test.each<[PlatformFailure["kind"], string, Fault]>([
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
    ["unreadable", "success without a body", statuses(204)],
    ["unreadable", "words in place of JSON", { kind: "garbage" }],
    ["unreadable", "an encoding that was not asked for", { kind: "gzip" }],
    ["unreadable", "JSON of another shape", { kind: "status", status: 200 }],
    ["unavailable", "no answer at all", { kind: "hang" }],
    ["unavailable", "an answer that never ends", { kind: "trickle" }],
    ["unavailable", "an answer that breaks off, twice", { kind: "reset_in_body" }],
  ])("is %s for %s, in our words", async (kind, _, fault) => {
    fake.faults.next(fault, { times: 2, path: /./ });
    const failure = await failureOf(clientOf().agent("agent_0"));
    expect(failure.kind).toBe(kind);
    expect(`${failure.message} ${failure.stack}`).not.toMatch(/words of the platform|<html>/);
    expect(`${failure.message} ${failure.stack}`).not.toContain(fake.apiKey);
  });

  test("is told for every question in the same way", async () => {
    const asked = {
      listVoiceAgents: (client) => client.listVoiceAgents(),
      agent: (client) => client.agent("agent_0"),
      checkHistory: (client) => client.checkHistory(),
      listCalls: (client) => client.listCalls({ agentId: "agent_0", ...window }),
      call: (client) => client.call(calls[0]!.call_id),
    } satisfies Record<string, (client: ReturnType<typeof clientOf>) => Promise<unknown>>;
    for (const ask of Object.values(asked)) {
      expect((await failureOf(ask(clientOf({ apiKey: "key_of_somebody_else" })))).kind).toBe("credential_rejected");
      fake.faults.next(statuses(429));
      expect((await failureOf(ask(clientOf()))).kind).toBe("rate_limited");
    }
  });

  test("is a redirect, which is never followed", async () => {
    const elsewhere = await openFakePlatformA({ apiKey: fake.apiKey });
    fake.faults.next({ kind: "redirect", to: `${elsewhere.url}/get-agent/agent_0` });
    const failure = await failureOf(clientOf().agent("agent_0"));
    await elsewhere.close();
    expect([failure.kind, elsewhere.requests.length]).toEqual(["unreadable", 0]);
  });

  test("is an answer of more than 8 MiB, which is not read on", async () => {
    fake.faults.next({ kind: "huge" });
    const before = process.memoryUsage().rss;
    const failure = await failureOf(clientOf({ timeoutMs: 10_000 }).agent("agent_0"));
    expect(failure.kind).toBe("too_large");
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
    const bytes = await until("the connection is closed", () => fake.requests.at(-1)!.bytes);
    expect(bytes).toBeLessThan(64 * 2 ** 20);
  });

  test("is a key of a page that comes again", async () => {
    fake.faults.next({ kind: "repeated_page_key" }, { times: 10, path: /list/ });
    expect((await failureOf(clientOf().listVoiceAgents())).kind).toBe("unreadable");
    const client = clientOf();
    const { nextKey } = await client.listCalls({ agentId: "agent_0", ...window });
    const again = client.listCalls({ agentId: "agent_0", ...window, pageKey: nextKey });
    expect((await failureOf(again)).kind).toBe("unreadable");
  });

  test("is a platform that is not there", async () => {
    const gone = await openFakePlatformA();
    await gone.close();
    const failure = await failureOf(clientOf({ baseUrl: gone.url }).checkHistory());
    expect(failure.kind).toBe("unavailable");
  });

  test("is a key that no header can carry, without a request", async () => {
    const before = fake.requests.length;
    for (const apiKey of ["short", "with space in it", "with\r\nx-header: 1", "schlüssel-schlüssel"]) {
      const failure = await failureOf(clientOf({ apiKey }).checkHistory());
      expect([failure.kind, failure.message.includes(apiKey)]).toEqual(["credential_rejected", false]);
    }
    expect(fake.requests.length).toBe(before);
  });
});

describe("the time after which to ask again", () => {
  test.each<[string, string | undefined, number | undefined]>([
    ["seconds", "17", 17],
    ["a part of a second", "0.2", 1],
    ["no time", "0", 1],
    ["less than no time", "-5", undefined],
    ["years", "999999999999999999999", 3600],
    ["a number too large for one", "9".repeat(400), 3600],
    ["a date", "Wed, 21 Oct 2099 07:28:00 GMT", 3600],
    ["a date that is over", "Wed, 21 Oct 2015 07:28:00 GMT", 1],
    ["a date that never is", "Wed, 99 Foo 2015 07:28:00 GMT", undefined],
    ["words", "soon", undefined],
    ["another base", "0x10", undefined],
    ["nothing", "", undefined],
    ["no header", undefined, undefined],
  ])("is understood as %s", async (_, retryAfter, seconds) => {
    for (const status of [429, 503]) {
      fake.faults.next({ kind: "status", status, ...(retryAfter !== undefined && { retryAfter }) });
      const { retryAfterSeconds } = await failureOf(clientOf().agent("agent_0"));
      expect(retryAfterSeconds).toBe(seconds);
    }
  });

  test.each(["Wed, 21 Oct 2015 07:28:00 GMT", "Wednesday, 21-Oct-15 07:28:00 GMT", "Wed Oct 21 07:28:00 2015"])(
    "is counted from now to %s",
    (date) => {
      const nowMs = Date.parse("2015-10-21T07:26:30.500Z");
      expect(retryAfterSecondsOf({ "retry-after": date }, nowMs)).toBe(90);
    },
  );

  test("is understood in milliseconds", async () => {
    fake.faults.next({ kind: "status", status: 429, headers: { "retry-after-ms": "2500" }, retryAfter: "9" });
    expect((await failureOf(clientOf().agent("agent_0"))).retryAfterSeconds).toBe(3);
  });
});
