import type { TraceIndex } from "../trace-index.ts";

/** A query of the index of conversations, and the way in which the database must execute its statements. */
export type Case = {
  ask: (index: Pick<TraceIndex, "db" | "engine" | "dataDir">) => Promise<unknown>;
  /** An index that one of the statements must use. */
  uses?: string;
  /** A condition that must limit the search in the index. */
  bound?: string;
  /** A part of the statement that must read its rows in the order of an index, so that the database sorts nothing. */
  inOrder?: string;
  /** The reason why one of the statements reads all rows of the project. */
  readsAll?: string;
};
