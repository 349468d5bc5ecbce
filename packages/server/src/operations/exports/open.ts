import { randomUUID } from "node:crypto";
import { createReadStream, mkdirSync, rmSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { notFound } from "../../base/errors.ts";
import type { BinaryAnswer } from "../../http/binary-answer.ts";
import type { Routes } from "../../http/operation.ts";
import type { Db } from "../../stores/relational.ts";
import type { Traces } from "../../traces/open.ts";
import { isRecordTable, writeRecordLines } from "./record-tables.ts";
import { exportFiles, type FileSelection, fileOf } from "./rules.ts";

type Project = { id: string; number: number };

/** Writes export files to a subfolder of the data folder. Deletes files that a crash left there. */
export function openExports(dataDir: string, db: Db, { exporter }: Pick<Traces, "exporter">) {
  const folder = join(dataDir, "exports");
  rmSync(folder, { recursive: true, force: true });

  /** Writes one file of the project's export to the path `file`, which must not exist yet. */
  async function write(project: Project, selection: FileSelection, file: string): Promise<void> {
    if (isRecordTable(selection.table)) {
      const lines = `${file}.json`;
      try {
        const columns = await writeRecordLines(db, project.id, selection.table, lines);
        await exporter.write({ table: "lines", lines, columns }, file);
      } finally {
        await rm(lines, { force: true });
      }
    } else if (selection.table === "spans") await exporter.write({ ...selection, project: project.number }, file);
    else await exporter.write({ table: selection.table, project: project.number }, file);
  }

  /** Answers with a file of the export, which is deleted when the response closes. */
  async function answer(project: Project, name: string, response: ServerResponse): Promise<BinaryAnswer> {
    const selection = fileOf(name);
    if (selection === undefined) throw notFound();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const id = randomUUID();
    const path = join(folder, `${id}.parquet`);
    response.once("close", () => rmSync(path, { force: true }));
    await write(project, selection, path);
    const { size } = await stat(path);
    return {
      contentType: "application/vnd.apache.parquet",
      fileName: `${name}.parquet`,
      bytes: size,
      tag: id,
      open: async (range) => createReadStream(path, range),
    };
  }

  const list = async (project: Project) => exportFiles(await exporter.days(project.number));

  const routes: Routes<"exports"> = {
    exports: {
      list: async ({ project }) => ({ files: await list(project) }),
      file: async ({ project, query, http }) => answer(project, query.name, http.res),
    },
  };

  return { list, write, routes };
}
