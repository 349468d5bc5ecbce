import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { type DatabaseCopy, dataDirFlag, dataDirOf, type FolderMove, onDataFolder } from "../service/data-folder.ts";
import { counted, table } from "../terminal/output.ts";
import { EXIT } from "../refusal.ts";

export default command({
  summary: "Move a data folder into PostgreSQL and ClickHouse, or back",
  description:
    "Copies everything between the folder of a stopped service and the databases of SVC_DATABASE_URL and SVC_CLICKHOUSE_URL, derives the turns and measures of all conversations again, and compares both. The command does not change the source, and the destination must be empty. Repeat the command after an interruption. Set SVC_ENCRYPTION_KEY and SVC_AUTH_SECRET to the secrets of the service; the command says where the secrets of a folder are. A move to databases needs space for a second copy of the tables in the temporary folder. The exit code is 1 when the two differ.",
  examples: [
    "<%= config.bin %> migrate --to databases --data-dir /var/lib/svc",
    "<%= config.bin %> migrate --to databases --data-dir /var/lib/svc --recordings-to /var/lib/svc-new",
    "<%= config.bin %> migrate --to folder --data-dir /var/lib/svc-new --recordings copy",
  ],
  flags: {
    ...dataDirFlag,
    to: Flags.option({
      required: true,
      options: ["databases", "folder"] as const,
      description: "Where the content goes.",
    })(),
    "recordings-to": Flags.string({
      description: "SVC_DATA_DIR of a process on the databases, which moves the recordings to its object store.",
    }),
    recordings: Flags.option({
      options: ["copy", "keep"] as const,
      description: "Copy the recordings of the object store into the folder, or keep them there.",
    })(),
    "recordings-from": Flags.string({
      multiple: true,
      description: "SVC_DATA_DIR of a process on the databases, with recordings that wait for the object store.",
    }),
  },
  run: ({ flags, progress }): Promise<FolderMove | DatabaseCopy> =>
    onDataFolder(({ migrate }) => {
      const { to, recordings, "recordings-to": recordingsTo, "recordings-from": recordingsFrom } = flags;
      const migration = { to, recordings, recordingsTo, recordingsFrom };
      return migrate(dataDirOf(flags["data-dir"]), migration, process.env, (text) => progress.now(text));
    }),
  show: (moved) => ("wasFinished" in moved ? textOfMove(moved) : textOfCopy(moved)).join("\n"),
  exitCode: ({ differences }) => (differences.length > 0 ? EXIT.refused : EXIT.done),
});

function textOfMove(move: FolderMove): string[] {
  const { folder, recordings, unreadableRecords, notes, differences } = move;
  if (move.wasFinished) return [`${folder} was moved to these databases at ${move.finishedAt}. Nothing was changed.`];
  return [
    ...textOfCounts(move),
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
  ];
}

function textOfCopy(copy: DatabaseCopy): string[] {
  const { folder, recordings, unread, differences } = copy;
  return [
    ...textOfCounts(copy),
    ...(recordings.copied > 0 ? [`Copied ${counted(recordings.copied, "recording")}.`] : []),
    ...(recordings.kept > 0
      ? [
          `${counted(recordings.kept, "recording")} stay in the object store: start the service with the settings of that store.`,
        ]
      : []),
    ...(recordings.lost > 0
      ? [`${counted(recordings.lost, "recording")} were nowhere; the conversations show them as lost.`]
      : []),
    ...(unread > 0
      ? [
          `The databases had not read ${counted(unread, "conversation")} to the end: their turns and measures were not compared.`,
        ]
      : []),
    ...(differences.length > 0
      ? [
          ...differences,
          "The folder differs from the databases, and the service does not start on it. Stop all processes on the databases and repeat the command. If conversations still differ, start the service on the databases, run `svc traces remap --all`, and repeat the command again.",
        ]
      : [
          `All is in ${folder}. The databases are unchanged: keep them as a backup. Do not start the service on them again while it also runs on the folder.`,
        ]),
  ];
}

const textOfCounts = ({ counts }: Pick<FolderMove, "counts">): string[] => [
  table(
    counts,
    [
      { title: "number of", cell: ({ name }) => name, whole: true },
      { title: "folder", cell: ({ folder }) => String(folder), right: true, whole: true },
      { title: "databases", cell: ({ databases }) => String(databases), right: true, whole: true },
    ],
    "",
  ),
  "",
];
