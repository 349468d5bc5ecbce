/**
 * Measures the processor time per span from a request body to the turns and measures of a conversation: `npm run bench -- derive`.
 * With the folder of another checkout, compares both checkouts in turns: `npm run bench -- derive ../other`.
 */
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { createSpanFinder } from "../packages/server/src/traces/otlp/body-messages.ts";
import { createSpanMessageParser } from "../packages/server/src/traces/otlp/parse-message.ts";
import { readingOf } from "../packages/server/src/traces/store/reading.ts";
import type { StoredSpan } from "../packages/server/src/traces/stored-span.ts";
import { bodiesOfCall, bodyFor, newCall } from "./live-calls.ts";
import { HEAVY } from "./workloads.ts";

const STAGES = ["find", "parse", "derive"] as const;
type Times = Record<string, Record<(typeof STAGES)[number], number>>;

const PARTS = 7;
const PART_SPANS = 20_000;
const TURNS = 5;
const FACTS = { rootEnded: true, endedNs: 1n, lastReceivedMs: 1 };

const call = (bodies: number): Buffer[] => {
  const ids = newCall();
  return bodiesOfCall(bodies).map((body) => gunzipSync(bodyFor(body, ids)));
};

const WORKLOADS: [name: string, bodies: () => Buffer[]][] = [
  ["heavy", () => HEAVY.bodies(8).map(({ gzip }) => gunzipSync(gzip))],
  ["a call of 60 bodies", () => call(60)],
  ["a call of 8 bodies", () => call(8)],
];

const findSpans = createSpanFinder();
const parseMessage = createSpanMessageParser();

/** Returns the microseconds of each stage for all spans of the bodies, and the number of spans. */
function read(bodies: readonly Buffer[]) {
  const at = [cpuMicroseconds()];
  const found = bodies.map(findSpans);
  at.push(cpuMicroseconds());
  const spans = found.flatMap((of) => of.map(parseMessage));
  at.push(cpuMicroseconds());
  for (const conversation of Map.groupBy(spans, ({ traceId }: StoredSpan) => traceId).values())
    readingOf(conversation, false, FACTS);
  at.push(cpuMicroseconds());
  return { spans: spans.length, times: STAGES.map((_, stage) => at[stage + 1]! - at[stage]!) };
}

function cpuMicroseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/**
 * Reads the bodies again and again, in several parts. Returns the medians over the parts, in microseconds per span. The first part
 * is a warm-up and does not count.
 */
function measure(bodies: readonly Buffer[]): Times[string] {
  const parts: number[][] = [];
  for (let part = 0; part < PARTS; part++) {
    let spans = 0;
    const sums = STAGES.map(() => 0);
    while (spans < PART_SPANS) {
      const round = read(bodies);
      spans += round.spans;
      for (const [stage, time] of round.times.entries()) sums[stage]! += time;
    }
    if (part > 0) parts.push(sums.map((sum) => sum / spans));
  }
  const medians = STAGES.map((stage, at) => [stage, median(parts.map((part) => part[at]!))] as const);
  return Object.fromEntries(medians) as Times[string];
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]!;

const measureAll = (): Times => Object.fromEntries(WORKLOADS.map(([name, bodies]) => [name, measure(bodies())]));

const measuredIn = (folder: string): Times =>
  JSON.parse(
    execFileSync(process.execPath, ["--conditions=svc-source", "bench/derive.ts", "--json"], {
      cwd: folder,
      encoding: "utf8",
    }),
  ) as Times;

/** Prints the medians of several runs. With runs of another checkout, also prints the ratio to them. */
function print(here: Times[], other: Times[]): void {
  for (const [name] of WORKLOADS) {
    for (const stage of STAGES) {
      const [now, before] = [here, other].map((runs) => median(runs.map((run) => run[name]![stage])));
      const compared = other.length === 0 ? "" : `  other ${before!.toFixed(2)}, ratio ${(now! / before!).toFixed(2)}`;
      console.log(`${name.padEnd(20)} ${stage.padEnd(7)} ${now!.toFixed(2)} µs a span${compared}`);
    }
  }
}

const [argument] = process.argv.slice(2);
if (argument === "--json") console.log(JSON.stringify(measureAll()));
else {
  const turns: [Times[], Times[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    turns[0].push(measuredIn("."));
    if (argument !== undefined) turns[1].push(measuredIn(resolve(argument)));
  }
  print(...turns);
}
