import type { Channel, MeasureName } from "@svc/contract";
import type { AnswerKind } from "../../http/answer-slots.ts";
import type { JsonAnswer } from "../../http/json-pieces.ts";
import type { Sample } from "../measures/measure.ts";
import type { MetricsPeriod, MetricsRequest } from "../metrics/metric-rules.ts";
import type { NamedSpan } from "../otlp/encode-spans.ts";
import type { TurnRow } from "../measures/turn-rows.ts";
import type { TraceCursor, TraceListRequest } from "../rules.ts";
import type { SealedBatch, SpanBatch } from "../span-batch.ts";
import type { StoredSpan } from "../stored-span.ts";
import type { TurnCursor, TurnListRequest } from "../turn-rules.ts";
import type { SearchMatch } from "./index/search-matches.ts";
import type { TraceSummaryRow } from "../summary-row.ts";

/** Other code depends only on the types in this file, so the engine can change. */
export type TraceStore = {
  reader: TraceReader;
  loader: SpanLoader;
  eraser: TraceEraser;
  exporter: TraceExporter;
  /** Commits every batch that was passed to `loader.load`, and then closes the store. */
  close: () => Promise<void>;
};

/** Each call reads within one project, except `areRead` and `findProjects`. */
export type TraceReader = {
  list: (request: TraceListRequest) => Promise<TracePage>;
  listTurns: (request: TurnListRequest) => Promise<TurnPage>;
  /** The conversation that contains the trace; null if the project has no such trace. */
  find: (project: number, traceId: string) => Promise<TraceWithSpans | null>;
  answer: (project: number, traceId: string, options: AnswerOptions) => Promise<JsonAnswer | null>;
  findSummary: (project: number, traceId: string) => Promise<TraceSummaryRow | null>;
  /** Returns for each item of `reads` whether the derived conversation includes every span up to the journal record `lsn`. */
  areRead: (reads: readonly WaitingRead[]) => Promise<boolean[]>;
  findProjects: (projects: readonly number[], traceId: string) => Promise<number[]>;
  /**
   * Returns the points in the order of time, after the points of the whole period. Returns null if there are more than
   * `LIMITS.metricPoints` points.
   */
  metrics: (request: MetricsRequest) => Promise<MetricPoint[] | null>;
  /** Ordered and limited like `metrics`. */
  countConversations: (period: MetricsPeriod) => Promise<ConversationCount[] | null>;
  /** Ordered and limited like `metrics`, but without counts of the whole period. */
  countEndings: (period: EndingsPeriod) => Promise<EndingCount[] | null>;
  /** Ordered and limited like `metrics`, but without counts of the whole period. */
  countOccurrences: (period: OccurrencesPeriod) => Promise<EndingCount[] | null>;
  /** Ordered and limited like `metrics`. */
  countToolCalls: (period: MetricsPeriod) => Promise<ToolCount[] | null>;
  /** Returns the conversations of one agent that the counts and metrics of a period include, worst first, at most `limit`. */
  listCounted: (request: CountedRequest) => Promise<CountedConversation[]>;
  /** Returns how the samples of a measure spread, of one agent in a period. */
  readSpread: (request: SpreadRequest) => Promise<Spread>;
  /**
   * Returns up to `LIMITS.agentVersionsShown` + 1 versions, so that the caller sees whether there are more than it
   * shows.
   */
  listAgentVersions: (project: number, agents: readonly string[] | undefined) => Promise<AgentVersionRow[]>;
  /** Returns the samples of a version's newest production conversations, at most `LIMITS.comparedConversations`. */
  readVersion: (request: VersionRequest) => Promise<VersionSamples>;
  /**
   * Each time a conversation is derived, it gets a higher number than all before. Returns up to `limit` conversations of the
   * project with a number above `after`, newest first. When the tables are built again, the numbers start again.
   */
  readSince: (project: number, after: bigint, limit: number) => Promise<ReadConversations>;
  /**
   * Marks conversations to be derived again with the current vocabularies: all conversations, or only those that older vocabularies
   * derived. Returns the number of conversations that still wait.
   */
  remap: (project: number, all: boolean) => Promise<number>;
  /** Returns the time of the last production spans from a worker, in Unix milliseconds; null if no worker has sent spans. */
  lastSentMs: (project: number) => Promise<number | null>;
  /** Leaves out agents without a production conversation. */
  lastOfAgents: (project: number, agents: readonly string[]) => Promise<LastOfAgent[]>;
};

/** When the newest production conversation of an agent arrived, in Unix milliseconds. */
export type LastOfAgent = { agent: string; lastReceivedMs: number };

/** A turn of an agent, with what a list shows of its conversation. */
export type ListedTurnRow = {
  traceId: string;
  source: TraceSummaryRow["source"];
  agent: string | null;
  agentVersion: string | null;
  channel: Channel | null;
  row: TurnRow;
};

/** `next` is null on the last page. */
export type TurnPage = { rows: ListedTurnRow[]; next: TurnCursor | null };

export type VersionAttribute = { project: number; attribute: string };

/** `firstMs` and `lastMs` are the starts of the version's first and last conversation. */
export type AgentVersionRow = { agent: string; version: string; firstMs: number; lastMs: number };

export type VersionRequest = { project: number; agent: string; version: string; fromMs: number; toMs: number };

/** A conversation with all its names, and whether it has a failed span or tool call. */
export type VersionConversation = { names: string[]; hasErrors: boolean };

/**
 * `total` is the number of all conversations of the version. `samples` has three numbers for each sample: the index of
 * its conversation in `conversations`, the index of its measure in `MEASURE_NAMES`, and its value. `toolCalls` has two
 * numbers for each call: the index of its conversation, and 1 if the call failed, else 0.
 */
export type VersionSamples = {
  total: number;
  conversations: VersionConversation[];
  samples: Float64Array;
  toolCalls: Float64Array;
};

export type WaitingRead = { project: number; traceId: string; lsn: number };

export type AnswerOptions = {
  /** Waits for an answer slot. A large conversation reserves `bytes` while its answer is built. */
  takeSlot: (kind: AnswerKind, bytes?: number) => Promise<void>;
  signal: AbortSignal;
  nowMs: number;
  /** Whether the answer includes every span that was acknowledged before the request; null if unknown. */
  upToDate: boolean | null;
};

/** Only the intake uses the loader. */
export type SpanLoader = {
  /** Transfers a batch to the store, which detaches the batch's buffers. Batches are loaded in the order of the calls. */
  load: (batch: SealedBatch) => void;
  /** Makes the store commit the loaded batches soon, without waiting for a read or a full batch. */
  commitSoon: () => void;
  /** Returns the number of the journal record up to which all spans are stored. */
  loadedLsn: () => number;
  /** The loaded batches that are not committed yet. */
  inFlight: () => { batches: number; bytes: number };
  /**
   * Returns the longest time, in milliseconds, for which a conversation has been due to be derived. A conversation that gets new
   * spans is due if it was never derived, has twice as many spans or has ended, or after ten seconds without new spans.
   */
  readingLagMs: () => number;
  /**
   * Calls `listener` after every commit, after every group of conversations was derived, and when the engine stops. Returns a
   * function that removes the listener.
   */
  onProgress: (listener: () => void) => () => void;
  /**
   * Calls `listener` when the store has opened again after a failure. The failure lost the uncommitted batches, or, if files were
   * damaged, all rows. The listener must load every record above `loadedLsn` again.
   */
  onReopened: (listener: () => void) => void;
  /** The attributes apply to conversations that are derived after this call. */
  setVersionAttributes: (attributes: readonly VersionAttribute[]) => Promise<void>;
  /** With true, the store rejects all reads, because rows are missing until the journal is loaded. With false, it allows reads. */
  holdReads: (held: boolean) => void;
  /** Returns false while the engine cannot be opened, and once the store is closing. */
  reachable: () => boolean;
  /** Resolves once every loaded batch is committed and its conversations are derived. */
  drain: () => Promise<void>;
};

export type ReadingProgress = Pick<
  SpanLoader,
  "commitSoon" | "loadedLsn" | "readingLagMs" | "onProgress" | "reachable" | "setVersionAttributes" | "drain"
>;

/** `lines` is a file with one JSON object per line; `columns` are the members of these objects. */
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

/** Reads wait while a file is written. */
export type TraceExporter = {
  /** Returns the days on which the service received spans of the project, in days since 1970-01-01 UTC. */
  days: (project: number) => Promise<number[]>;
  write: (selection: ExportSelection, file: string) => Promise<void>;
};

export type SpanTarget = {
  isEmpty: () => Promise<boolean>;
  /** Removes all spans and conversations. */
  empty: () => Promise<void>;
  /** The column `lsn` has the spans' time of receipt in microseconds. A repeated span is stored once. */
  store: (batch: SpanBatch) => Promise<void>;
  /** Adds the traces and conversations of all stored spans to the index. The conversations then wait to be derived. */
  index: (onIndexed: (traces: number) => void) => Promise<void>;
  close: () => Promise<void>;
};

/** The copy does not change this store. */
export type SpanSource = Pick<TraceReader, "list"> & {
  /** Returns the number of conversations that an earlier version derived. This version may derive other turns and measures. */
  countFormerReadings: () => Promise<number>;
  /** Yields all spans in the order of their receipt, including repeated spans, in pages of limited size. */
  pages: () => AsyncGenerator<ReceivedSpan[]>;
  close: () => Promise<void>;
};

export type ReceivedSpan = NamedSpan & { receivedUs: number };

/** Erases spans from the tables and the journal. The tables' file may still contain them until the next `rewrite`. */
export type TraceEraser = {
  /**
   * Erases the spans that were received before `day`, in days since 1970-01-01 UTC. Returns the number of days that
   * were erased.
   */
  dropDaysBefore: (day: number, project?: number) => Promise<number>;
  /** Returns the conversations with spans that were received before `day`, grouped by project. */
  conversationsBefore: (day: number, project?: number) => Promise<NamedConversation[]>;
  /** Returns the trace ids and names of the conversation that contains the trace; null if the project has no such trace. */
  namesOf: (project: number, traceId: string) => Promise<TraceSelection | null>;
  /** Returns the ids of the traces for which the trace id or the conversation's name has one of these digests. */
  withDigests: (project: number, digests: readonly string[]) => Promise<string[]>;
  /** Returns the ids of the erased traces. */
  erase: (project: number, selection: TraceSelection) => Promise<string[]>;
  /** Removes erased rows from the tables' file. Returns false if the file contains no erased rows. */
  rewrite: () => Promise<boolean>;
};

export type TraceSelection = { traceIds: readonly string[]; names: readonly string[] };

/** All names of some conversations in a project: the names that spans give them, and the ids of their traces. */
export type NamedConversation = { project: number; names: string[] };

/**
 * `total` is the number of matching conversations, counted up to `LIMITS.conversationsCounted` + 1; null if the request
 * does not ask for the number.
 */
export type TracePage = {
  rows: TraceSummaryRow[];
  /** For each row, the place where the search matches; null without a search. */
  matches: (SearchMatch | null)[];
  next: TraceCursor | null;
  total: number | null;
};

/** `last` is the number of the conversation that was derived last, in any project. */
export type ReadConversations = { rows: TraceSummaryRow[]; isMore: boolean; last: bigint };

/**
 * `truncated` is true if the conversation has more spans than one read returns. `lostSpans` is the number of spans that
 * cannot be read.
 */
type TraceWithSpans = { summary: TraceSummaryRow; spans: StoredSpan[]; truncated: boolean; lostSpans: number };

/** The conversations or samples of one agent in one time bucket, or, if `startMs` is null, in the whole period. */
type Pooled = {
  source: "production" | "simulation";
  agent: string | null;
  /** Undefined: all versions of the agent. */
  version?: string | null | undefined;
  /** Undefined: all channels. */
  channel?: Channel | null | undefined;
  startMs: number | null;
};

/** Answers show `provenances` only for the whole period. */
export type MetricPoint = Pooled & {
  measure: MeasureName;
  samples: number;
  p50: number | null;
  p90: number | null;
  p95: number | null;
  mean: number;
  provenances: Sample["provenance"][];
};

/** `errors` is the number of the agent's conversations with a failed span or tool call. */
export type ConversationCount = Pooled & { conversations: number; errors: number };

export type EndingsPeriod = MetricsPeriod & { ending: string };

/** A conversation counts as ended when a sample of the measure is above 0. It counts in each bucket in which it has a sample. */
export type OccurrencesPeriod = MetricsPeriod & { measure: MeasureName };

/** `known`: number of an agent's conversations with a reported ending. `ended`: number of its conversations with the requested ending. */
export type EndingCount = Pick<Pooled, "agent" | "startMs"> & { known: number; ended: number };

/** Which conversations count: those with a sample beyond `value`, with a failed call, with an error, … or those without. */
export type CountedThing =
  | { kind: "measure"; measure: MeasureName; is: "above" | "below"; value: number }
  | { kind: "tool"; tool: string | null; failed: boolean }
  | { kind: "occurrence"; measure: MeasureName; occurs: boolean }
  | { kind: "errors"; failed: boolean }
  | { kind: "ending"; ending: string; ended: boolean }
  | { kind: "conversations" };

/** A period, and some conversations of one agent. */
export type AgentPeriod = Pick<MetricsPeriod, "project" | "fromMs" | "toMs" | "versions" | "channels" | "source"> & {
  agent: string | null;
};

export type CountedRequest = AgentPeriod & { counted: CountedThing; limit: number };

/** `ranks` are those of two samples in ascending order; the first sample has rank 1. */
export type SpreadRequest = AgentPeriod & { measure: MeasureName; ranks: readonly [low: number, high: number] };

/** `low` and `high` are the samples with the ranks; null if there are none. `deviation` is the standard deviation; null below two samples. */
export type Spread = { low: number | null; high: number | null; deviation: number | null };

/** `turn` and `value` are of the worst sample; null if unknown. */
export type CountedConversation = { traceId: string; turn: number | null; value: number | null };

/** `unknown` is the number of calls with an unknown outcome. */
export type ToolCount = Pooled & { tool: string | null; calls: number; errors: number; unknown: number };
