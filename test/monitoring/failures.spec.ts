import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { idsOf, type Monitored, type MonitoredProject, openMonitored } from "../support/monitoring.ts";
import { type WireCall, withoutTranscript } from "../support/platform-a/calls.ts";
import type { Fault } from "../support/platform-a/faults.ts";
import { until } from "../support/until.ts";

const HOUR = 3_600_000;

let m: Monitored;
let p: MonitoredProject;
beforeEach(async () => {
  p = await m.project();
});
afterEach(() => m.quiet());

/** Resolves with the open failure of the call. */
const failureOf = (call: WireCall) =>
  until("the failure is open", async () =>
    (await p.agent())?.failures.find(({ provider_call_id }) => provider_call_id === call.call_id),
  );

const replay = (failureId: string) => p.client().monitoring.replay({ failureId });
const refusalOf = async (answer: Promise<unknown>) =>
  answer.then(
    () => "none",
    (error: { code: string }) => error.code,
  );

describe("while the poll retries failed imports", () => {
  beforeAll(async () => {
    m = await openMonitored();
  });
  afterAll(() => m.stop());

  test.each<[call: string, kind: string, fault: Fault]>([
    ["is not found", "not_found", { kind: "status", status: 404 }],
    ["is not found with another status", "not_found", { kind: "status", status: 422 }],
    ["is not JSON", "unreadable", { kind: "garbage" }],
    ["redirects", "unreadable", { kind: "redirect", to: "http://127.0.0.1:1/" }],
    ["is compressed", "unreadable", { kind: "gzip" }],
    ["is larger than the client reads", "too_large", { kind: "huge", bytes: 9 * 2 ** 20 }],
  ])("a call that %s has an open failure %s until it can be read", async (_, error_kind, fault) => {
    const calls = [p.callBefore(5), p.callBefore(6), p.callBefore(7)];
    const failing = calls[1]!;
    m.fake.addCalls(calls);
    m.fake.faults.next(fault, { path: new RegExp(failing.call_id), times: 10_000 });
    await p.save();
    const failure = await failureOf(failing);
    expect(failure).toMatchObject({ error_kind, status: "open" });
    const setup = await p.setup();
    expect(setup.agents[0]).toMatchObject({ state: "degraded", open_failures: 1, imported: 2 });
    expect(failure.explanation).toMatch(/^Retell .*call.*\.$|^Retell's answer .*\.$/);
    expect(failure.next_attempt_at > failure.last_attempt_at).toBe(true);
    expect(setup.health.state).toBe("healthy");
    expect(await p.conversations()).toEqual(idsOf(calls.filter((call) => call !== failing)));
    await until("the import was tried again", async () => (await failureOf(failing)).attempts > failure.attempts);
    m.fake.faults.stop();
    await p.active();
    expect(await p.conversations()).toEqual(idsOf(calls));
    expect((await p.setup()).agents[0]).toMatchObject({ imported: 3, open_failures: 0 });
    expect(await replay(failure.id)).toMatchObject({
      failure: { id: failure.id, status: "resolved" },
      trace: { write: "already" },
    });
  });

  test("a call that is still incomplete long after its end has one open failure", async () => {
    const call = p.callBefore(60);
    m.fake.addCalls([withoutTranscript(call)]);
    await p.save();
    const failure = await failureOf(call);
    expect(failure.error_kind).toBe("conversation_incomplete");
    await until("the import was tried again", async () => (await failureOf(call)).attempts >= failure.attempts + 3);
    expect((await failureOf(call)).id).toBe(failure.id);
    m.fake.addCalls([call]);
    await p.active();
    expect(await p.conversations()).toEqual([call.call_id]);
  });
});

describe("a replay", () => {
  beforeAll(async () => {
    m = await openMonitored({ pace: { retryMs: HOUR, retryMaxMs: HOUR, replayLeaseMs: 2_000, requestMs: 3_000 } });
  });
  afterAll(() => m.stop());

  const incomplete = async (minutes = 60) => {
    const call = p.callBefore(minutes);
    m.fake.addCalls([withoutTranscript(call)]);
    await p.save();
    return { call, failure: await failureOf(call) };
  };

  test("a replay imports the call and resolves the failure", async () => {
    const { call, failure } = await incomplete();
    m.fake.addCalls([call]);
    const { failure: resolved, trace } = await replay(failure.id);
    expect([resolved, trace.write]).toEqual([{ id: failure.id, status: "resolved" }, "written"]);
    expect((await p.agent()).state).toBe("active");
    await m.server().spansLoaded();
    expect(await p.client().traces.get({ traceId: trace.id })).toMatchObject({ conversationId: call.call_id });
    expect(await replay(failure.id)).toEqual({ failure: resolved, trace: { id: trace.id, write: "already" } });
    expect(await p.conversations()).toEqual([call.call_id]);
  });

  test("a replay counts each attempt, and leaves the failure open while the call is incomplete", async () => {
    const { call, failure } = await incomplete();
    for (const attempt of [1, 2]) {
      expect(await refusalOf(replay(failure.id))).toBe("conversation_incomplete");
      expect((await failureOf(call)).attempts).toBe(failure.attempts + attempt);
    }
    expect((await failureOf(call)).last_attempt_at > failure.last_attempt_at).toBe(true);
  });

  test("a replay that fails again is refused with the current reason, which replaces the failure's reason", async () => {
    const { call, failure } = await incomplete();
    m.fake.faults.next({ kind: "status", status: 404 }, { path: new RegExp(call.call_id) });
    await expect(replay(failure.id)).rejects.toMatchObject({
      code: "conversation_incomplete",
      details: { error_kind: "not_found" },
    });
    expect((await failureOf(call)).error_kind).toBe("not_found");
  });

  test("a replay reads a call that is too old for the platform's lists", async () => {
    const { call, failure } = await incomplete(29 * 24 * 60);
    m.fake.addCalls([{ ...call, start_timestamp: call.start_timestamp - 40 * 24 * HOUR }]);
    expect((await replay(failure.id)).trace.write).toBe("written");
  });

  test("a replay with a key that the platform rejects answers 422 and changes the setup's health", async () => {
    m.fake.addKey("key_revoked_later");
    const call = p.callBefore(60);
    m.fake.addCalls([withoutTranscript(call)]);
    await p.save(p.agentIds, "key_revoked_later");
    const failure = await failureOf(call);
    m.fake.removeKey("key_revoked_later");
    expect(await refusalOf(replay(failure.id))).toBe("unprocessable");
    // A poll that listed calls before the key was removed may still report a healthy setup. The next poll does not.
    await until("the setup's health", async () => (await p.setup()).health.state === "invalid_credential");
  });

  test("a second replay of the same failure is refused until the lease of the first lapses", async () => {
    const { call, failure } = await incomplete();
    m.fake.addCalls([call]);
    m.fake.faults.next({ kind: "hang" }, { path: new RegExp(call.call_id) });
    const reads = p.reads(call);
    const hanging = refusalOf(replay(failure.id));
    await until("the platform is reading", () => p.reads(call) > reads);
    expect(await refusalOf(replay(failure.id))).toBe("replay_in_progress");
    // The lease ends a second before the request times out.
    const { trace } = await until("the lease has lapsed", () => replay(failure.id));
    expect(trace.write).toBe("written");
    expect(await hanging).toBe("provider_unavailable");
    expect(await p.conversations()).toEqual([call.call_id]);
  });

  test("a replay does not find a failure of another project", async () => {
    const { failure } = await incomplete();
    p = await m.project();
    expect(await refusalOf(replay(failure.id))).toBe("not_found");
  });
});
