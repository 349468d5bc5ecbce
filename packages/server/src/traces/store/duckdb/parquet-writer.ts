import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { startOf } from "../../../assets.ts";
import type { WriteParquet } from "../export-rows.ts";
import { copyStatement, queryOfLines } from "./export-queries.ts";

export type ParquetJob = { statement: string; spillFolder: string };

/** Writes lines of JSON into a Parquet file in a thread, which loads DuckDB and ends afterwards. */
export const writeParquet: WriteParquet = async (rows, { file, spillFolder, signal }) => {
  signal.throwIfAborted();
  const { file: program, execArgv, env } = startOf("parquet-thread");
  const job: ParquetJob = { statement: copyStatement(queryOfLines(rows), file), spillFolder };
  const worker = new Worker(program, { workerData: job, execArgv, env });
  // A thread that is terminated while DuckDB works takes the whole process with it.
  const interrupt = () => worker.postMessage("interrupt", []);
  signal.addEventListener("abort", interrupt, { once: true });
  try {
    const [code] = (await once(worker, "exit")) as [number];
    if (code !== 0) throw new Error(`the thread that writes a Parquet file ended with ${code}`);
  } finally {
    signal.removeEventListener("abort", interrupt);
  }
};
