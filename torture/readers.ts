import { once } from "node:events";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { liveKitRequest } from "../test/support/livekit-request.ts";
import { encodeProtobuf } from "../test/support/otlp.ts";
import { until } from "../test/support/until.ts";
import { newBody } from "./loads/ingest.ts";
import type { Draws } from "./random.ts";
import type { ReaderResult, ReaderTask } from "./reader-thread.ts";
import type { Arena, Scenario } from "./scenario.ts";
import { claimed, clientOf, type Service } from "./service.ts";
import { keysIn } from "../test/support/secret.ts";

const READS = 200;
const SPANS = 5_000;
const CONVERSATIONS = 3;
const QUIET_MS = 4_000;
/** Pause between two measured requests of one kind. */
const PAUSE_MS = 15;
const GROWTH_MB_MAX = 300;
const RATIO_MAX = 2;
/** If the machine is busier than this without readers, the measured times mean nothing. */
const BUSY_SHARE_MAX = 0.4;
/** Below this p99, a ratio of two times measures the scheduler of the machine and not the service. */
const P99_FLOOR_MS = 25;

export const readers: Scenario = {
  name: "readers",
  shows: "200 readers of a conversation of 5,000 spans leave ingest, /health and memory as they are",
  weight: 2,
  trials: "reads",
  goal: 20 * READS,
  async run(arena) {
    const settings = claimed(arena.draws);
    const service = arena.launch({ dataDir: join(arena.folder, "data"), settings });
    const url = await service.serving;
    const key = keysIn(settings).projectKey;
    const client = clientOf(url, key);
    const traceIds: string[] = [];
    for (let number = 0; number < CONVERSATIONS; number++) {
      const request = liveKitRequest(arena.draws.whole(1, 1e6), {
        spans: SPANS,
        conversations: 1,
        startMs: Date.now() - 9e6,
      });
      await client.traces.ingest({ body: encodeProtobuf(request), contentType: "application/x-protobuf" });
      traceIds.push(request.resourceSpans![0]!.scopeSpans![0]!.spans![0]!.traceId);
    }
    for (const traceId of traceIds) {
      await until(
        "the conversation is derived",
        async () => (await client.traces.get({ traceId })).spanCount === SPANS,
        60_000,
      );
    }
    while (arena.goesOn()) await round(arena, service, { url, key, traceIds, reads: READS });
    await service.stop();
  },
};

type Times = { ingest: number[]; health: number[] };

async function round(arena: Arena, service: Service, task: ReaderTask): Promise<void> {
  const idle = processorTimes();
  const quiet = await measure(
    arena,
    task,
    delay(QUIET_MS).then(() => true),
  );
  const busyShare = busyShareOf(idle, processorTimes());
  const before = service.rssMb();
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, service.rssMb())), 50);
  const worker = new Worker(new URL("reader-thread.ts", import.meta.url), { workerData: task });
  const startedMs = performance.now();
  const reading = Promise.race([
    once(worker, "message").then(([result]) => result as ReaderResult),
    once(worker, "error").then(([error]) => Promise.reject(error as Error)),
  ]);
  const busy = await measure(arena, task, reading);
  clearInterval(sampling);
  const { statuses, bytes, failures } = await reading;
  arena.trial(task.reads);
  for (const [status, count] of Object.entries(statuses)) arena.count(`answers ${status}`, count);
  const planted = arena.isPlanted ? ["planted"] : [];
  for (const fault of faultsOfReads({ statuses, failures: [...failures, ...planted] }))
    arena.violation(fault, failures.slice(0, 5));

  const growth = Math.round(most - before);
  arena.figure("memory", `${Math.round(before)} MB quiet, ${growth} MB more at most (limit ${GROWTH_MB_MAX})`);
  for (const fault of faultsOfMemory(before, most)) arena.violation(fault, { before, most });
  const seconds = (performance.now() - startedMs) / 1_000;
  arena.figure("reads", `${task.reads} in ${seconds.toFixed(1)} s, ${Math.round(bytes / 1e6)} MB`);
  for (const kind of ["ingest", "health"] as const) {
    const { shown, fault } = compareTimes(kind, quiet[kind], busy[kind]);
    const isJudged = arena.isLong && busyShare <= BUSY_SHARE_MAX;
    const busyBefore = `the machine was ${Math.round(busyShare * 100)} % busy without readers`;
    const unjudged = arena.isLong ? busyBefore : "only the long form judges times";
    arena.figure(kind, isJudged ? shown : `${shown}; not judged: ${unjudged}`);
    if (isJudged && fault !== undefined) arena.violation(fault);
  }
}

const processorTimes = () =>
  cpus().map(({ times }) => ({ idle: times.idle, all: Object.values(times).reduce((sum, part) => sum + part) }));

/** Returns the share of the machine's processor time that was used between two measurements. */
export function busyShareOf(from: ReturnType<typeof processorTimes>, to: ReturnType<typeof processorTimes>): number {
  const passed = (part: "idle" | "all") => to.reduce((sum, core, at) => sum + core[part] - from[at]![part], 0);
  return 1 - passed("idle") / Math.max(passed("all"), 1);
}

/** Returns the faults of the readers' answers. Each answer must be whole, or say that the service is busy. */
export function faultsOfReads({ statuses, failures }: Pick<ReaderResult, "statuses" | "failures">): string[] {
  const wrong = Object.entries(statuses).filter(([status]) => !["200", "503"].includes(status));
  if (wrong.length === 0 && failures.length === 0) return [];
  return [`readers got ${JSON.stringify({ ...Object.fromEntries(wrong), failures: failures.length })}`];
}

/** Returns a fault if the memory grew too much from `before` to `most` megabytes. */
export const faultsOfMemory = (before: number, most: number): string[] =>
  most - before > GROWTH_MB_MAX ? [`memory grew by ${Math.round(most - before)} MB`] : [];

/** Compares the times of one kind of request without and with readers. */
export function compareTimes(kind: string, quiet: readonly number[], busy: readonly number[]) {
  const [calm, loaded] = [p99(quiet), p99(busy)];
  const ratio = loaded / Math.max(calm, P99_FLOOR_MS);
  const times = `p99 ${calm.toFixed(0)} ms quiet, ${loaded.toFixed(0)} ms with readers (n ${quiet.length} and ${busy.length})`;
  return {
    shown: `${times}, ${ratio.toFixed(1)}x (limit ${RATIO_MAX}x)`,
    fault: ratio > RATIO_MAX ? `${kind} slowed down: ${times}` : undefined,
  };
}

/** Sends small bodies and requests `/health`, one after another, until `over` resolves. Returns the times. */
async function measure(arena: Arena, { url, key }: ReaderTask, over: Promise<unknown>): Promise<Times> {
  const draws: Draws = arena.draws.named("measure");
  const client = clientOf(url, key);
  const times: Times = { ingest: [], health: [] };
  const state = { isOver: false };
  void over.finally(() => (state.isOver = true)).catch(() => undefined);
  const repeat = async (kind: keyof Times, call: () => Promise<unknown>) => {
    while (!state.isOver || times[kind].length === 0) {
      const startedMs = performance.now();
      await call().catch((error: Error) => arena.violation(`${kind} failed beside readers: ${error.message}`));
      times[kind].push(performance.now() - startedMs);
      await delay(PAUSE_MS);
    }
  };
  await Promise.all([
    repeat("ingest", () => client.traces.ingest(newBody(draws, 5).send)),
    repeat("health", () => client.health.get()),
  ]);
  return times;
}

const p99 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
