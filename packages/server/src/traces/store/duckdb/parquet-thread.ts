// The thread that writes one Parquet file from lines of JSON. A message interrupts it; it ends when the file is written.
import { parentPort, workerData } from "node:worker_threads";
import { createEngine } from "./database.ts";
import type { ParquetJob } from "./parquet-writer.ts";

const MEMORY_MB = 512;

const { statement, spillFolder } = workerData as ParquetJob;
const engine = await createEngine(spillFolder, MEMORY_MB);
const connection = await engine.connect();
// Rows in any order need the least memory.
await connection.run("SET preserve_insertion_order = false");
parentPort!.once("message", () => connection.interrupt());
try {
  await connection.run(statement);
} finally {
  connection.closeSync();
  engine.closeSync();
  parentPort!.close();
}
