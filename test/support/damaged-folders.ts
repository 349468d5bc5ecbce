import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databaseFile } from "../../packages/server/src/traces/store/duckdb/database-file.ts";
import { logSumsFile } from "../../packages/server/src/traces/store/duckdb/log-sums.ts";
import { type Ingest, openIngest } from "./ingest.ts";
import { until } from "./until.ts";

/** Whether the service that wrote a folder was killed or stopped. */
export type Stop = "killed" | "stopped";

/** The number of conversations in each folder. */
export const TRACES = 20;

export const index = (dataDir: string) => join(dataDir, "traces.db");
export const samples = databaseFile;
export const samplesLog = (dataDir: string) => `${samples(dataDir)}.wal`;
export const sizeOf = (path: string) => statSync(path).size;
const endOfSums = (dataDir: string) => {
  const sums = readFileSync(logSumsFile(dataDir));
  return sums.length === 0 ? 0 : sums.readDoubleLE(sums.length - 8);
};

/** Returns the spans of the conversation with this number. */
export const spansOf = (trace: number) =>
  Array.from({ length: 5 }, (_, index) => ({
    traceId: trace.toString(16).padStart(32, "0"),
    spanId: (trace * 100 + index + 1).toString(16).padStart(16, "0"),
    name: index % 2 === 0 ? "function_tool" : "user_turn",
    startTimeUnixNano: String(1_790_000_000_000_000_000n + BigInt(trace * 1000 + index) * 1_000_000n),
    endTimeUnixNano: String(1_790_000_000_000_000_000n + BigInt(trace * 1000 + index + 500) * 1_000_000n),
    attributes: [
      { key: "lk.function_tool.name", value: { stringValue: `look up ${index}` } },
      { key: "lk.user_transcript", value: { stringValue: `what I say ${index}` } },
      { key: "text", value: { stringValue: `the text ${trace} ${index}` } },
    ],
  }));

export type TraceFolders = Awaited<ReturnType<typeof writeTraceFolders>>;

/**
 * Writes three data folders with the same conversations: the folder of a running service, a copy as a kill leaves it, and a copy as
 * a stop leaves it.
 */
export async function writeTraceFolders() {
  const root = mkdtempSync(join(tmpdir(), "svc-damage-"));
  const path = (name: Stop | "live") => join(root, name);
  const ingest = await openIngest({ dataDir: path("live") });
  for (let trace = 1; trace <= TRACES; trace++) {
    await ingest.take(1, spansOf(trace));
    if (trace % 5 === 0) await ingest.intake.drain();
  }
  // The store writes the checksum of a change after the change, and may write at any time.
  await until("a copy of the log and all its sums", () => {
    cpSync(path("live"), path("killed"), { recursive: true });
    return endOfSums(path("killed")) === sizeOf(samplesLog(path("killed")));
  });
  await ingest.close();
  cpSync(path("live"), path("stopped"), { recursive: true });
  const newFolder = () => mkdtempSync(join(root, "copy-"));
  return {
    path,
    newFolder,
    /** Returns a new copy of a folder, in which a spec can start a service. */
    copyOf(stop: Stop): string {
      const dataDir = newFolder();
      cpSync(path(stop), dataDir, { recursive: true });
      rmSync(join(dataDir, "lock.db"), { force: true });
      return dataDir;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The query for all samples. */
export const ALL_TIME = { project: 1, fromMs: 0, toMs: 4e12, bucketMs: 1e12, agents: undefined, source: undefined };

/** Starts the ingest in the folder, and returns everything that the store then says of its conversations. */
export async function answersOf(dataDir: string): Promise<string> {
  const ingest = await openIngest({ dataDir });
  try {
    return await until("answers", async () => {
      await ingest.intake.drain();
      return answersIn(ingest);
    });
  } finally {
    await ingest.close();
  }
}

/** Returns everything that the running store says of its conversations. */
export async function answersIn({ store, traces }: Ingest): Promise<string> {
  const rows = await traces();
  const whole = await Promise.all(rows.map(({ traceId }) => store.reader.find(1, traceId)));
  const points = await store.reader.metrics({ ...ALL_TIME, measures: undefined });
  const calls = await store.reader.countToolCalls(ALL_TIME);
  return JSON.stringify([rows, whole, points, calls], (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}

/** Stores one conversation more than the folders have. */
export async function takeOneMore({ take, intake }: Ingest): Promise<void> {
  await take(1, spansOf(TRACES + 1));
  await intake.drain();
}

/** Flips one bit of a byte; `share` is the place of the byte in the file, from 0 to 1. */
export function flip(path: string, share: number, bit: number): void {
  const bytes = readFileSync(path);
  bytes[Math.floor(share * bytes.length)]! ^= 1 << bit;
  writeFileSync(path, bytes);
}
