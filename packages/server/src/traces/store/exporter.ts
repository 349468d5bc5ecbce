import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { unavailable } from "../../base/errors.ts";
import type { ExportLines, WriteParquet } from "./export-rows.ts";
import type { ExportSelection, TraceExporter } from "./trace-store.ts";

export type Pieces = AsyncIterable<string | Uint8Array>;

export type RowSelection = Exclude<ExportSelection, { table: "lines" }>;

export type LinesFolder = {
  pathOf: (name: string) => string;
  save: (pieces: Pieces, name: string) => Promise<string>;
  /** Reads the next piece only after the previous piece is written. */
  append: (file: FileHandle, pieces: Pieces) => Promise<void>;
};

type ExportSource = {
  days: TraceExporter["days"];
  collect: (selection: RowSelection, folder: LinesFolder) => Promise<ExportLines>;
  /** Exports a table that a database of the store can write directly, without lines. Returns undefined for other tables. */
  copy?: (selection: ExportSelection, file: string) => Promise<void> | undefined;
  writeParquet: WriteParquet;
};

/**
 * The exporter writes rows page by page into a temporary file, and then the rows of that file into the Parquet file. It
 * writes one Parquet file at a time, so that only one engine uses memory.
 */
export function createExporter({
  days,
  collect,
  copy,
  writeParquet,
}: ExportSource): TraceExporter & { close: () => Promise<void> } {
  const closing = new AbortController();
  let last: Promise<void> = Promise.resolve();

  async function write(selection: ExportSelection, file: string): Promise<void> {
    const copied = copy?.(selection, file);
    if (copied !== undefined) return copied;
    const folder = `${file}.rows`;
    await mkdir(folder, { mode: 0o700 });
    try {
      const rows = selection.table === "lines" ? selection : await collect(selection, linesIn(folder));
      await writeParquet(rows, { file, spillFolder: join(folder, "spill"), signal: closing.signal });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  function linesIn(folder: string): LinesFolder {
    const pathOf = (name: string) => join(folder, name);

    async function append(file: FileHandle, pieces: Pieces): Promise<void> {
      for await (const piece of pieces) {
        closing.signal.throwIfAborted();
        await file.appendFile(piece);
      }
    }

    async function save(pieces: Pieces, name: string): Promise<string> {
      const file = await open(pathOf(name), "wx", 0o600);
      try {
        await append(file, pieces);
      } finally {
        await file.close();
      }
      return pathOf(name);
    }

    return { pathOf, save, append };
  }

  return {
    days,
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
