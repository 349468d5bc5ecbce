import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Conditions, createConditions } from "../../packages/server/src/base/conditions.ts";
import { type Intake, openIntake } from "../../packages/server/src/traces/intake/intake.ts";
import { createJournalDamage } from "../../packages/server/src/traces/journal/damage.ts";
import { type JournalDisk, realDisk } from "../../packages/server/src/traces/journal/disk.ts";
import { openClickHouseTraces, openTraceStore } from "../../packages/server/src/traces/store/open.ts";
import type { TraceStore } from "../../packages/server/src/traces/store/trace-store.ts";
import type { TraceSummaryRow } from "../../packages/server/src/traces/summary-row.ts";
import { createDeletedConversations } from "../../packages/server/src/traces/erasure/deleted-conversations.ts";
import { clickHouseOf, openStoreOf } from "./engine.ts";
import { encodeProtobuf, type OtlpSpan } from "./otlp.ts";

export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

type Options = {
  dataDir?: string;
  conditions?: Conditions;
  disk?: JournalDisk;
  waitMs?: number;
  bytesInFlightMax?: number;
  /** Opens the store in the data folder, even when the specs run on ClickHouse. */
  embedded?: boolean;
};

export type Ingest = {
  dataDir: string;
  store: TraceStore;
  intake: Intake;
  take: (project: number, spans: OtlpSpan[]) => ReturnType<Intake["take"]>;
  /** Returns conversations, newest first. */
  traces: (project?: number, limit?: number) => Promise<TraceSummaryRow[]>;
  close: () => Promise<void>;
};

/** Opens the trace store and the intake, by default in a temporary folder. */
export async function openIngest({
  dataDir,
  conditions = createConditions(silent),
  ...options
}: Options = {}): Promise<Ingest> {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), "svc-ingest-"));
  const { store, intake, close } = await openStore(folder, { conditions, ...options });
  return {
    dataDir: folder,
    store,
    intake,
    take: (project: number, spans: OtlpSpan[]) => intake.take(bodyOf(project, spans)),
    traces: async (project = 1, limit = 1000) => {
      const request = { project, limit, sort: { by: "startedAt" as const, descending: true }, after: undefined };
      return (await store.reader.list({ ...request, filters: noFilters })).rows;
    },
    async close(): Promise<void> {
      await intake.close();
      await close();
      if (dataDir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

type OpenStore = Pick<Ingest, "store" | "intake" | "close">;

async function openStore(
  folder: string,
  { conditions, embedded = false, ...options }: Omit<Options, "dataDir"> & { conditions: Conditions },
): Promise<OpenStore> {
  const url = embedded ? undefined : await clickHouseOf(folder);
  if (url !== undefined) return openOnClickHouse(folder, url);
  const damage = createJournalDamage(folder, conditions, silent);
  const store = await openTraceStore({ dataDir: folder, log: silent, conditions, onDamagedRecord: damage.examine });
  const { loader } = store;
  const intake = await openIntake({ dataDir: folder, loader, log: silent, conditions, damage, ...options });
  return { store, intake, close: store.close };
}

/**
 * Opens the store in ClickHouse. The `loader` of this store can only report progress. No spec that runs on ClickHouse loads batches
 * itself.
 */
async function openOnClickHouse(folder: string, url: string): Promise<OpenStore> {
  const { db, close } = await openStoreOf(folder);
  const deleted = createDeletedConversations();
  const store = await openClickHouseTraces({ url, db, log: silent, deleted, dataDir: folder });
  return {
    store: store as unknown as TraceStore,
    intake: store.intake,
    async close() {
      await store.close();
      await close();
    },
  };
}

/** Returns the journal's functions for files, of which those in `calls` fail while `fails` returns true. */
export function failingDisk(calls: (keyof JournalDisk)[], fails: () => boolean): JournalDisk {
  const guard = ([name, call]: [string, Function]) => {
    const guarded = (...args: unknown[]) =>
      (calls as string[]).includes(name) && fails()
        ? Promise.reject(new Error("EIO: the disk is failing"))
        : call(...args);
    return [name, guarded];
  };
  return Object.fromEntries(Object.entries(realDisk).map(guard)) as JournalDisk;
}

export const noFilters = {
  fromNs: undefined,
  toNs: undefined,
  source: undefined,
  agents: undefined,
  status: undefined,
  search: undefined,
};

/** Returns a received body with the spans under one resource and scope. */
export const bodyOf = (project: number, spans: OtlpSpan[]) => ({
  project,
  encoding: "protobuf" as const,
  compression: "identity" as const,
  chunks: [encodeProtobuf(requestOf(spans))],
});

export const requestOf = (spans: OtlpSpan[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "voice-agent" } }] },
      scopeSpans: [{ scope: { name: "livekit-agents", version: "1.2.6" }, spans }],
    },
  ],
});

export const traceIdOf = (number: number) => `7${number.toString(16).padStart(31, "0")}`;
export const spanIdOf = (number: number) => `b${number.toString(16).padStart(15, "0")}`;

/** Returns span `number` of trace `trace`; span 0 is the root. */
export const spanOf = (trace: number, number: number, span: Partial<OtlpSpan> = {}): OtlpSpan => ({
  traceId: traceIdOf(trace),
  spanId: spanIdOf(number),
  ...(number > 0 && { parentSpanId: spanIdOf(0) }),
  name: number === 0 ? "session" : `step ${number}`,
  startTimeUnixNano: String(1_795_251_159_000_000_000n + BigInt(trace) * 60_000_000_000n + BigInt(number) * 1_000_000n),
  endTimeUnixNano: String(1_795_251_159_000_500_000n + BigInt(trace) * 60_000_000_000n + BigInt(number) * 1_000_000n),
  ...span,
});
