import type { TraceIndex } from "../trace-index.ts";

/** A question to the index of conversations, and how its statements must be executed. */
export type Case = {
  ask: (index: Pick<TraceIndex, "db" | "engine" | "dataDir">) => Promise<unknown>;
  /** An index that one of its statements uses. */
  uses?: string;
  /** A condition that the index bounds. */
  bound?: string;
  /** A part of the statement whose rows come in the order of an index, so that nothing is sorted. */
  inOrder?: string;
  /** Why a statement of it reads all rows of the project. */
  readsAll?: string;
};
