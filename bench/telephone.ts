/**
 * Measures calls over SIP on this machine: `npm run bench -- telephone`. Prints the delay of sound beside that of a media stream, the
 * packet gaps of calls at once, calls in a row, and what is heard of known sound at lost packets. Needs Linux.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { Command } from "commander";
import { createLog } from "../packages/server/src/base/log/log.ts";
import { FRAME_MS, FRAME_SAMPLES } from "../packages/server/src/voice/audio/audio.ts";
import type { CallEnd, LineOrder } from "../packages/server/src/voice/calls/call.ts";
import { createLine } from "../packages/server/src/voice/calls/lines/create-line.ts";
import { startFrameClock } from "../packages/server/src/voice/calls/media/frame-clock.ts";
import { type MediaPool, openMediaPool } from "../packages/server/src/voice/calls/media/pool.ts";
import { createToneDetector, tone } from "../test/support/audio/tones.ts";
import { generatedConversation } from "../test/support/calls/generated-conversation.ts";
import { placeOn } from "../test/support/calls/placed-call.ts";
import { memoryOf } from "../test/support/calls/processes.ts";
import { spokenSentences } from "../test/support/calls/spoken-sentences.ts";
import { createHeardScore, printScores } from "./telephone-heard.ts";
import {
  CODECS,
  type Codec,
  type FromAgents,
  LOSSES,
  nowMs,
  PLAYS_FROM_MS,
  playsOver,
  type Report,
  type ToAgents,
} from "./telephone-messages.ts";

const { parts, seconds, calls, row, conversations } = new Command("telephone")
  .description("Measures calls over SIP beside calls over a media stream.")
  .option("--parts <names>", "what to measure", "delay,at-once,in-a-row,heard")
  .option("--seconds <seconds>", "seconds of the delays and of the calls at once", Number, 30)
  .option("--calls <calls>", "calls at once", Number, 20)
  .option("--row <calls>", "calls in a row", Number, 200)
  .option("--conversations <count>", "conversations that are heard, of about 70 s", Number, 3)
  .parse()
  .opts<{ parts: string; seconds: number; calls: number; row: number; conversations: number }>();

const load = () => `load ${loadavg()[0]!.toFixed(1)}`;
const rank = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * share)]!;

const agents = fork(new URL("telephone-agents.ts", import.meta.url), {
  execArgv: ["--conditions=svc-source"],
  serialization: "advanced",
});
process.once("exit", () => agents.kill());
async function ask<Answer extends FromAgents>(message: ToAgents): Promise<Answer> {
  agents.send(message);
  return (await once(agents, "message"))[0] as Answer;
}
const report = () => ask<{ kind: "report" } & Report>({ kind: "report" });
const opened = await ask<Extract<FromAgents, { kind: "open" }>>({ kind: "open", count: Math.max(calls, 10) });
const speech = await spokenSentences();

const sipOrder = (agent: number, user: string): LineOrder => ({
  kind: "sip",
  uri: opened.sip[agent]!.replace("@", `${user}@`),
  transport: "udp",
  outboundProxy: undefined,
  account: undefined,
  caller: undefined,
  maxSeconds: undefined,
  credential: undefined,
  headers: {},
  privateAddresses: "allow",
});
const streamOrder = (behavior: string): LineOrder => ({
  kind: "media_stream",
  url: `${opened.stream}${behavior}`,
  headers: {},
  codec: "mulaw_8k",
  privateAddresses: "allow",
  parameters: {},
});

/** An odd number of frames, so that tones begin in both halves of a packet. */
const TONE_EVERY = 57;
const TONE_FRAMES = 6;

/** Sends tones over both lines at once, both ways, and prints the time between the start of each tone and its arrival. */
async function measureDelays(): Promise<void> {
  const events = { waitsForAgent: () => {}, words: () => {}, pressed: () => {}, ended: () => {} };
  const toneFrame = tone(1_000, FRAME_MS / 1_000, 0.4);
  const lines = await Promise.all(
    ([sipOrder(0, "tones"), streamOrder("tones")] as const).map(async (order) => {
      const line = createLine(order, "delays", events);
      await line.connect(new AbortController().signal);
      return { line, starts: createToneDetector(), sentMs: [] as number[], heardMs: [] as number[] };
    }),
  );
  let frame = 0;
  const clock = startFrameClock(() => {
    for (const { line, starts, sentMs, heardMs } of lines) {
      if (starts(line.hear())) heardMs.push(nowMs());
      if (frame % TONE_EVERY === 0) sentMs.push(nowMs());
      line.send(frame % TONE_EVERY < TONE_FRAMES ? toneFrame : new Int16Array(FRAME_SAMPLES));
    }
    frame++;
  });
  await delay(seconds * 1_000);
  const loaded = load();
  clock.stop();
  const { sip, stream, ownGapMs } = await report();
  await Promise.all(lines.map(({ line }) => line.close()));
  const [overSip, overStream] = lines as [(typeof lines)[0], (typeof lines)[0]];
  const ways = {
    "caller to agent": [delaysOf(overSip.sentMs, sip.heardMs), delaysOf(overStream.sentMs, stream.heardMs)],
    "agent to caller": [delaysOf(sip.sentMs, overSip.heardMs), delaysOf(stream.sentMs, overStream.heardMs)],
  } as const;
  for (const [way, [bySip, byStream]] of Object.entries(ways)) {
    const told = [bySip, byStream].map(
      (all) => `p50 ${rank(all, 0.5).toFixed(1)}, p95 ${rank(all, 0.95).toFixed(1)} ms of ${all.length} tones`,
    );
    const difference = rank(bySip, 0.5) - rank(byStream, 0.5);
    console.log(
      `mouth to ear, ${way}: SIP ${told[0]}; media stream ${told[1]}; difference ${difference.toFixed(1)} ms`,
    );
  }
  console.log(`longest frame gap of the caller ${clock.gapMaxMs()} ms, of the agents ${ownGapMs} ms (${loaded})`);
}

/** The first two tones are left out, because the call begins with them. */
const delaysOf = (sentMs: readonly number[], heardMs: readonly number[]): number[] =>
  sentMs.slice(2, -1).flatMap((sent) => heardMs.find((heard) => heard > sent && heard - sent < 450)! - sent || []);

/** Returns the processor time that a process has used, in milliseconds. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const endings = (ended: readonly CallEnd[]) =>
  [...Map.groupBy(ended, ({ reason, note }) => `${reason}${note === null ? "" : ` (${note})`}`)]
    .map(([reason, all]) => `${all.length} ${reason}`)
    .join(", ");

/** Time from one sentence of a caller to the caller's next one. */
const SENTENCE_EVERY_MS = 6_000;

/** Measures first with new media processes, whose code is not compiled yet, and then with the same processes again. */
async function measureAtOnce(): Promise<void> {
  const pool = openMediaPool(createLog("error"));
  for (const processes of ["new", "used"]) await measureRound(pool, processes);
  await pool.close();
}

async function measureRound(pool: MediaPool, processes: string): Promise<void> {
  await report();
  const placed = Array.from({ length: calls }, (_, at) =>
    placeOn(pool, sipOrder(at, "speaks"), { sendsAgentSound: true }),
  );
  await Promise.all(placed.map((call) => Promise.race([call.event("connected"), call.ended])));
  let turn = 0;
  const talking = setInterval(() => placed[turn % calls]!.say(speech(`at once ${turn++}`)), SENTENCE_EVERY_MS / calls);
  await delay(2_000);
  await report();
  const pids = pool.processIds();
  const used = () => [pids.reduce((sum, pid) => sum + cpuMs(pid), 0), cpuMs(agents.pid!)] as const;
  const [before, fromMs] = [used(), nowMs()];
  await delay(seconds * 1_000);
  const [after, lastedMs, loaded] = [used(), nowMs() - fromMs, load()];
  const { packets, gapMaxMs, gapsOver60, ownGapMs } = await report();
  clearInterval(talking);
  for (const call of placed) call.hangUp();
  const ended = await Promise.all(placed.map((call) => call.ended));
  const gaps = ended.map(({ summary }) => summary?.frameGapMaxMs ?? NaN);
  const share = (at: 0 | 1) => (((after[at] - before[at]) / lastedMs) * 100).toFixed(0);
  console.log(
    `${calls} calls at once, ${seconds} s, ${pids.length} ${processes} media processes (${loaded}): ${endings(ended)}`,
  );
  console.log(
    `  ${packets} packets arrived, the longest gap between two ${gapMaxMs.toFixed(0)} ms, ${gapsOver60} gaps over 60 ms; the agents' own longest frame gap ${ownGapMs} ms`,
  );
  console.log(
    `  longest frame gap of the service ${Math.max(...gaps)} ms (median of the calls ${rank(gaps, 0.5)} ms), ${gaps.filter((gap) => gap > 60).length} calls over 60 ms`,
  );
  console.log(
    `  processor: media processes ${share(0)} % of a core, ${(Number(share(0)) / calls).toFixed(1)} % a call; agents ${share(1)} %`,
  );
}

const filesOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;
/** The sockets of a call stay open for this long after it, to answer repeated messages. */
const AFTER_MS = 6_500;

async function measureInARow(): Promise<void> {
  const pool = openMediaPool(createLog("error"));
  const before = (await report()).byes;
  const ended: CallEnd[] = [];
  const startedMs = nowMs();
  const state = () => {
    const [pid] = pool.processIds() as [number];
    return `${memoryOf(pid).toFixed(0)} MB, ${filesOf(pid)} file descriptors`;
  };
  for (let at = 0; at < row; at++) {
    const call = placeOn(pool, sipOrder(at % opened.sip.length, "greets"));
    await Promise.race([call.event("agent_stopped"), call.ended, delay(10_000)]);
    call.hangUp();
    ended.push(await call.ended);
    if ([9, 49, 99, 149, row - 2].includes(at)) {
      await delay(AFTER_MS);
      console.log(`  after ${at + 1} calls: ${state()}`);
    }
  }
  await delay(AFTER_MS);
  const heard = ended.filter(({ line }) => line?.steps.some(({ step }) => step === "heard")).length;
  const { byes } = await report();
  console.log(
    `${row} calls in a row in ${((nowMs() - startedMs) / 1_000).toFixed(0)} s (${load()}): ${endings(ended)}; ${heard} heard the agent; ${byes - before} times BYE`,
  );
  console.log(`  after the last call: ${pool.processIds().length === 0 ? "the process has been replaced" : state()}`);
  await pool.close();
}

const variety = {
  speech,
  callerDbfs: [-22, -18],
  agentDbfs: [-20, -20],
  agentNoise: [],
  agentSnrDb: [0, 0],
  isCoded: false,
  offset: 0,
  turns: 9,
} as const;

async function measureHeard(): Promise<void> {
  const rows: { name: string; order: (agent: number) => LineOrder }[] = [
    { name: "media stream, µ-law", order: () => streamOrder("plays") },
    ...(Object.keys(CODECS) as Codec[]).flatMap((codec) =>
      LOSSES.map((loss) => ({
        name: `${codec}, ${loss} % lost`,
        order: (agent: number) => sipOrder(agent, playsOver(codec, loss)),
      })),
    ),
  ];
  const pool = openMediaPool(createLog("error"));
  const wavs = createHeardScore("the WAVs themselves");
  const scores = rows.map(({ name }) => createHeardScore(name));
  for (let at = 0; at < conversations; at++) {
    const conversation = generatedConversation(`telephone ${at}`, variety);
    await wavs.addWavs(conversation);
    await ask<"ready">({ kind: "sound", samples: conversation.agentSound });
    await Promise.all(
      rows.map(async ({ order }, index) => {
        const call = placeOn(pool, order(index));
        await Promise.race([call.event("connected"), call.ended]);
        await delay(PLAYS_FROM_MS);
        call.say(conversation.callerSound);
        const said = await Promise.race([call.event("said"), call.ended]);
        await delay(500);
        call.hangUp();
        const from = { callerMs: "startedMs" in said ? said.startedMs : 0, agentMs: PLAYS_FROM_MS };
        scores[index]!.add(conversation, from, await call.ended);
      }),
    );
  }
  console.log(`as heard against the truth of ${conversations} conversations (${load()})`);
  printScores([wavs, ...scores]);
  await pool.close();
}

const PARTS: Record<string, () => Promise<void>> = {
  delay: measureDelays,
  "at-once": measureAtOnce,
  "in-a-row": measureInARow,
  heard: measureHeard,
};
for (const part of parts.split(",")) await PARTS[part]!();
process.exit(0);
