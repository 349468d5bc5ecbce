import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { readCall } from "../../packages/server/src/monitoring/platform-a/call.ts";
import { callToSpans } from "../../packages/server/src/monitoring/platform-a/to-spans.ts";
import { recordingsFolderOf } from "../support/engine.ts";
import { type Monitored, type MonitoredProject, openMonitored } from "../support/monitoring.ts";
import type { WireCall } from "../support/platform-a/calls.ts";
import { recordedWav } from "../support/recorded-wav.ts";
import { until } from "../support/until.ts";

let m: Monitored;
beforeAll(async () => {
  m = await openMonitored();
});
afterEach(() => m.quiet());
afterAll(() => m.stop());

const SOUND = recordedWav(2_000, [{ fromMs: 0, toMs: 500, level: 0.5 }], [{ fromMs: 1_000, toMs: 2_000, level: 0.25 }]);

const traceOf = (call: WireCall) => callToSpans(readCall(call)!).resourceSpans[0].scopeSpans[0].spans[0]!.traceId;

/** Saves the project's setup; undefined does not change the setting. */
const save = (p: MonitoredProject, fetch_recordings?: boolean) =>
  p.client().monitoring.savePlatformA({
    api_key: m.fake.apiKey,
    agents: p.agentIds.map((id) => ({ id })),
    ...(fetch_recordings !== undefined && { fetch_recordings }),
  });

/** Returns a call with a recording at this address. Its analysis is missing, so the service reads the call again. */
const recordedCall = (p: MonitoredProject, url: string) =>
  p.callBefore(5, { members: { recording_url: url, call_analysis: undefined } });

const recordingOf = async (p: MonitoredProject, call: WireCall) =>
  (await p.client().recordings.ofConversation({ traceId: traceOf(call) })).recording;

const noted = (p: MonitoredProject, call: WireCall) =>
  until("the recording is noted", async () => (await recordingOf(p, call)) ?? undefined);

test("a setup fetches no recordings by default, and an omitted setting stays as it is", async () => {
  const p = await m.project();
  const call = recordedCall(p, m.fake.addRecording(SOUND));
  m.fake.addCalls([call]);
  expect((await save(p)).setup.fetches_recordings).toBe(false);
  await p.imported([call]);
  await p.active();
  expect(await recordingOf(p, call)).toBeNull();
  expect((await save(p, true)).setup.fetches_recordings).toBe(true);
  expect((await save(p)).setup.fetches_recordings).toBe(true);
  expect((await save(p, false)).setup.fetches_recordings).toBe(false);
});

test("the recording of a call is fetched once, without the platform's key, and can be played", async () => {
  const p = await m.project();
  const url = m.fake.addRecording(SOUND);
  const call = recordedCall(p, url);
  m.fake.addCalls([call]);
  await save(p, true);
  const recording = await noted(p, call);
  expect(recording).toMatchObject({ state: "kept", durationMs: 2_000, bytes: SOUND.length });
  expect(recording.waveform!.channels.map(({ party }) => party)).toEqual(["both"]);
  expect(recording.waveform!.channels[0]!.peaks.filter((_, at) => at % 10 === 0)).toEqual([
    500, 500, 500, 0, 0, 250, 250, 250, 250, 250,
  ]);
  const audio = await p.client().recordings.audioOfConversation({ traceId: traceOf(call) });
  expect(Buffer.from(await new Response(audio).bytes())).toEqual(SOUND);

  await until("the call is read again", () => p.reads(call) > 1);
  await m.restart();
  await p.active();
  const fetches = m.fake.requestsTo(new RegExp(new URL(url).pathname));
  expect(fetches.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

test.each([
  ["nothing answers", () => "http://127.0.0.1:9/recording.wav", "not_fetched"],
  ["the address is none", () => "recording.wav", "not_fetched"],
  ["the platform deleted it", () => `${m.fake.url}/recordings/gone.wav`, "not_fetched"],
  ["it is no WAV file", () => m.fake.addRecording(Buffer.from("ID3 MPEG")), "unreadable"],
  ["it is too large", () => m.fake.addRecording(Buffer.alloc(101 * 1024 * 1024)), "too_large"],
])("a call is imported without its recording, which says why, when %s", async (_, urlOf, problem) => {
  const p = await m.project();
  const call = recordedCall(p, urlOf());
  m.fake.addCalls([call]);
  await save(p, true);
  expect(await noted(p, call)).toMatchObject({ state: "not_kept", problem, message: expect.any(String) });
  await p.imported([call]);
  expect((await p.active()).agents[0]).toMatchObject({ open_failures: 0 });
  await until("no file is left", () => readdirSync(join(recordingsFolderOf(m.dataDir), "incoming")).length === 0);
});

test("deleting an imported call removes its recording, which is not fetched again", async () => {
  const p = await m.project();
  const url = m.fake.addRecording(SOUND);
  const call = recordedCall(p, url);
  m.fake.addCalls([call]);
  await save(p, true);
  await noted(p, call);
  await p.imported([call]);
  await p.client().traces.delete({ traceId: traceOf(call) });
  const reads = p.reads(call);
  const lists = p.lists().length;
  await until("the poll goes on", () => p.reads(call) > reads || p.lists().length > lists + 10);
  await expect(recordingOf(p, call)).rejects.toMatchObject({ status: 404 });
  expect(m.fake.requestsTo(new RegExp(new URL(url).pathname))).toHaveLength(1);
});
