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
  /** Commits every batch that `loader.load` has taken. Then closes the store. */
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
  /** Returns for each item whether its conversation's reading includes every span up to its journal record. */
  areRead: (reads: readonly WaitingRead[]) => Promise<boolean[]>;
  /** Returns the numbers of those projects that have the trace. */
  findProjects: (projects: readonly number[], traceId: string) => Promise<number[]>;
  /**
   * Returns the points in order of time; those of the whole period come first. Returns null if there are more than
   * `LIMITS.metricPoints`.
   */
  metrics: (request: MetricsRequest) => Promise<MetricPoint[] | null>;
  /**
   * Returns the counts in order of time; those of the whole period come first. Returns null if there are more than
   * `LIMITS.metricPoints`.
   */
  countConversations: (period: MetricsPeriod) => Promise<ConversationCount[] | null>;
  /**
   * Returns the counts in order of time, without any of the whole period. Returns null if there are more than
   * `LIMITS.metricPoints`.
   */
  countEndings: (period: EndingsPeriod) => Promise<EndingCount[] | null>;
  /**
   * Returns the counts in order of time; those of the whole period come first. Returns null if there are more than
   * `LIMITS.metricPoints`.
   */
  countToolCalls: (period: MetricsPeriod) => Promise<ToolCount[] | null>;
  /**
   * Returns the versions of agents in production, newest first. Returns up to `LIMITS.agentVersionsShown` + 1, so the caller
   * sees whether there are more.
   */
  listAgentVersions: (project: number, agents: readonly string[] | undefined) => Promise<AgentVersionRow[]>;
  /** Returns the samples of a version's newest production conversations, at most `LIMITS.comparedConversations`. */
  readVersion: (request: VersionRequest) => Promise<VersionSamples>;
  /**
   * Returns up to `limit` conversations of the project whose reading has a higher number than `after`, newest reading first.
   * Each new reading gets a higher number than all earlier ones, until the tables are built again.
   */
  readSince: (project: number, after: bigint, limit: number) => Promise<ReadConversations>;
  /**
   * Marks conversations to be read again with the current mapping: all, or those that an older mapping read. Returns how many
   * conversations still wait.
   */
  remap: (project: number, all: boolean) => Promise<number>;
  /** Returns when a worker last sent spans of a production conversation, in Unix milliseconds; null if none has. */
  lastSentMs: (project: number) => Promise<number | null>;
};

/** The attribute that holds the version of a project's agents. */
export type VersionAttribute = { project: number; attribute: string };

/** A version of an agent, with the start times of its first and last conversation. */
export type AgentVersionRow = { agent: string; version: string; firstMs: number; lastMs: number };

/** Selects the production conversations of one version of an agent that started in a period. */
export type VersionRequest = { project: number; agent: string; version: string; fromMs: number; toMs: number };

/** A conversation with all its names, and whether it has a failed span or tool call. */
export type VersionConversation = { names: string[]; hasErrors: boolean };

/**
 * The samples of a version's conversations. `total` is the number of all its conversations. `samples` has three numbers for each
 * sample: the index of its conversation, the index of its measure in `MEASURE_NAMES`, and its value. `toolCalls` has two for
 * each call: the index of its conversation, and 1 if it failed, else 0.
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
  /** Waits until the read may start. A large conversation reserves `bytes` while its answer is built. */
  takeSlot: (kind: AnswerKind, bytes?: number) => Promise<void>;
  /** Aborts when the client has disconnected. */
  signal: AbortSignal;
  nowMs: number;
  /** Whether the answer includes every span from before the request; null if this is unknown. */
  upToDate: boolean | null;
};

/** Loads decoded spans into the store. Only the intake uses it. */
export type SpanLoader = {
  /** Moves a batch into the store; its buffers are then detached. Batches are loaded in the order of the calls. */
  load: (batch: SealedBatch) => void;
  /** Makes the store commit the loaded batches soon, even if nobody reads. */
  commitSoon: () => void;
  /** Returns the number of the journal record up to which all spans are stored. */
  loadedLsn: () => number;
  /** Returns the number and size of the loaded batches that are not committed yet. */
  inFlight: () => { batches: number; bytes: number };
  /**
   * Returns how long the conversation that has waited longest has been due to be read. A conversation that still grows is due if
   * it was never read, has doubled or has ended, or after ten seconds without new spans.
   */
  readingLagMs: () => number;
  /**
   * Calls `listener` after every commit, after every round of readings, and when the engine stops. Returns a function that
   * removes the listener.
   */
  onProgress: (listener: () => void) => () => void;
  /**
   * Calls `listener` when the store has opened again after a failure. Uncommitted batches are then lost, and after damage all
   * rows. Load every record above `loadedLsn` again.
   */
  onReopened: (listener: () => void) => void;
  /** Sets the attributes that hold the agent's version. They apply to conversations that are read after this call. */
  setVersionAttributes: (attributes: readonly VersionAttribute[]) => Promise<void>;
  /** Makes the store refuse all reads while rows are missing, until the journal is loaded again. False ends that. */
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

/** A trace store into which the spans of another one are copied. */
export type SpanTarget = {
  isEmpty: () => Promise<boolean>;
  /** Removes all spans and conversations. */
  empty: () => Promise<void>;
  /** Stores spans. The column `lsn` holds their time of receipt in microseconds. A repeated span is stored once. */
  store: (batch: SpanBatch) => Promise<void>;
  /** Adds the traces and conversations of all stored spans to the index. They then wait to be read. */
  index: (onIndexed: (traces: number) => void) => Promise<void>;
  close: () => Promise<void>;
};

/** A trace store from which spans are copied. It is only read. */
export type SpanSource = Pick<TraceReader, "list"> & {
  /** Returns the number of conversations that were read by an earlier version. This version may read them differently. */
  countFormerReadings: () => Promise<number>;
  /** Returns all spans in the order of their receipt, including repeated ones, in pages of limited size. */
  pages: () => AsyncGenerator<ReceivedSpan[]>;
  close: () => Promise<void>;
};

/** A stored span, its names, and its time of receipt in microseconds. */
export type ReceivedSpan = NamedSpan & { receivedUs: number };

/** Erases spans from the tables and the journal. The tables' file may still contain them until the next `rewrite`. */
export type TraceEraser = {
  /**
   * Erases the spans that were received before `day`, in days since 1970-01-01 UTC. With a project number, only those of that
   * project. Returns the number of days that were erased.
   */
  dropDaysBefore: (day: number, project?: number) => Promise<number>;
  /**
   * Returns the conversations with spans that were received before `day`, grouped by project. With a project number, only those
   * of that project.
   */
  conversationsBefore: (day: number, project?: number) => Promise<NamedConversation[]>;
  /** Returns the trace ids and names of the conversation that contains the trace; null if the project has no such trace. */
  namesOf: (project: number, traceId: string) => Promise<TraceSelection | null>;
  /** Returns the ids of the traces for which the trace id or the conversation's name has one of these digests. */
  withDigests: (project: number, digests: readonly string[]) => Promise<string[]>;
  /** Erases traces and returns their ids. */
  erase: (project: number, selection: TraceSelection) => Promise<string[]>;
  /** Removes erased rows from the tables' file. Returns false if the file holds none. */
  rewrite: () => Promise<boolean>;
};

/** Selects traces of a project by their ids and by the names of their conversations. */
export type TraceSelection = { traceIds: readonly string[]; names: readonly string[] };

/** All names of some conversations in a project: the names that spans give them, and the ids of their traces. */
export type NamedConversation = { project: number; names: string[] };

/**
 * One page of conversations. `next` is null on the last page. `total` is the number of matching conversations, counted up to
 * `LIMITS.conversationsCounted` + 1; null if the request does not ask for it.
 */
export type TracePage = {
  rows: TraceSummaryRow[];
  /** Where the search matches in each of the rows; null without a search. */
  matches: (SearchMatch | null)[];
  next: TraceCursor | null;
  total: number | null;
};

/** Conversations that were read. `last` is the number of the newest reading in any project. */
export type ReadConversations = { rows: TraceSummaryRow[]; isMore: boolean; last: bigint };

/**
 * A conversation with its spans by start. `truncated` says that it has more spans than one read returns. `lostSpans` is the
 * number of spans that cannot be read.
 */
type TraceWithSpans = { summary: TraceSummaryRow; spans: StoredSpan[]; truncated: boolean; lostSpans: number };

/** The conversations or samples of one agent in one time bucket. If `startMs` is null, in the whole period. */
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

/** The number of an agent's conversations, and the number of those with a failed span or tool call. */
export type ConversationCount = Pooled & { conversations: number; errors: number };

/** A period, and the ending whose conversations are counted. */
export type EndingsPeriod = MetricsPeriod & { ending: string };

/** The number of an agent's conversations with a reported ending, and the number of those with the requested ending. */
export type EndingCount = Pick<Pooled, "agent" | "startMs"> & { known: number; ended: number };

/** An agent's calls of one tool: how many there are, how many failed, and for how many the outcome is unknown. */
export type ToolCount = Pooled & { tool: string | null; calls: number; errors: number; unknown: number };
