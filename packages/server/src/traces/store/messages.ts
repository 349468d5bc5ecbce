import type { Committed } from "./loader.ts";
import type { SealedBatch } from "../span-batch.ts";
import type { MetricsRequest } from "../metric-rules.ts";
import type { MetricPoint } from "../present-metrics.ts";
import type { TraceListRequest } from "../rules.ts";
import type { TraceSummaryRow } from "../summary-row.ts";
import type { TracePage } from "./list.ts";
import type { TraceRows } from "./reads.ts";

/** What the loader thread is asked by message; bigints cross as they are, and ids as hexadecimal text. */
export type LoaderCalls = {
  listTraces: (request: TraceListRequest) => Promise<TracePage>;
  readTrace: (project: number, traceId: string) => Promise<TraceRows | null>;
  readSummary: (project: number, traceId: string) => Promise<TraceSummaryRow | null>;
  readMetrics: (request: MetricsRequest) => Promise<MetricPoint[] | null>;
  /** How many conversations still wait to be read again. */
  remap: (project: number, all: boolean) => Promise<number>;
  lastSent: (project: number) => Promise<number | null>;
  dropDaysBefore: (day: number) => Promise<void>;
  settle: () => Promise<void>;
  close: () => Promise<void>;
};

export type LoaderData = { dataDir: string; memoryLimitMb: number };

export type ToLoader =
  | { kind: "batch"; batch: SealedBatch }
  | { kind: "call"; id: number; call: keyof LoaderCalls; args: unknown[] };

export type FromLoader =
  | { kind: "ready"; loadedLsn: number }
  | ({ kind: "committed" } & Committed)
  | { kind: "answer"; id: number; value: unknown }
  | { kind: "failure"; id: number; error: unknown; interrupted: boolean }
  | { kind: "failed"; error: unknown }
  | { kind: "log"; level: "info" | "warn" | "error"; message: string; details: Record<string, unknown> };
