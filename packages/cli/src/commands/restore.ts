import { Args, Flags } from "@oclif/core";
import { command } from "../command.ts";
import { dataDirFlag, dataDirOf, onDataFolder } from "../service/data-folder.ts";
import { counted } from "../terminal/output.ts";

export default command({
  summary: "Check a backup and make it the data folder",
  description:
    "Compares each file with the manifest of the backup, and refuses a damaged or incomplete backup. Stop the service first. The command works on the folder itself and needs no key.",
  examples: [
    "<%= config.bin %> restore /backups/monday --data-dir /var/lib/svc",
    "<%= config.bin %> restore /backups/monday --replace",
  ],
  flags: {
    ...dataDirFlag,
    replace: Flags.boolean({ description: "Move a data folder with files aside, under a new name." }),
  },
  args: { source: Args.string({ required: true, description: "Folder that `backup` wrote." }) },
  run: ({ args, flags, progress }) =>
    onDataFolder(({ restoreDataFolder }) =>
      restoreDataFolder(args.source, dataDirOf(flags["data-dir"]), {
        replace: flags.replace === true,
        progress: (text) => progress.now(text),
      }),
    ),
  show: ({ folder, files, createdAt, replaced }) =>
    [
      `Restored ${counted(files, "file")} of ${createdAt} to ${folder}. Start the service with \`svc serve --data-dir ${folder}\`.`,
      ...(replaced === null ? [] : [`The former folder is now ${replaced}.`]),
    ].join("\n"),
});
