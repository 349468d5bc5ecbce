import { serveCalls } from "../../../base/threads/serve-calls.ts";
import { createEngine } from "./database.ts";
import type { ParquetFace } from "./parquet-writer.ts";

const MEMORY_MB = 512;

serveCalls<ParquetFace>(async ({ spillFolder }) => {
  const engine = await createEngine(spillFolder, MEMORY_MB);
  const connection = await engine.connect();
  // Without a fixed order of rows, DuckDB needs the least memory.
  await connection.run("SET preserve_insertion_order = false");
  let written: Promise<unknown> = Promise.resolve();

  return {
    calls: {
      async write(statement, signal) {
        signal.throwIfAborted();
        signal.addEventListener("abort", () => connection.interrupt());
        await (written = connection.run(statement));
      },
    },
    async close() {
      await written.catch(() => undefined);
      connection.closeSync();
      engine.closeSync();
    },
  };
});
