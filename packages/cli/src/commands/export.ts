import { createWriteStream, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { onDataFolder } from "../service/data-folder.ts";
import { counted } from "../terminal/output.ts";
import { Refusal } from "../refusal.ts";

export default command({
  summary: "Write conversations, grades, alerts, events and more as Parquet files",
  description:
    "Gets the tables of the project from the service: conversations, measures, tool calls, grades, labels, alert rules, alerts, events, failure groups and spans. There is one file for each day of spans, and one for every other table. While the service writes a file, other reads wait. With --data-dir, the command works on the folder of a stopped service instead, needs no key, and writes a folder for each project. The API reference lists the columns at `GET /v1/exports/file`.",
  examples: [
    "<%= config.bin %> export --parquet ./export",
    "<%= config.bin %> export --parquet ./export --data-dir /var/lib/svc",
  ],
  flags: {
    parquet: Flags.string({ required: true, description: "New folder for the files." }),
    "data-dir": Flags.string({ description: "Data folder of a stopped service." }),
  },
  async run({ flags, startSession, progress }) {
    const { parquet: target, "data-dir": dataDir } = flags;
    if (dataDir !== undefined) {
      return onDataFolder(({ exportDataFolder }) =>
        exportDataFolder(dataDir, target, process.env, (text) => progress.now(text)),
      );
    }
    if (existsSync(target) && readdirSync(target).length > 0)
      throw new Refusal("target_not_empty", `${target} is not empty. Name a new folder for the export.`);
    const { client, projectId } = await startSession();
    const { files } = await client.exports.list({ projectId });
    mkdirSync(target, { recursive: true, mode: 0o700 });
    for (const { name } of files) {
      progress.now(`Writing ${name}`);
      const bytes = await client.exports.file({ projectId, name });
      await pipeline(
        Readable.fromWeb(bytes as never),
        createWriteStream(join(target, `${name}.parquet`), { mode: 0o600 }),
      );
    }
    return { folder: target, files: files.length };
  },
  show: ({ folder, files }) =>
    `Wrote ${counted(files, "file")} to ${folder}. They contain words of conversations: keep them as safe as the service.`,
});
