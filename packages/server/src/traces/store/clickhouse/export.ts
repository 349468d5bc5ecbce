import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { unavailable } from "../../../base/errors.ts";
import type { Db } from "../../../stores/relational.ts";
import { conversationRows, readingRows } from "../index/export-rows.ts";
import type { ExportLines, WriteParquet } from "../export-rows.ts";
import type { ExportSelection, TraceExporter } from "../trace-store.ts";
import type { ClickHouse } from "./client.ts";
import { itemRows, listDays, spanRows } from "./export-rows.ts";

type Pieces = AsyncIterable<string | Uint8Array>;

/**
 * Creates the exporter: rows go page by page into a temporary file, and from there into the Parquet file. A process writes one
 * file at a time, so that exports share one engine's memory.
 */
export function createExporter(
  clickHouse: ClickHouse,
  db: Db,
  writeParquet: WriteParquet,
): TraceExporter & { close: () => Promise<void> } {
  const closing = new AbortController();
  let last: Promise<void> = Promise.resolve();

  async function write(selection: ExportSelection, file: string): Promise<void> {
    const folder = `${file}.rows`;
    await mkdir(folder, { mode: 0o700 });
    try {
      const rows = await collect(selection, folder);
      await writeParquet(rows, { file, spillFolder: join(folder, "spill"), signal: closing.signal });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Writes the selected rows as lines into files of the folder. */
  async function collect(selection: ExportSelection, folder: string): Promise<ExportLines> {
    if (selection.table === "lines") return selection;
    const { table, project } = selection;
    const lines = join(folder, "rows.json");
    switch (table) {
      case "spans":
        await save(spanRows(clickHouse, db, project, selection.day), lines);
        return { table, lines };
      case "conversations":
        await save(conversationRows(db, project), lines);
        return { table, lines };
      case "measures":
      case "tool_calls": {
        const readings = join(folder, "readings.json");
        await save(saveReadings(table, project, lines), readings);
        return { table, lines, readings };
      }
    }
  }

  /** Returns the lines of the readings, and writes their samples or tool calls into the file page by page. */
  async function* saveReadings(table: "measures" | "tool_calls", project: number, file: string): Pieces {
    const items = await open(file, "wx", 0o600);
    try {
      for await (const { keys, lines } of readingRows(db, project)) {
        await append(items, itemRows(clickHouse, table, project, keys));
        yield lines;
      }
    } finally {
      await items.close();
    }
  }

  async function save(pieces: Pieces, file: string): Promise<void> {
    const handle = await open(file, "wx", 0o600);
    try {
      await append(handle, pieces);
    } finally {
      await handle.close();
    }
  }

  /** Takes the next piece when the one before it is in the file. */
  async function append(file: FileHandle, pieces: Pieces): Promise<void> {
    for await (const piece of pieces) {
      closing.signal.throwIfAborted();
      await file.appendFile(piece);
    }
  }

  return {
    days: (project) => listDays(clickHouse, project),
    write(selection, file) {
      const written = last.then(() => write(selection, file));
      last = written.catch(() => undefined);
      return written;
    },
    async close() {
      closing.abort(unavailable("The service is stopping; ask for the export again later.", 5));
      await last;
    },
  };
}
