import { open } from "node:fs/promises";
import type { Db } from "../../../stores/relational.ts";
import type { WriteParquet } from "../export-rows.ts";
import { createExporter, type LinesFolder, type Pieces } from "../exporter.ts";
import { conversationRows, readingRows } from "../index/export-rows.ts";
import type { ClickHouse } from "./client.ts";
import { itemRows, listDays, spanRows } from "./export-rows.ts";

export function createClickHouseExporter(clickHouse: ClickHouse, db: Db, writeParquet: WriteParquet) {
  return createExporter({
    days: (project) => listDays(clickHouse, project),
    async collect(selection, folder) {
      const { table, project } = selection;
      switch (table) {
        case "spans":
          return { table, lines: await folder.save(spanRows(clickHouse, db, project, selection.day), "rows.json") };
        case "conversations":
          return { table, lines: await folder.save(conversationRows(db, project), "rows.json") };
        case "measures":
        case "tool_calls": {
          const readings = await folder.save(readingsWithItems(table, project, folder), "readings.json");
          return { table, lines: folder.pathOf("rows.json"), readings };
        }
      }
    },
    writeParquet,
  });

  /**
   * Yields one line for each derived conversation, page by page. Before each page, writes the samples or tool calls of its
   * conversations into the file `rows.json`.
   */
  async function* readingsWithItems(table: "measures" | "tool_calls", project: number, folder: LinesFolder): Pieces {
    const items = await open(folder.pathOf("rows.json"), "wx", 0o600);
    try {
      for await (const { keys, lines } of readingRows(db, project)) {
        await folder.append(items, itemRows(clickHouse, table, project, keys));
        yield lines;
      }
    } finally {
      await items.close();
    }
  }
}
