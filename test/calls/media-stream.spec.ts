import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { joined } from "../../packages/server/src/voice/audio/audio.ts";
import { decodeMulaw } from "../../packages/server/src/voice/audio/mulaw.ts";
import { readWav } from "../../packages/server/src/voice/audio/wav.ts";
import { levelOf, powerOf } from "../../packages/server/src/voice/audio/level.ts";
import { openMediaPool, type MediaPool } from "../../packages/server/src/voice/calls/media/pool.ts";
import { createLog } from "../../packages/server/src/base/log/log.ts";
import { tone } from "../support/audio/tones.ts";
import {
  type FakeCall,
  type FakeVoiceAgent,
  startFakeVoiceAgent,
  syllablesOf,
} from "../support/calls/fake-voice-agent.ts";
import { placeAt } from "../support/calls/placed-call.ts";
import { until } from "../support/until.ts";

const wav = Buffer.from("RIFF....WAVEfmt ").toString("base64");
const media = (payload: unknown) => (call: FakeCall) => call.send({ event: "media", media: { payload } });

/** By title: the agent's behavior in a call, the ending that follows, and words of the ending's note. */
const ENDINGS: Record<string, [behave: (call: FakeCall) => void, reason: string, note: RegExp | null]> = {
  "hangs-up": [(call) => (call.say(0.1), setTimeout(() => call.socket.close(1000), 300)), "agent_ended", null],
  stops: [(call) => (call.say(0.1), setTimeout(() => call.send({ event: "stop" }), 300)), "agent_ended", null],
  "closes-at-once": [({ socket }) => socket.close(1000), "agent_never_joined", /before it made a sound/],
  "breaks-off": [({ socket }) => socket.terminate(), "agent_error", /code 1006/],
  crashes: [({ socket }) => socket.close(1011), "agent_error", /code 1011/],
  text: [({ socket }) => socket.send("hello"), "agent_error", /not JSON/],
  list: [({ socket }) => socket.send("[]"), "agent_error", /not an object/],
  "no-event": [({ socket }) => socket.send("{}"), "agent_error", /without "event"/],
  binary: [({ socket }) => socket.send(Buffer.alloc(160)), "agent_error", /binary/],
  "no-payload": [media(undefined), "agent_error", /Base64/],
  "no-base64": [media("%%%"), "agent_error", /Base64/],
  wav: [media(wav), "agent_error", /WAV/],
  "other-rate": [
    (call) => call.send({ event: "media", media: { payload: "AAAA", sampleRate: 24_000 } }),
    "agent_error",
    /24000/,
  ],
  "json-bomb": [
    ({ socket }) => socket.send(`{"event":"x","a":${"[".repeat(2_000_000)}${"]".repeat(2_000_000)}}`),
    "agent_error",
    /more than 10000 values/,
  ],
  "no-mark-name": [(call) => call.send({ event: "mark" }), "agent_error", /mark/],
  "large-message": [({ socket }) => socket.send("x".repeat(5 * 1024 * 1024)), "agent_error", /4 MiB/],
  "flood-of-sound": [
    (call) => {
      for (let count = 0; count < 700; count++) call.say(1);
    },
    "agent_error",
    /10 minutes/,
  ],
  "flood-of-messages": [
    (call) => {
      for (let count = 0; count < 60_000; count++) call.socket.send('{"event":"ping"}');
    },
    "agent_error",
    /more messages/,
  ],
  "flood-of-pings": [
    ({ socket }) => {
      for (let count = 0; count < 10_000; count++) socket.ping();
    },
    "agent_error",
    /more pings/,
  ],
  "flood-of-fragments": [
    ({ socket }) => {
      for (let count = 0; count < 20_000; count++) socket.send("a", { fin: false });
    },
    "agent_error",
    /break the WebSocket protocol/,
  ],
};

let agent: FakeVoiceAgent;
let pool: MediaPool;

beforeAll(async () => {
  agent = await startFakeVoiceAgent({
    ...Object.fromEntries(Object.entries(ENDINGS).map(([name, [behave]]) => [name, behave])),
    silent: () => {},
    pings({ socket, send }) {
      socket.once("pong", (data: Buffer) => send({ event: data.toString() === "still there?" ? "stop" : "wrong" }));
      socket.ping("still there?");
    },
    speaks: (call) => call.say(1),
    bursts(call) {
      const sound = Buffer.from(syllablesOf(0.5), "base64");
      for (let at = 0; at < sound.length; at += 2)
        call.send({ event: "media", media: { payload: sound.subarray(at, at + 2).toString("base64") } });
      call.send({ event: "mark", mark: { name: "end" } });
    },
  });
  pool = openMediaPool(createLog("silent"));
});
afterAll(async () => {
  await pool.close();
  agent.stop();
});

const lastCall = () => agent.calls.at(-1)!;

describe("a media stream", () => {
  test("a media stream begins with `connected` and `start`, and then has the caller's sound in messages of 20 ms", async () => {
    const call = placeAt(pool, agent.urlOf("silent"), {
      line: { headers: { authorization: "Bearer secret" }, parameters: { simulationId: "sim_1" } },
    });
    await call.event("connected");
    call.say(tone(400, 0.5));
    call.press("#");
    await call.event("said");
    call.hangUp();
    await call.ended;
    const { messages, heard, request } = await until("the end of the stream", () =>
      lastCall().messages.at(-1)?.event === "stop" ? lastCall() : undefined,
    );
    expect(request.headers.authorization).toBe("Bearer secret");
    expect(messages.map(({ event }) => event)).toEqual(["connected", "start", "dtmf", "stop"]);
    expect(messages[2]).toMatchObject({ dtmf: { track: "inbound_track", digit: "#" } });
    expect(messages[1]).toMatchObject({
      sequenceNumber: "1",
      streamSid: call.order.callId,
      start: {
        streamSid: call.order.callId,
        tracks: ["inbound"],
        mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 },
        customParameters: { simulationId: "sim_1" },
      },
    });
    expect(new Set(heard.map(({ length }) => length))).toEqual(new Set([160]));
    expect(Math.max(...heard.map(levelOf))).toBeGreaterThan(-12);
  });

  test("the recording has the caller on the left, the agent on the right, and the length of the call", async () => {
    const call = placeAt(pool, agent.urlOf("speaks"));
    const { startedMs, atMs } = await call.event("agent_stopped");
    expect(atMs - startedMs).toBeGreaterThan(900);
    expect(atMs - startedMs).toBeLessThan(1_100);
    call.say(tone(400, 0.4));
    const said = await call.event("said");
    expect(said.endedMs - said.startedMs).toBe(400);
    call.hangUp();
    const { reason, summary, recordingError } = await call.ended;
    expect([reason, recordingError]).toEqual(["persona_concluded", null]);
    const { rate, channels } = readWav(readFileSync(call.order.recordingFile));
    const [left, right] = channels as [Int16Array, Int16Array];
    expect(Math.abs((left.length / rate) * 1_000 - summary!.durationMs)).toBeLessThanOrEqual(10);
    const between = (side: Int16Array, fromMs: number, toMs: number) =>
      levelOf(side.subarray((fromMs * rate) / 1_000, (toMs * rate) / 1_000));
    expect(between(left, said.startedMs, said.endedMs)).toBeGreaterThan(-12);
    expect(between(left, 0, said.startedMs)).toBeLessThan(-80);
    expect(between(right, startedMs + 20, atMs - 20)).toBeGreaterThan(-20);
    expect(between(right, said.startedMs, said.endedMs)).toBeLessThan(-60);
  });

  test.each(Object.keys(ENDINGS))("an agent that does `%s` ends the call with its reason", async (name) => {
    const [, reason, note] = ENDINGS[name]!;
    const end = await placeAt(pool, agent.urlOf(name)).ended;
    expect(end).toMatchObject({ reason, isOurFault: false });
    if (note) expect(end.note).toMatch(note);
  });

  test("a ping of the agent is answered with its bytes", async () => {
    // The agent ends the call when it has the answer, before it spoke.
    expect((await placeAt(pool, agent.urlOf("pings")).ended).reason).toBe("agent_never_joined");
  });

  test("an address without a WebSocket says which side refused the call", async () => {
    const statuses = { "/forbidden": 403, "/busy": 429, "/moved": 302, "/broken": 500 } as Record<string, number>;
    const server = createServer((request, response) => response.writeHead(statuses[request.url!] ?? 200).end("hello"));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    const endAt = async (path: string) => (await placeAt(pool, `ws://127.0.0.1:${port}${path}`).ended).reason;
    expect(await Promise.all(["/forbidden", "/busy", "/moved", "/broken", "/"].map(endAt))).toEqual([
      "credential_rejected",
      "rate_limited",
      "agent_error",
      "agent_error",
      "agent_error",
    ]);
    server.close();
    server.closeAllConnections();
    expect(await endAt("/")).toBe("connection_refused");
  });

  test("a private address is not called when the service refuses private addresses", async () => {
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      const url = agent.urlOf("silent").replace("127.0.0.1", host);
      const call = placeAt(pool, url, { line: { privateAddresses: "refuse" } });
      expect(await call.ended).toMatchObject({ reason: "connection_refused", note: /SVC_OUTBOUND_PRIVATE/ });
    }
    const metadata = placeAt(pool, "ws://169.254.169.254/");
    expect(await metadata.ended).toMatchObject({ reason: "connection_refused" });
  });

  test("a burst of small messages is heard to its end", async () => {
    const call = placeAt(pool, agent.urlOf("bursts"));
    await call.event("agent_stopped");
    await until("the mark", () => lastCall().messages.some(({ mark }) => mark?.name === "end"));
    call.hangUp();
    await call.ended;
    // On a busy machine, messages arrive more slowly than the sound is played. The recording then has pauses, but no sound is missing.
    const { rate, channels } = readWav(readFileSync(call.order.recordingFile));
    const energyOf = (samples: Int16Array, hertz: number) => (powerOf(samples) * samples.length) / hertz;
    const sent = energyOf(decodeMulaw(Buffer.from(syllablesOf(0.5), "base64")), 8_000);
    expect(energyOf(channels[1]!, rate) / sent).toBeCloseTo(1, 1);
  });

  test("the agent hears background noise with the caller's words, even while the caller is silent", async () => {
    const call = placeAt(pool, agent.urlOf("silent"), { surroundings: { kind: "office", snrDb: 10 } });
    await call.event("connected");
    const speech = tone(400, 2, 0.3);
    call.say(speech);
    const { endedMs } = await call.event("said");
    const { heard } = lastCall();
    const hearsUntil = (ms: number) => until("sound", () => heard.length * 20 >= ms);
    await hearsUntil(endedMs + 3_000);
    call.hangUp();
    await call.ended;
    const after = joined(heard.slice(Math.ceil(endedMs / 20) + 5));
    expect(Math.abs(levelOf(speech) - 10 - levelOf(after))).toBeLessThan(3);
  });

  test("`mark` and `clear` follow the sound that the caller hears", async () => {
    const call = placeAt(pool, agent.urlOf("silent"));
    await call.event("connected");
    const stream = await until("the stream", () => (lastCall().messages.length === 2 ? lastCall() : undefined));
    const marks = () => stream.messages.flatMap(({ mark }) => mark?.name ?? []);
    stream.say(0.5);
    stream.send({ event: "mark", mark: { name: "heard" } });
    await until("the mark", () => marks().includes("heard"));
    const { startedMs, atMs } = await call.event("agent_stopped");
    expect(atMs - startedMs).toBeGreaterThan(400);
    stream.say(60);
    stream.send({ event: "mark", mark: { name: "cleared" } });
    await until("speech again", () => call.events.filter(({ kind }) => kind === "agent_started").length === 2);
    stream.send({ event: "clear" });
    await until("the mark of the cleared sound", () => marks().includes("cleared"));
    await until("silence", () => call.events.filter(({ kind }) => kind === "agent_stopped").length === 2);
    call.hangUp();
    expect((await call.ended).summary!.durationMs).toBeLessThan(30_000);
  });
});
