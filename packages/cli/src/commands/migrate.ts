import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { dataDirFlag, dataDirOf, onDataFolder } from "../data-folder.ts";
import { counted, table } from "../output.ts";
import { EXIT, usage } from "../refusal.ts";

const SETTINGS = ["SVC_DATABASE_URL", "SVC_CLICKHOUSE_URL"] as const;

export default command({
  summary: "Move a data folder into PostgreSQL and ClickHouse",
  description:
    "Copies everything in the folder of a stopped service into the empty databases of SVC_DATABASE_URL and SVC_CLICKHOUSE_URL, reads all conversations again, and compares both. It changes nothing in the folder. Repeat the command after an interruption: it goes on where it was. Set SVC_ENCRYPTION_KEY and SVC_AUTH_SECRET to the secrets of the folder; the command says where they are. The temporary folder needs space for a second copy of the tables. The exit code is 1 when something differs.",
  examples: [
    "<%= config.bin %> migrate --to databases --data-dir /var/lib/svc",
    "<%= config.bin %> migrate --to databases --data-dir /var/lib/svc --recordings-to /var/lib/svc-new",
  ],
  flags: {
    ...dataDirFlag,
    to: Flags.string({ required: true, options: ["databases"], description: "Where the content goes." }),
    "recordings-to": Flags.string({
      description: "SVC_DATA_DIR of a process on the databases, which moves the recordings to its object store.",
    }),
  },
  async run({ flags, progress }) {
    const [databaseUrl, clickHouseUrl] = SETTINGS.map((name) => process.env[name]?.trim() || undefined);
    if (databaseUrl === undefined || clickHouseUrl === undefined)
      throw usage(`Set ${SETTINGS.join(" and ")} to the addresses of the empty databases.`);
    const target = { databaseUrl, clickHouseUrl, recordingsTo: flags["recordings-to"] };
    return onDataFolder(({ moveDataFolder }) =>
      moveDataFolder(dataDirOf(flags["data-dir"]), target, process.env, (text) => progress.now(text)),
    );
  },
  show({ folder, wasFinished, finishedAt, unreadableRecords, recordings, counts, differences, notes }) {
    if (wasFinished) return `${folder} was moved to these databases at ${finishedAt}. Nothing was changed.`;
    return [
      table(
        counts,
        [
          { title: "number of", cell: ({ name }) => name, whole: true },
          { title: "folder", cell: (count) => String(count.folder), right: true, whole: true },
          { title: "databases", cell: ({ databases }) => String(databases), right: true, whole: true },
        ],
        "",
      ),
      "",
      ...(recordings.copied + recordings.present > 0
        ? [`Copied ${counted(recordings.copied, "recording")}; ${recordings.present} were there already.`]
        : []),
      ...(unreadableRecords > 0
        ? [
            `${counted(unreadableRecords, "body", "bodies")} in the journal cannot be decoded; the service skips them too.`,
          ]
        : []),
      ...notes,
      ...(differences.length > 0
        ? [
            ...differences,
            "The databases differ from the folder, and the service does not start on them. Repeat the command with empty databases, and report the differences.",
          ]
        : [
            `All is moved. ${folder} is unchanged: keep it as a backup. Do not start the service on it again while it also runs on the databases.`,
          ]),
    ].join("\n");
  },
  exitCode: ({ differences }) => (differences.length > 0 ? EXIT.refused : EXIT.done),
});
