import { Args } from "@oclif/core";
import { command } from "../command.ts";
import { dataDirFlag, dataDirOf, onDataFolder } from "../service/data-folder.ts";
import { counted } from "../terminal/output.ts";

export default command({
  summary: "Copy the data folder, even while the service runs",
  description:
    "Writes a copy of the data folder with a manifest of checksums. The copy holds everything that the service acknowledged before the command. The command works on the folder itself and needs no key. The copy contains the secrets of the folder: keep it as safe as the folder. The next start on a restored copy rebuilds the trace store from the journal.",
  examples: [
    "<%= config.bin %> backup /backups/monday",
    "<%= config.bin %> backup /backups/monday --data-dir /var/lib/svc",
  ],
  flags: dataDirFlag,
  args: { target: Args.string({ required: true, description: "New folder for the copy." }) },
  run: ({ args, flags, progress }) =>
    onDataFolder(({ backupDataFolder }) =>
      backupDataFolder(dataDirOf(flags["data-dir"]), args.target, (text) => progress.now(text)),
    ),
  show: ({ folder, files, bytes, holdsSecrets }) =>
    [
      `Copied ${counted(files, "file")}, ${Math.ceil(bytes / 1024)} KB, to ${folder}. Check and restore it with \`svc restore ${folder}\`.`,
      ...(holdsSecrets
        ? ["The copy contains the secrets of the service. Only your user can read it; keep it that way."]
        : []),
    ].join("\n"),
});
