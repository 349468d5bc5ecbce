import { hash } from "node:crypto";
import type { SpanBatch } from "../span-batch.ts";

/** The ids are hexadecimal; `spans` is the number of their spans in the body. */
export type DroppedTraces = { project: number; traceIds: ReadonlySet<string>; spans: number };

/** Digests of deleted conversations, in memory. The intake compares later spans with the digests to drop spans of these conversations. */
export type DeletedConversations = {
  add: (project: number, digests: Iterable<string>) => void;
  isDeleted: (project: number, names: { traceIds: readonly string[]; names: readonly string[] }) => boolean;
  /** Returns the traces of deleted conversations in the rows from `row` on; undefined if there are none. */
  tracesIn: (project: number, batch: SpanBatch, row: number) => DroppedTraces | undefined;
  /** Marks the traces as deleted and records the drop. If the drop cannot be recorded, removes the marks and rejects. */
  drop: (dropped: DroppedTraces) => Promise<void>;
  /**
   * Sets the function that records each drop. `newTraceIds` are the traces whose ids were not marked as deleted; only the name of their
   * conversation was.
   */
  recordDropsWith: (record: RecordDrop) => void;
};

type RecordDrop = (dropped: DroppedTraces, newTraceIds: string[]) => Promise<void>;

export const digestOf = (kind: "trace" | "name", value: string): string => hash("sha256", `${kind} ${value}`, "hex");

export const digestsOf = ({ traceIds, names }: { traceIds: readonly string[]; names: readonly string[] }): string[] => [
  ...traceIds.map((id) => digestOf("trace", id)),
  ...names.map((name) => digestOf("name", name)),
];

export function createDeletedConversations(): DeletedConversations {
  const projects = new Map<number, Set<string>>();
  let record: RecordDrop = async () => {};

  function add(project: number, digests: Iterable<string>): void {
    const known = projects.get(project) ?? new Set();
    for (const digest of digests) known.add(digest);
    projects.set(project, known);
  }

  const holds = (project: number, kind: "trace" | "name", value: string) =>
    projects.get(project)?.has(digestOf(kind, value)) ?? false;

  function tracesIn(project: number, batch: SpanBatch, row: number): DroppedTraces | undefined {
    if (!projects.has(project)) return undefined;
    const traces = tracesOf(batch, row).filter(
      ({ id, name }) => holds(project, "trace", id) || (name !== null && holds(project, "name", name)),
    );
    if (traces.length === 0) return undefined;
    const spans = traces.reduce((sum, trace) => sum + trace.spans, 0);
    return { project, traceIds: new Set(traces.map(({ id }) => id)), spans };
  }

  return {
    add,
    isDeleted: (project, { traceIds, names }) =>
      traceIds.some((id) => holds(project, "trace", id)) || names.some((name) => holds(project, "name", name)),
    tracesIn,
    async drop(dropped) {
      const newTraceIds = [...dropped.traceIds].filter((id) => !holds(dropped.project, "trace", id));
      const digests = newTraceIds.map((id) => digestOf("trace", id));
      add(dropped.project, digests);
      try {
        await record(dropped, newTraceIds);
      } catch (error) {
        // The sender sends the body again. The traces of that body must then count as new again.
        for (const digest of digests) projects.get(dropped.project)!.delete(digest);
        throw error;
      }
    },
    recordDropsWith(newRecord) {
      record = newRecord;
    },
  };
}

type BodyTrace = { id: string; spans: number; rank: number; name: string | null };

/**
 * Returns the traces of a body. A trace gets its name from the strongest attribute; of several names from one attribute, the first name in
 * text order.
 */
function tracesOf(batch: SpanBatch, from: number): BodyTrace[] {
  const traces = new Map<string, BodyTrace>();
  for (let row = from; row < batch.rows; row++) {
    const id = batch.traceIdOf(row);
    const trace = traces.get(id) ?? { id, spans: 0, rank: 256, name: null };
    trace.spans++;
    traces.set(id, trace);
    const rank = batch.columns.conversation_rank[row]!;
    const name = rank > trace.rank ? null : batch.textOf(row, "conversation");
    if (name === null || (rank === trace.rank && trace.name !== null && trace.name <= name)) continue;
    trace.rank = rank;
    trace.name = name;
  }
  return [...traces.values()];
}
