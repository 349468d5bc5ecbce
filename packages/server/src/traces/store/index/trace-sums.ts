import type { SpanBatch } from "../../span-batch.ts";

/** If a span is added a second time, only `spans` and `errors` change. */
export type TraceSums = {
  project: number;
  traceId: string;
  startedNs: bigint;
  endedNs: bigint | null;
  /** A repeated span counts each time. */
  spans: number;
  errors: number;
  /** Name, start and end of the earliest span that has no parent; null without such a span. */
  rootName: string | null;
  rootStartNs: bigint | null;
  rootEndNs: bigint | null;
  /** The conversation's name with the strongest key; at equal keys, the first name in the order of bytes. */
  conversation: string | null;
  conversationRank: number | null;
  agent: string | null;
  agentStartNs: bigint | null;
  service: string | null;
  receivedFirstMs: number;
  receivedLastMs: number;
};

const ERROR = 2;
const NO_RANK = 255;

export function traceSumsOf(batch: SpanBatch, receivedMsOf: (row: number) => number): TraceSums[] {
  const traces = new Map<string, TraceSums>();
  addTraceSums(traces, batch, receivedMsOf);
  return [...traces.values()];
}

export function addTraceSums(
  traces: Map<string, TraceSums>,
  batch: SpanBatch,
  receivedMsOf: (row: number) => number,
): void {
  const { rows, columns } = batch;
  const starts = bigints(columns.start_ns);
  const ends = bigints(columns.end_ns);
  const parents = bigints(columns.parent_span_id);
  for (let row = 0; row < rows; row++) {
    const project = columns.project[row]!;
    const traceId = batch.traceIdOf(row);
    const startNs = starts[row]!;
    const endNs = ends[row] || null;
    const key = `${project} ${traceId}`;
    let sums = traces.get(key);
    if (sums === undefined) traces.set(key, (sums = emptySums(project, traceId, startNs)));
    sums.spans++;
    sums.startedNs = startNs < sums.startedNs ? startNs : sums.startedNs;
    if (endNs !== null && (sums.endedNs === null || endNs > sums.endedNs)) sums.endedNs = endNs;
    if (columns.status[row] === ERROR) sums.errors++;
    const receivedMs = receivedMsOf(row);
    sums.receivedFirstMs = Math.min(sums.receivedFirstMs, receivedMs);
    sums.receivedLastMs = Math.max(sums.receivedLastMs, receivedMs);
    if (parents[row] === 0n) takeRoot(sums, batch.textOf(row, "name") ?? "", startNs, endNs);
    const rank = columns.conversation_rank[row]!;
    if (rank !== NO_RANK && rank <= (sums.conversationRank ?? NO_RANK))
      takeConversation(sums, rank, batch.textOf(row, "conversation"));
    if (sums.agentStartNs === null || startNs <= sums.agentStartNs)
      takeAgent(sums, startNs, batch.textOf(row, "agent"));
    const service = batch.textOf(row, "service");
    if (service !== null && (sums.service === null || isBefore(service, sums.service))) sums.service = service;
  }
}

const emptySums = (project: number, traceId: string, startedNs: bigint): TraceSums => ({
  project,
  traceId,
  startedNs,
  endedNs: null,
  spans: 0,
  errors: 0,
  rootName: null,
  rootStartNs: null,
  rootEndNs: null,
  conversation: null,
  conversationRank: null,
  agent: null,
  agentStartNs: null,
  service: null,
  receivedFirstMs: Number.MAX_SAFE_INTEGER,
  receivedLastMs: 0,
});

/**
 * Makes this root span the root of the trace if it is earlier than the one so far. At the same start, the first name counts; at the
 * same name, the first end. A root without an end comes last.
 */
function takeRoot(sums: TraceSums, name: string, startNs: bigint, endNs: bigint | null): void {
  if (sums.rootStartNs !== null) {
    if (startNs > sums.rootStartNs) return;
    if (startNs === sums.rootStartNs) {
      if (isBefore(sums.rootName!, name)) return;
      if (name === sums.rootName && (endNs === null || (sums.rootEndNs !== null && sums.rootEndNs <= endNs))) return;
    }
  }
  sums.rootName = name;
  sums.rootStartNs = startNs;
  sums.rootEndNs = endNs;
}

function takeConversation(sums: TraceSums, rank: number, name: string | null): void {
  if (name === null || (rank === sums.conversationRank && !isBefore(name, sums.conversation!))) return;
  sums.conversation = name;
  sums.conversationRank = rank;
}

function takeAgent(sums: TraceSums, startNs: bigint, name: string | null): void {
  if (name === null || (startNs === sums.agentStartNs && !isBefore(name, sums.agent!))) return;
  sums.agent = name;
  sums.agentStartNs = startNs;
}

/** Compares texts by their bytes, as the database does. */
const isBefore = (one: string, other: string): boolean =>
  one !== other && Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

const bigints = ({ buffer, byteOffset, length }: Uint32Array<ArrayBuffer>) =>
  new BigInt64Array(buffer, byteOffset, length / 2);
