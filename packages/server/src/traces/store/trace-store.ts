import type { MeasureName } from "@svc/contract";
import type { AnswerKind } from "../../http/answer-slots.ts";
import type { JsonAnswer } from "../../http/json-pieces.ts";
import type { Sample } from "../measures/measure.ts";
import type { MetricsPeriod, MetricsRequest } from "../metrics/metric-rules.ts";
import type { NamedSpan } from "../otlp/encode-spans.ts";
import type { TraceCursor, TraceListRequest } from "../rules.ts";
import type { SealedBatch, SpanBatch } from "../span-batch.ts";
import type { StoredSpan } from "../stored-span.ts";
import type { SearchMatch } from "./index/search-matches.ts";
import type { TraceSummaryRow } from "../summary-row.ts";

/** An open trace store. Other code depends only on the types in this file, so the engine can change. */
export type TraceStore = {
  reader: TraceReader;
  loader: SpanLoader;
  eraser: TraceEraser;
  exporter: TraceExporter;
  /** Commits every batch that was passed to `loader.load`, and then closes the store. */
  close: () => Promise<void>;
};

/** Reads conversations. Each call reads within one project, except `areRead` and `findProjects`. */
export type TraceReader = {
  /** Returns one page of the conversations that match. */
  list: (request: TraceListRequest) => Promise<TracePage>;
  /** Returns the conversation that contains the trace, with its spans; null if the project has no such trace. */
  find: (project: number, traceId: string) => Promise<TraceWithSpans | null>;
  /** Returns the API's answer for the conversation that contains the trace; null if the project has no such trace. */
  answer: (project: number, traceId: string, options: AnswerOptions) => Promise<JsonAnswer | null>;
  /** Returns the conversation that contains the trace, without spans; null if the project has no such trace. */
  findSummary: (project: number, traceId: string) => Promise<TraceSummaryRow | null>;
  /** Returns for each item of `reads` whether the reading of its conversation includes every span up to the journal record `lsn`. */
  areRead: (reads: readonly WaitingRead[]) => Promise<boolean[]>;
  /** Returns those of the project numbers in `projects` whose project has the trace. */
  findProjects: (projects: readonly number[], traceId: string) => Promise<number[]>;
  /**
   * Returns the points in the order of time, after the points of the whole period. Returns null if there are more than
   * `LIMITS.metricPoints` points.
   */
  metrics: (request: MetricsRequest) => Promise<MetricPoint[] | null>;
  /**
   * Returns the counts in the order of time, after the counts of the whole period. Returns null if there are more than
   * `LIMITS.metricPoints` counts.
   */
  countConversations: (period: MetricsPeriod) => Promise<ConversationCount[] | null>;
  /**
   * Returns the counts in the order of time, without counts of the whole period. Returns null if there are more than
   * `LIMITS.metricPoints` counts.
   */
  countEndings: (period: EndingsPeriod) => Promise<EndingCount[] | null>;
  /**
   * Returns the counts in the order of time, after the counts of the whole period. Returns null if there are more than
   * `LIMITS.metricPoints` counts.
   */
  countToolCalls: (period: MetricsPeriod) => Promise<ToolCount[] | null>;
  /**
   * Returns the versions of agents in production, newest first. Returns up to `LIMITS.agentVersionsShown` + 1 versions, so that the
   * caller sees whether there are more than it shows.
   */
  listAgentVersions: (project: number, agents: readonly string[] | undefined) => Promise<AgentVersionRow[]>;
  /** Returns the samples of a version's newest production conversations, at most `LIMITS.comparedConversations`. */
  readVersion: (request: VersionRequest) => Promise<VersionSamples>;
  /**
   * Returns up to `limit` conversations of the project whose reading has a higher number than `after`, newest reading first. Each
   * new reading gets a higher number than all earlier readings. When the tables are built again, the numbers start again.
   */
  readSince: (project: number, after: bigint, limit: number) => Promise<ReadConversations>;
  /**
   * Marks conversations to be read again with the current vocabularies: all conversations, or only those whose reading is of older
   * vocabularies. Returns the number of conversations that still wait.
   */
  remap: (project: number, all: boolean) => Promise<number>;
  /** Returns the time of the last production spans from a worker, in Unix milliseconds; null if no worker has sent spans. */
  lastSentMs: (project: number) => Promise<number | null>;
};

/** The attribute that contains the version of a project's agents. */
export type VersionAttribute = { project: number; attribute: string };

/** A version of an agent, with the start times of its first and last conversation. */
export type AgentVersionRow = { agent: string; version: string; firstMs: number; lastMs: number };

/** Selects the production conversations of one version of an agent that started in a period. */
export type VersionRequest = { project: number; agent: string; version: string; fromMs: number; toMs: number };

/** A conversation with all its names, and whether it has a failed span or tool call. */
export type VersionConversation = { names: string[]; hasErrors: boolean };

/**
 * The samples of a version's conversations. `total` is the number of all conversations of the version. `samples` has three numbers
 * for each sample: the index of its conversation in `conversations`, the index of its measure in `MEASURE_NAMES`, and its value.
 * `toolCalls` has two numbers for each call: the index of its conversation, and 1 if the call failed, else 0.
 */
export type VersionSamples = {
  total: number;
  conversations: VersionConversation[];
  samples: Float64Array;
  toolCalls: Float64Array;
};

/** A conversation whose reading must include every span up to the journal record `lsn`. */
export type WaitingRead = { project: number; traceId: string; lsn: number };

export type AnswerOptions = {
  /** Waits for an answer slot. A large conversation reserves `bytes` while its answer is built. */
  takeSlot: (kind: AnswerKind, bytes?: number) => Promise<void>;
  /** Aborts when the client has disconnected. */
  signal: AbortSignal;
  nowMs: number;
  /** Whether the answer includes every span that was acknowledged before the request; null if unknown. */
  upToDate: boolean | null;
};

/** Loads decoded spans into the store. Only the intake uses it. */
export type SpanLoader = {
  /** Transfers a batch to the store, which detaches the batch's buffers. Batches are loaded in the order of the calls. */
  load: (batch: SealedBatch) => void;
  /** Makes the store commit the loaded batches soon, without waiting for a read or a full batch. */
  commitSoon: () => void;
  /** Returns the number of the journal record up to which all spans are stored. */
  loadedLsn: () => number;
  /** Returns the number and size of the loaded batches that are not committed yet. */
  inFlight: () => { batches: number; bytes: number };
  /**
   * Returns the longest time, in milliseconds, for which a conversation has been due to be read. A conversation that gets new spans
   * is due if it was never read, has doubled or has ended, or after ten seconds without new spans.
   */
  readingLagMs: () => number;
  /**
   * Calls `listener` after every commit, after every group of conversations was read, and when the engine stops. Returns a function
   * that removes the listener.
   */
  onProgress: (listener: () => void) => () => void;
  /**
   * Calls `listener` when the store has opened again after a failure. The failure lost the uncommitted batches, or, if files were
   * damaged, all rows. The listener must load every record above `loadedLsn` again.
   */
  onReopened: (listener: () => void) => void;
  /** Sets the attributes that contain the agent's version. They apply to conversations that are read after this call. */
  setVersionAttributes: (attributes: readonly VersionAttribute[]) => Promise<void>;
  /** With true, the store rejects all reads, because rows are missing until the journal is loaded. With false, it allows reads. */
  holdReads: (held: boolean) => void;
  /** Returns false while the engine cannot be opened, and once the store is closing. */
  reachable: () => boolean;
  /** Resolves once every loaded batch is committed and its conversations are read. */
  drain: () => Promise<void>;
};

/** How far conversations are stored and read. */
export type ReadingProgress = Pick<
  SpanLoader,
  "commitSoon" | "loadedLsn" | "readingLagMs" | "onProgress" | "reachable" | "setVersionAttributes" | "drain"
>;

/** The rows of one exported file. `lines` is a file with one JSON object per line, which has these columns. */
export type ExportSelection =
  | { table: "spans"; project: number; day: number }
  | { table: "conversations" | "measures" | "tool_calls"; project: number }
  | { table: "lines"; lines: string; columns: Readonly<Record<string, ColumnType>> };

export type ColumnType =
  | "VARCHAR"
  | "VARCHAR[]"
  | "BOOLEAN"
  | "TIMESTAMP"
  | "BIGINT"
  | "INTEGER"
  | "UINTEGER"
  | "UTINYINT"
  | "DOUBLE";

/** Writes Parquet files. Reads wait while a file is written. */
export type TraceExporter = {
  /** Returns the days on which the service received spans of the project, in days since 1970-01-01 UTC. */
  days: (project: number) => Promise<number[]>;
  /** Writes the rows into a new Parquet file. */
  write: (selection: ExportSelection, file: string) => Promise<void>;
};

/** A trace store into which the spans of another store are copied. */
export type SpanTarget = {
  isEmpty: () => Promise<boolean>;
  /** Removes all spans and conversations. */
  empty: () => Promise<void>;
  /** Stores spans. The column `lsn` has their time of receipt in microseconds. A repeated span is stored once. */
  store: (batch: SpanBatch) => Promise<void>;
  /** Adds the traces and conversations of all stored spans to the index. They then wait to be read. */
  index: (onIndexed: (traces: number) => void) => Promise<void>;
  close: () => Promise<void>;
};

/** A trace store from which spans are copied. The copy does not change this store. */
export type SpanSource = Pick<TraceReader, "list"> & {
  /** Returns the number of conversations whose reading is from an earlier version. This version may read them differently. */
  countFormerReadings: () => Promise<number>;
  /** Yields all spans in the order of their receipt, including repeated spans, in pages of limited size. */
  pages: () => AsyncGenerator<ReceivedSpan[]>;
  close: () => Promise<void>;
};

/** A stored span, its names, and its time of receipt in microseconds. */
export type ReceivedSpan = NamedSpan & { receivedUs: number };

/** Erases spans from the tables and the journal. The tables' file may still contain them until the next `rewrite`. */
export type TraceEraser = {
  /**
   * Erases the spans that were received before `day`, in days since 1970-01-01 UTC. With a project number, erases only spans of that
   * project. Returns the number of days that were erased.
   */
  dropDaysBefore: (day: number, project?: number) => Promise<number>;
  /**
   * Returns the conversations with spans that were received before `day`, grouped by project. With a project number, returns only
   * conversations of that project.
   */
  conversationsBefore: (day: number, project?: number) => Promise<NamedConversation[]>;
  /** Returns the trace ids and names of the conversation that contains the trace; null if the project has no such trace. */
  namesOf: (project: number, traceId: string) => Promise<TraceSelection | null>;
  /** Returns the ids of the traces for which the trace id or the conversation's name has one of these digests. */
  withDigests: (project: number, digests: readonly string[]) => Promise<string[]>;
  /** Erases traces and returns their ids. */
  erase: (project: number, selection: TraceSelection) => Promise<string[]>;
  /** Removes erased rows from the tables' file. Returns false if the file contains no erased rows. */
  rewrite: () => Promise<boolean>;
};

/** Selects traces of a project by their ids and by the names of their conversations. */
export type TraceSelection = { traceIds: readonly string[]; names: readonly string[] };

/** All names of some conversations in a project: the names that spans give them, and the ids of their traces. */
export type NamedConversation = { project: number; names: string[] };

/**
 * One page of conversations. `next` is null on the last page. `total` is the number of matching conversations, counted up to
 * `LIMITS.conversationsCounted` + 1; null if the request does not ask for the number.
 */
export type TracePage = {
  rows: TraceSummaryRow[];
  /** For each row, the place where the search matches; null without a search. */
  matches: (SearchMatch | null)[];
  next: TraceCursor | null;
  total: number | null;
};

/** Conversations that were read. `last` is the number of the newest reading in any project. */
export type ReadConversations = { rows: TraceSummaryRow[]; isMore: boolean; last: bigint };

/**
 * A conversation with its spans by start. `truncated` is true if the conversation has more spans than one read returns. `lostSpans`
 * is the number of spans that cannot be read.
 */
type TraceWithSpans = { summary: TraceSummaryRow; spans: StoredSpan[]; truncated: boolean; lostSpans: number };

/** The conversations or samples of one agent in one time bucket, or, if `startMs` is null, in the whole period. */
type Pooled = {
  source: "production" | "simulation";
  agent: string | null;
  /** Undefined: all versions of the agent. */
  version?: string | null | undefined;
  startMs: number | null;
};

/** The pooled samples of one measure of one agent. Answers show `provenances` only for the whole period. */
export type MetricPoint = Pooled & {
  measure: MeasureName;
  samples: number;
  p50: number | null;
  p90: number | null;
  p95: number | null;
  mean: number;
  provenances: Sample["provenance"][];
};

/** Number of an agent's conversations. `errors` is the number of its conversations with a failed span or tool call. */
export type ConversationCount = Pooled & { conversations: number; errors: number };

/** A period, and the ending whose conversations are counted. */
export type EndingsPeriod = MetricsPeriod & { ending: string };

/** `known`: number of an agent's conversations with a reported ending. `ended`: number of its conversations with the requested ending. */
export type EndingCount = Pick<Pooled, "agent" | "startMs"> & { known: number; ended: number };

/** Numbers of an agent's calls of one tool: all calls, failed calls, and calls with an unknown outcome. */
export type ToolCount = Pooled & { tool: string | null; calls: number; errors: number; unknown: number };
