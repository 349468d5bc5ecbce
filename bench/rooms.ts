/**
 * Measures calls in rooms of a real media server: `npm run bench -- rooms`. Prints the delay of sound between caller and agent. For
 * growing numbers of calls at once, also prints the processor time and the longest frame gaps. Needs Linux and
 * SVC_TEST_MEDIA_SERVER.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { dispose } from "@livekit/rtc-node";
import { Command } from "commander";
import type { CallSummary } from "../packages/server/src/voice/calls/call.ts";
import { createRoomLine } from "../packages/server/src/voice/calls/lines/room/room.ts";
import { startFrameClock } from "../packages/server/src/voice/calls/media/frame-clock.ts";
import { openMediaPool } from "../packages/server/src/voice/calls/media/pool.ts";
import { createLog } from "../packages/server/src/base/log/log.ts";
import { signToken } from "../packages/server/src/runs/lines/room/media-server.ts";
import { createToneDetector } from "../test/support/audio/tones.ts";
import { startMediaServer } from "../test/support/room/media-server.ts";
import { joinTalker, startsTone, toneFrame } from "../test/support/room/talker.ts";

const [atOnce, seconds] = new Command("rooms")
  .description("Measures calls in rooms of a media server.")
  .argument("[calls]", "numbers of calls at once", "1,2,4,8,12,16")
  .argument("[seconds]", "seconds of each measurement", Number, 15)
  .parse().processedArgs as [string, number];

const media = await startMediaServer();
const packageFolders = [import.meta.dirname];
const tokenOf = (identity: string, room: string) =>
  signToken(media, identity, { room, roomJoin: true, canPublish: true, canSubscribe: true }, 3_600);
const load = () => `load ${loadavg()[0]!.toFixed(1)}`;
const percentile = (values: number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * share)]!;

/** Prints the time between the start of each tone and the moment at which the other side heard it. */
function printDelays(direction: string, sentMs: readonly number[], heardMs: readonly number[]): void {
  const delays = sentMs.flatMap((sent) => heardMs.find((heard) => heard > sent && heard - sent < 450)! - sent || []);
  const [p50, p95] = [percentile(delays, 0.5), percentile(delays, 0.95)].map((ms) => ms.toFixed(0));
  console.log(
    `mouth to ear, ${direction}: p50 ${p50} ms, p95 ${p95} ms, ${delays.length} of ${sentMs.length} tones (${load()})`,
  );
}

async function measureDelays(): Promise<void> {
  const line = createRoomLine(
    { kind: "room", url: media.url, token: tokenOf("svc-caller", "delays"), packageFolders, privateAddresses: "allow" },
    { waitsForAgent: () => {}, words: () => {}, pressed: () => {}, ended: () => {} },
  );
  const connected = line.connect(new AbortController().signal);
  const talker = await joinTalker(media.url, tokenOf("agent", "delays"));
  await connected;
  const [sentMs, heardMs]: [number[], number[]] = [[], []];
  const starts = createToneDetector();
  let frame = 0;
  const clock = startFrameClock(() => {
    if (starts(line.hear())) heardMs.push(performance.now());
    if (startsTone(frame)) sentMs.push(performance.now());
    line.send(toneFrame(frame++));
  });
  await delay(2_000 + seconds * 1_000);
  clock.stop();
  printDelays("caller to agent", sentMs.slice(4, -1), talker.heardMs);
  printDelays("agent to caller", talker.sentMs.slice(4, -1), heardMs);
  console.log(`longest frame gap of this process: ${clock.gapMaxMs()} ms`);
  await line.close();
  await talker.leave();
}

/** Returns the processor time that a process has used, in milliseconds. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function measureCalls(count: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-rooms-"));
  const pool = openMediaPool(createLog("error"));
  const agents = fork(join(import.meta.dirname, "../test/support/room/talker.ts"), {
    execArgv: ["--conditions=svc-source"],
  });
  const rooms = Array.from({ length: count }, (_, index) => `calls-${count}-${index}`);
  const summaries: CallSummary[] = [];
  const failures: string[] = [];
  let connected = 0;
  const calls = rooms.map((room) =>
    pool.place(
      {
        callId: room,
        line: {
          kind: "room",
          url: media.url,
          token: tokenOf("svc-caller", room),
          packageFolders,
          privateAddresses: "allow",
        },
        turnTaking: { endOfTurnMs: 700, patienceMs: 60_000, interruptAfterMs: [null] },
        surroundings: null,
        condition: "good",
        recordingFile: join(folder, `${room}.wav`),
        sendsAgentSound: false,
        seed: room,
      },
      (event) => {
        if (event.kind === "connected") connected++;
        if (event.kind !== "ended") return;
        if (event.summary) summaries.push(event.summary);
        else failures.push(event.note ?? event.reason);
      },
    ),
  );
  agents.send({ url: media.url, tokens: rooms.map((room) => tokenOf("agent", room)) });
  await once(agents, "message");
  for (let waited = 0; connected + failures.length < count && waited < 30_000; waited += 100) await delay(100);
  const pids = pool.processIds();
  const before = {
    callers: pids.reduce((sum, pid) => sum + cpuMs(pid), 0),
    server: cpuMs(media.pid),
    agents: cpuMs(agents.pid!),
  };
  const fromMs = performance.now();
  await delay(seconds * 1_000);
  const lastedMs = performance.now() - fromMs;
  const used = {
    callers: pids.reduce((sum, pid) => sum + cpuMs(pid), 0),
    server: cpuMs(media.pid),
    agents: cpuMs(agents.pid!),
  };
  const share = (side: keyof typeof used) => (((used[side] - before[side]) / lastedMs / count) * 100).toFixed(1);
  const loaded = load();
  for (const call of calls) call.hangUp();
  for (let waited = 0; summaries.length + failures.length < count && waited < 20_000; waited += 100) await delay(100);
  const gaps = summaries.map(({ frameGapMaxMs }) => frameGapMaxMs);
  console.log(
    `${count} calls at once: core per call: caller ${share("callers")} %, media server ${share("server")} %, agent ${share("agents")} %; ` +
      `longest frame gap ${Math.max(...gaps)} ms, ${gaps.filter((gap) => gap > 60).length} calls over 60 ms, ${failures.length} failed (${loaded})`,
  );
  for (const failure of new Set(failures)) console.log(`  ${failure}`);
  agents.disconnect();
  await once(agents, "exit");
  await pool.close();
  rmSync(folder, { recursive: true });
  return gaps.length;
}

try {
  await measureDelays();
  for (const count of atOnce.split(",")) await measureCalls(Number(count));
} finally {
  await media.stop();
  await dispose();
}
process.exit(0);
