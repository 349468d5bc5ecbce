import { startOf } from "../../../assets.ts";
import { callThread } from "../../../base/threads/call-thread.ts";
import type { WriteParquet } from "../export-rows.ts";
import { copyStatement, queryOfLines } from "./export-queries.ts";

export type ParquetFace = {
  options: { spillFolder: string };
  calls: { write: (statement: string, signal: AbortSignal) => Promise<void> };
  events: Record<string, never>;
};

/** Grace time without a limit. If the thread were terminated while DuckDB works, the whole process would end. */
const CLOSE_MS = 2 ** 31 - 1;

/** Writes JSON lines into a Parquet file, in a thread that loads DuckDB and ends after the file is written. */
export const writeParquet: WriteParquet = async (rows, { file, spillFolder, signal }) => {
  signal.throwIfAborted();
  const { calls, close } = callThread<ParquetFace>(startOf("parquet-thread"), { options: { spillFolder }, on: {} });
  try {
    await calls.write(copyStatement(queryOfLines(rows), file), signal);
  } finally {
    await close(CLOSE_MS);
  }
};
