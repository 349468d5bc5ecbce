import { afterAll, beforeAll, expect, test } from "vitest";
import { readCall } from "../../packages/server/src/monitoring/platform-a/call.ts";
import { callToSpans } from "../../packages/server/src/monitoring/platform-a/to-spans.ts";
import { type Monitored, openMonitored } from "../support/monitoring.ts";
import { type Wire, type WireCall, withoutTranscript } from "../support/platform-a/calls.ts";
import { newSecret } from "../support/secret.ts";
import { placesWith } from "../support/stored-bytes.ts";
import { until } from "../support/until.ts";

let m: Monitored;
beforeAll(async () => {
  m = await openMonitored({ productionPace: { everyMs: 50 } });
});
afterAll(() => m.stop());

type Project = Awaited<ReturnType<Monitored["project"]>>;

const traceOf = (call: WireCall) =>
  callToSpans(readCall(call)!).resourceSpans[0].scopeSpans[0].spans[0]!.traceId as string;

const statusOf = (p: Project, call: WireCall) =>
  p
    .client()
    .traces.get({ traceId: traceOf(call) })
    .then(
      () => 200,
      ({ status }: { status: number }) => status,
    );

/** Resolves when the poll has requested this many further pages of the project's calls. */
async function polled(p: Project, pages = 10): Promise<void> {
  const before = p.lists().length;
  await until("the poll goes on", () => p.lists().length >= before + pages);
}

/** Returns how many spans of deleted conversations the service has dropped in the project. */
async function dropped(projectId: string): Promise<number> {
  const { conditions } = await m.server().admin.conditions.list();
  const of = conditions.find(
    (found) => found.code === "spans_of_deleted_conversations" && found.projectId === projectId,
  );
  return of?.count ?? 0;
}

const projectIdOf = async (p: Project) => (await p.client().projects.list()).projects[0]!.id;

test("the poll does not import a deleted call again, even after the setup was removed and saved again", async () => {
  const p = await m.project();
  const [kept, gone] = [p.callBefore(5), p.callBefore(6)] as [WireCall, WireCall];
  m.fake.addCalls([kept, gone]);
  await p.save();
  await p.imported([kept, gone]);
  await p.client().traces.delete({ traceId: traceOf(gone) });
  await polled(p);
  expect([await statusOf(p, kept), await statusOf(p, gone)]).toEqual([200, 404]);
  await p.client().monitoring.remove({ platform: "platform_a" });
  await p.save();
  await p.active();
  await polled(p);
  expect(await p.conversations()).toEqual([kept.call_id]);
  expect(p.reads(gone)).toBe(1);
});

test("a deleted call whose analysis arrives later is read again, and its spans are dropped and counted", async () => {
  const p = await m.project();
  const whole = p.callBefore(5);
  const { call_analysis: _, ...early } = whole as Wire;
  m.fake.addCalls([early as WireCall]);
  await p.save();
  await p.imported([whole]);
  await p.client().traces.delete({ traceId: traceOf(whole) });
  m.fake.addCalls([whole]);
  const projectId = await projectIdOf(p);
  await until("the spans of the analysis are dropped", async () => (await dropped(projectId)) > 0);
  expect(await p.conversations()).toEqual([]);
  expect(await statusOf(p, whole)).toBe(404);
});

test("the replay of a deleted call imports nothing, and the dropped spans are counted", async () => {
  const p = await m.project();
  const call = p.callBefore(60);
  m.fake.addCalls([withoutTranscript(call)]);
  m.fake.faults.next({ kind: "status", status: 404 }, { path: new RegExp(call.call_id), times: 10_000 });
  await p.save();
  const failure = await until("the failure is open", async () => (await p.agent()).failures[0]);
  const body = JSON.stringify(callToSpans(readCall(call)!));
  await p.client().traces.ingest({ body, contentType: "application/json" });
  await m.server().conversationsRead();
  await p.client().traces.delete({ traceId: traceOf(call) });
  m.fake.addCalls([call]);
  m.fake.faults.stop();
  await p.client().monitoring.replay({ failureId: failure.id });
  const projectId = await projectIdOf(p);
  expect(await dropped(projectId)).toBeGreaterThan(0);
  expect(await statusOf(p, call)).toBe(404);
  expect(await p.conversations()).toEqual([]);
  const { crm_api_key: word } = call["metadata"] as { crm_api_key: string };
  await until("no store contains the call", async () => Object.keys(await placesWith(m.dataDir, word)).length === 0);
});

test("a turn or a tool call from which a credential was removed is unknown to graders: no check that needs it passes", async () => {
  const p = await m.project();
  const projectId = await projectIdOf(p);
  const key = newSecret();
  const call = p.callBefore(5);
  const said = (call["transcript_with_tool_calls"] as Wire[]).map((item) =>
    item["role"] === "agent" ? { ...item, content: `Your key is ${key}.`, words: [] } : item,
  );
  const uses = [
    {
      role: "tool_call_invocation",
      tool_call_id: "t1",
      name: "store_key",
      arguments: JSON.stringify({ key }),
      time_sec: 1,
    },
    { role: "tool_call_result", tool_call_id: "t1", content: "ok", successful: true, time_sec: 1.1 },
  ];
  const hidden = { ...call, transcript_with_tool_calls: [...said, ...uses], transcript_object: said, transcript: "" };
  for (const check of ['never says "appointment"', 'says "appointment"', 'calls store_key with key "abc"']) {
    await p.client().graders.create({
      name: check,
      definition: { kind: "check", check },
      scope: "production",
      productionSampleRate: 1,
      projectId,
    });
  }
  m.fake.addCalls([hidden as WireCall]);
  await p.save();
  await p.imported([call]);
  const grades = await until("the call is graded", async () => {
    const answer = await p.client().grades.ofTrace({ traceId: traceOf(call) });
    const own = answer.grades.filter(({ graderName, criterion }) => graderName === criterion);
    return own.length === 3 && own;
  });
  expect(Object.fromEntries(grades.map(({ criterion, verdict }) => [criterion, verdict]))).toEqual({
    'never says "appointment"': "inconclusive",
    'says "appointment"': "inconclusive",
    'calls store_key with key "abc"': "inconclusive",
  });
  const { quality } = await p.client().traces.get({ traceId: traceOf(call) });
  expect(quality.notes.map(({ about }) => about)).toContain("credentials");
  expect(await placesWith(m.dataDir, key)).toEqual({});
});
