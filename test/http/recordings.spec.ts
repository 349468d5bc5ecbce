import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ObjectStore, openObjectStore } from "../support/object-store.ts";
import { recordedSimulation } from "../support/operation-resources.ts";
import { recordedWav } from "../support/recorded-wav.ts";
import { expectRefusal, jsonOf, type Reply, send } from "../support/request.ts";
import { unreachedSimulation } from "../support/runs.ts";
import { startServer } from "../support/server.ts";
import { openWorld, unknownId, type World } from "../support/world.ts";

let w: World;
let bucket: ObjectStore | undefined;
let path: string;
let whole: Reply;

describe.each(["the data folder", "a bucket"])("recordings in %s", (place) => {
  beforeAll(async () => {
    bucket = place === "a bucket" ? await openObjectStore() : undefined;
    w = await openWorld((options) =>
      startServer({ ...options, settings: { ...options?.settings, ...bucket?.settings } }),
    );
    const { simulationId } = await recordedSimulation(w);
    path = `/v1/simulations/${simulationId}/recording`;
    whole = await send(w.url, { method: "GET", path, key: w.projectKey });
  });
  afterAll(async () => {
    await w?.stop();
    bucket?.close();
  });

  const get = (headers: Record<string, string>, method = "GET") =>
    send(w.url, { method, path, key: w.projectKey, headers });

  describe("a recording", () => {
    test("a recording is a WAV file with its size and a strong tag, under the simulation and under its conversation", async () => {
      const { traceId, simulationId } = await recordedSimulation(w);
      expect(whole.status).toBe(200);
      expect(whole.bytes.toString("latin1", 0, 12)).toMatch(/^RIFF[^]{4}WAVE$/);
      expect(Object.fromEntries(whole.headers)).toMatchObject({
        "content-type": "audio/wav",
        "content-length": String(whole.bytes.length),
        "accept-ranges": "bytes",
        "cache-control": "no-store",
        "content-disposition": `inline; filename="${simulationId}.wav"`,
        "x-content-type-options": "nosniff",
      });
      expect(whole.headers.get("etag")).toMatch(/^"[0-9a-f]{64}"$/);
      const other = await send(w.url, { method: "GET", path: `/v1/traces/${traceId}/recording`, key: w.projectKey });
      expect(other.bytes).toEqual(whole.bytes);
    });

    test("a recording has a HEAD answer with the same headers and no bytes", async () => {
      const head = await get({}, "HEAD");
      const named = (reply: Reply) =>
        ["content-type", "content-length", "etag", "accept-ranges"].map((name) => reply.headers.get(name));
      expect([head.status, head.bytes.length, named(head)]).toEqual([200, 0, named(whole)]);
    });

    test("a recording is not sent again to a client that has it", async () => {
      const { status, bytes } = await get({
        "if-none-match": whole.headers.get("etag")!,
        "cache-control": "max-age=0",
      });
      expect([status, bytes.length]).toEqual([304, 0]);
    });

    const size = 64_044;
    test.each([
      ["bytes=0-0", 0, 0],
      ["bytes=44-1043", 44, 1_043],
      ["bytes=64000-", 64_000, size - 1],
      ["bytes=64000-99999999", 64_000, size - 1],
      ["bytes=-100", size - 100, size - 1],
      ["bytes=-99999999", 0, size - 1],
    ])("a recording answers the range %s with exactly these bytes", async (range, start, end) => {
      const reply = await get({ range });
      expect([reply.status, reply.headers.get("content-range")]).toEqual([206, `bytes ${start}-${end}/${size}`]);
      expect(reply.headers.get("content-length")).toBe(String(end - start + 1));
      expect(reply.bytes.equals(whole.bytes.subarray(start, end + 1))).toBe(true);
    });

    test.each(["bytes=64044-", "bytes=99999999-", "bytes=-0"])(
      "a recording refuses the range %s with the size",
      async (range) => {
        const reply = await get({ range });
        expectRefusal(reply, "range_not_satisfiable");
        expect(reply.headers.get("content-range")).toBe(`bytes */${size}`);
      },
    );

    test.each(["bytes=9-3", "bytes=-", "bytes=0-1,4-5", "seconds=1-2", "bytes=a-b", "bytes=1-2x"])(
      "a recording answers the range %s with all bytes",
      async (range) => expect(await get({ range })).toMatchObject({ status: 200, bytes: whole.bytes }),
    );

    test("a recording answers a range of another version with all bytes", async () => {
      const range = "bytes=0-9";
      const same = await get({ range, "if-range": whole.headers.get("etag")! });
      const other = await get({ range, "if-range": '"other"' });
      expect([same.status, other.status, other.bytes.length]).toEqual([206, 200, size]);
    });

    test("a recording reaches clients of the SDK as a stream, whole and in part", async () => {
      const { simulationId } = await recordedSimulation(w);
      const bytesOf = async (stream: ReadableStream<Uint8Array>) => Buffer.from(await new Response(stream).bytes());
      expect(await bytesOf(await w.client.recordings.audioOfSimulation({ simulationId }))).toEqual(whole.bytes);
      const part = await w.client.recordings.audioOfSimulation({ simulationId, range: "bytes=0-3" });
      expect((await bytesOf(part)).toString()).toBe("RIFF");
      await expect(
        w.client.recordings.audioOfSimulation({ simulationId, range: "bytes=999999-" }),
      ).rejects.toMatchObject({ code: "range_not_satisfiable", status: 416 });
    });

    test("a recording reaches a media element of a page that shows another organization than the session's", async () => {
      const organization = (await w.admin.organization.get()).organization;
      const named = await send(w.url, {
        method: "GET",
        path: `${path}?organizationId=${organization.id}`,
        cookie: w.adminCookie,
      });
      expect(named.status).toBe(200);
      const strangers = await w.stranger.client.organization.get();
      const other = `${path}?organizationId=${strangers.organization.id}`;
      expectRefusal(await send(w.url, { method: "GET", path: other, cookie: w.adminCookie }), "not_authenticated");
    });

    test("a recording is answered to strangers, other projects and for unknown simulations like a missing one", async () => {
      const missing = await send(w.url, {
        method: "GET",
        path: path.replace(/sim_\w+/, unknownId("sim")),
        key: w.adminKey,
      });
      const seen = [w.strangersProjectKey, w.otherProjectKey].map((key) => send(w.url, { method: "GET", path, key }));
      for (const reply of await Promise.all(seen)) expect([reply.status, reply.text]).toEqual([404, missing.text]);
    });
  });

  describe("the summary of a recording", () => {
    test("the summary of a recording has the duration, the size and the peaks of both parties", async () => {
      const { simulationId, traceId } = await recordedSimulation(w);
      const { recording } = await w.client.recordings.ofSimulation({ simulationId });
      expect(recording).toMatchObject({
        state: "kept",
        problem: null,
        message: null,
        durationMs: 1_000,
        bytes: 64_044,
      });
      const { bucketMs, channels } = recording!.waveform!;
      expect(bucketMs).toBe(20);
      expect(channels.map(({ party, peaks }) => [party, peaks.length, peaks[10], peaks[40]])).toEqual([
        ["caller", 50, 500, 0],
        ["agent", 50, 0, 500],
      ]);
      expect(await w.client.recordings.ofConversation({ traceId })).toEqual({ recording });
    });

    test("the summary of a recording stays small for a long call", async () => {
      const simulationId = await unreachedSimulation(w.client);
      const bytes = recordedWav(90_000, [{ fromMs: 89_950, toMs: 90_000, level: 1 }], []);
      await w.keepRecording({ projectId: w.project.id, simulationId, bytes });
      const { recording } = await w.client.recordings.ofSimulation({ simulationId });
      const { bucketMs, channels } = recording!.waveform!;
      expect(bucketMs).toBe(45);
      expect(channels.map(({ peaks }) => [peaks.length, peaks.at(-1)])).toEqual([
        [2_000, 1_000],
        [2_000, 0],
      ]);
    });

    test("the summary of a recording says that nothing was recorded, and why a recording was not kept, whose sound is then a missing one", async () => {
      const simulationId = await unreachedSimulation(w.client);
      expect(await w.client.recordings.ofSimulation({ simulationId })).toEqual({ recording: null });
      await w.keepRecording({ projectId: w.project.id, simulationId, bytes: Buffer.from("no sound") });
      const { recording } = await w.client.recordings.ofSimulation({ simulationId });
      expect(recording).toMatchObject({ state: "not_kept", problem: "unreadable", waveform: null, durationMs: null });
      expect(recording!.message).toMatch(/no WAV file/);
      const sound = { method: "GET", path: `/v1/simulations/${simulationId}/recording`, key: w.projectKey };
      expectRefusal(await send(w.url, sound), "not_found");
    });
  });

  test("deleting a conversation removes its recording from the answers and from the disk", async () => {
    const { simulationId, traceId } = await recordedSimulation(w);
    await w.client.traces.delete({ traceId });
    expectRefusal(await get({}), "not_found");
    const summary = await send(w.url, { method: "GET", path: `${path}/summary`, key: w.projectKey });
    expect(jsonOf(summary)).toEqual({ recording: null });
    expect(simulationId).toBeTruthy();
  });
});
