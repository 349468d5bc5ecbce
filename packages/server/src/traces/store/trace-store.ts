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

/** An open trace store; other code depends on its reader or its loader only, so that the engine can change. */
export type TraceStore = {
  reader: TraceReader;
  loader: SpanLoader;
  eraser: TraceEraser;
  exporter: TraceExporter;
  /** Commits every batch that `loader.load` has taken, then closes the store. */
  close: () => Promise<void>;
};

/** Reads conversations; each call sees those of one project. */
export type TraceReader = {
  /** Returns one page of the conversations that match. */
  list: (request: TraceListRequest) => Promise<TracePage>;
  /** Returns the conversation that holds the trace, with its spans; null when the project has no such trace. */
  find: (project: number, traceId: string) => Promise<TraceWithSpans | null>;
  /** Returns the conversation that holds the trace as the answer of the interface; null when the project has no such trace. */
  answer: (project: number, traceId: string, options: AnswerOptions) => Promise<JsonAnswer | null>;
  /** Returns the conversation that holds the trace, without spans; null when the project has no such trace. */
  findSummary: (project: number, traceId: string) => Promise<TraceSummaryRow | null>;
  /** Returns for each read whether its conversation's reading includes every span up to its record. */
  areRead: (reads: readonly WaitingRead[]) => Promise<boolean[]>;
  /** Returns which of the projects, by their numbers, have the trace. */
  findProjects: (projects: readonly number[], traceId: string) => Promise<number[]>;
  /** Returns the points in order of time, the whole period first; null when there are more than `LIMITS.metricPoints`. */
  metrics: (request: MetricsRequest) => Promise<MetricPoint[] | null>;
  /** Returns the counts in order of time, the whole period first; null when there are more than `LIMITS.metricPoints`. */
  countConversations: (period: MetricsPeriod) => Promise<ConversationCount[] | null>;
  /** Returns the counts in order of time, without those of the whole period; null when there are more than `LIMITS.metricPoints`. */
  countEndings: (period: EndingsPeriod) => Promise<EndingCount[] | null>;
  /** Returns the counts in order of time, the whole period first; null when there are more than `LIMITS.metricPoints`. */
  countToolCalls: (period: MetricsPeriod) => Promise<ToolCount[] | null>;
  /** Returns the versions of agents in production, the newest first: at most one more than `LIMITS.agentVersionsShown`. */
  listAgentVersions: (project: number, agents: readonly string[] | undefined) => Promise<AgentVersionRow[]>;
  /** Returns the samples of the newest production conversations of a version, at most `LIMITS.comparedConversations`. */
  readVersion: (request: VersionRequest) => Promise<VersionSamples>;
  /**
   * Returns the project's conversations whose reading has a higher number than `after`, the newest reading first, at most
   * `limit`. Every reading gets a higher number than all before it, until the tables are built again.
   */
  readSince: (project: number, after: bigint, limit: number) => Promise<ReadConversations>;
  /**
   * Marks conversations that the current mapping must read again: those that an older mapping read, or all. Returns how
   * many conversations still wait.
   */
  remap: (project: number, all: boolean) => Promise<number>;
  /** Returns when a worker last sent spans of a production conversation, in Unix milliseconds; null if none has. */
  lastSentMs: (project: number) => Promise<number | null>;
};

/** The attribute that a project names for the version of its agents. */
export type VersionAttribute = { project: number; attribute: string };

/** A version of an agent, and when its first and its last conversation started. */
export type AgentVersionRow = { agent: string; version: string; firstMs: number; lastMs: number };

/** The production conversations of one version of an agent that started in a period. */
export type VersionRequest = { project: number; agent: string; version: string; fromMs: number; toMs: number };

/** A conversation with all its names, and whether it has a failed span or tool call. */
export type VersionConversation = { names: string[]; hasErrors: boolean };

/**
 * The samples of a version's conversations; `total` counts all of its conversations. A sample is the place of its conversation,
 * the place of its measure in `MEASURE_NAMES` and its value. A tool call has the place of its conversation, and 1 when it failed.
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
  /** Waits for a turn. The answer of a large conversation occupies `bytes` while it is made. */
  takeSlot: (kind: AnswerKind, bytes?: number) => Promise<void>;
  /** Ends the read when the client has disconnected. */
  signal: AbortSignal;
  nowMs: number;
  /** Whether the conversation includes every span from before the request; null when this is unknown. */
  upToDate: boolean | null;
};

/** Loads decoded spans into the store; the intake is its only user. */
export type SpanLoader = {
  /** Moves a batch into the store and detaches its buffers; the store loads batches in the order of the calls. */
  load: (batch: SealedBatch) => void;
  /** Stores the loaded batches soon, also while nobody reads. */
  commitSoon: () => void;
  /** Returns the number of the last journal record up to which all spans are stored. */
  loadedLsn: () => number;
  /** Returns the number and size of the loaded batches that are not committed yet. */
  inFlight: () => { batches: number; bytes: number };
  /**
   * Returns for how long the longest waiting conversation is due to be read. A conversation that still grows is due when it was
   * never read, has doubled or has ended, or after ten quiet seconds.
   */
  readingLagMs: () => number;
  /** Calls `listener` after every commit and round of readings, and when the engine stops; returns a function that removes it. */
  onProgress: (listener: () => void) => () => void;
  /**
   * Calls `listener` when the store has opened again after a failure. Batches that were not committed are lost then, and
   * after damage all rows: load every record above `loadedLsn` again.
   */
  onReopened: (listener: () => void) => void;
  /** Sets the attributes that projects name for the version of their agents, for conversations that are read from then on. */
  setVersionAttributes: (attributes: readonly VersionAttribute[]) => Promise<void>;
  /** Makes the store refuse all reads, because rows are missing until the journal is loaded again; false ends that. */
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

/** The rows of one exported file; a row of `lines` is an object in JSON, one a line, with these columns. */
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

/** A trace store that takes the spans of another one. */
export type SpanTarget = {
  isEmpty: () => Promise<boolean>;
  /** Removes all spans and conversations. */
  empty: () => Promise<void>;
  /** Stores spans; the column `lsn` is the microsecond of their receipt. Spans that come twice are stored once. */
  store: (batch: SpanBatch) => Promise<void>;
  /** Finds the traces and conversations of all stored spans, after which these wait to be read. */
  index: (onIndexed: (traces: number) => void) => Promise<void>;
  close: () => Promise<void>;
};

/** A trace store whose spans another one takes. It is only read. */
export type SpanSource = Pick<TraceReader, "list"> & {
  /** Returns the number of conversations that an earlier version has read, with other results than this version may have. */
  countFormerReadings: () => Promise<number>;
  /** Returns all spans in the order of their receipt, also those that came twice, in pages of bounded size. */
  pages: () => AsyncGenerator<ReceivedSpan[]>;
  close: () => Promise<void>;
};

/** A stored span with the names that it gives, and the microsecond of its receipt. */
export type ReceivedSpan = NamedSpan & { receivedUs: number };

/** Erases spans from the tables and from the journal. The file of the tables may hold them until the next `rewrite`. */
export type TraceEraser = {
  /**
   * Erases spans that were received before `day`, in days since 1970-01-01 UTC: those of the project with this number, or all.
   * Returns the number of dropped days.
   */
  dropDaysBefore: (day: number, project?: number) => Promise<number>;
  /** Returns the conversations with spans that were received before `day`, all of a project in one item; of one project or all. */
  conversationsBefore: (day: number, project?: number) => Promise<NamedConversation[]>;
  /** Returns the traces and names of the conversation that holds the trace; null when the project has no such trace. */
  namesOf: (project: number, traceId: string) => Promise<TraceSelection | null>;
  /** Returns the ids of the traces whose id or conversation has one of these digests. */
  withDigests: (project: number, digests: readonly string[]) => Promise<string[]>;
  /** Erases traces and returns their ids. */
  erase: (project: number, selection: TraceSelection) => Promise<string[]>;
  /** Removes erased rows from the file of the tables; returns false when it holds none. */
  rewrite: () => Promise<boolean>;
};

/** The traces of a project by their ids, and by the names of their conversations. */
export type TraceSelection = { traceIds: readonly string[]; names: readonly string[] };

/** Conversations of a project by all their names: the names that their spans give them, and the ids of their traces. */
export type NamedConversation = { project: number; names: string[] };

/**
 * One page of conversations; `next` is null on the last page. `total` is the number of conversations that match, at most one
 * more than `LIMITS.conversationsCounted`; null when the request does not ask for it.
 */
export type TracePage = {
  rows: TraceSummaryRow[];
  /** Where the search of the request matches in each of the rows; null without a search. */
  matches: (SearchMatch | null)[];
  next: TraceCursor | null;
  total: number | null;
};

/** Conversations that were read; `last` is the number of the newest reading of any project. */
export type ReadConversations = { rows: TraceSummaryRow[]; isMore: boolean; last: bigint };

/**
 * A conversation with its spans by start; `truncated` when it has more spans than one read returns. `lostSpans` of its spans cannot
 * be read.
 */
type TraceWithSpans = { summary: TraceSummaryRow; spans: StoredSpan[]; truncated: boolean; lostSpans: number };

/** The conversations or samples of one agent, in one bucket of time or in the whole period, where `startMs` is null. */
type Pooled = {
  source: "production" | "simulation";
  agent: string | null;
  /** Undefined: all versions of the agent. */
  version?: string | null | undefined;
  startMs: number | null;
};

/** The pooled samples of one measure of one agent. Only the pool of the whole period has provenances. */
export type MetricPoint = Pooled & {
  measure: MeasureName;
  samples: number;
  p50: number | null;
  p90: number | null;
  p95: number | null;
  mean: number;
  provenances: Sample["provenance"][];
};

/** The number of one agent's conversations, and of those with a failed span or tool call. */
export type ConversationCount = Pooled & { conversations: number; errors: number };

/** A period whose conversations with one ending are counted. */
export type EndingsPeriod = MetricsPeriod & { ending: string };

/** The number of one agent's conversations whose platform reports an ending, and of those with the ending that was asked for. */
export type EndingCount = Pick<Pooled, "agent" | "startMs"> & { known: number; ended: number };

/** One agent's calls of one tool: their number, how many failed, and of how many the outcome is unknown. */
export type ToolCount = Pooled & { tool: string | null; calls: number; errors: number; unknown: number };
