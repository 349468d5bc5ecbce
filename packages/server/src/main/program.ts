import { Command, CommanderError, Option } from "commander";
import { readVersion } from "../assets.ts";
import {
  backupDataFolder,
  checkDataFolder,
  type FolderCheck,
  migrate,
  type Migration,
  restoreDataFolder,
} from "../operations/data-folder/data-folder.ts";
import { main } from "./main.ts";

type Environment = Record<string, string | undefined>;
type OnFolder = { dataDir?: string };

const FOLDER = ["--data-dir <folder>", "Data folder. Default: SVC_DATA_DIR, else ./svc-data."] as const;
const EXIT = { refused: 1, usage: 2 } as const;

/**
 * Runs a command line of the service alone, for images and service managers. Returns the exit code; undefined while the
 * service runs.
 */
export async function runServerProgram(words: string[], environment: Environment): Promise<number | undefined> {
  let exitCode: number | undefined = 0;
  const program = createServerProgram(environment, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(words, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
    process.stderr.write(`${(error as Error).message}\n`);
    return EXIT.refused;
  }
}

/**
 * Returns the commands of the service alone, with the names, options and texts that `svc` gives them. `end` receives the exit code
 * of a command that does not end with 0.
 */
export function createServerProgram(environment: Environment, end: (exitCode: number | undefined) => void): Command {
  const folderOf = (dataDir: string | undefined) => dataDir ?? environment.SVC_DATA_DIR ?? "./svc-data";
  const program = new Command("svc-server")
    .description("Runs the service and works on its data folder. Settings come from the environment.")
    .version(readVersion())
    .exitOverride();
  program
    .command("serve")
    .description("Start the service")
    .option("--pages <folder>", "Folder of the built pages. Without it the service answers with the API alone.")
    .action(async ({ pages }: { pages?: string }) => {
      await main(environment, pages === undefined ? {} : { webFolder: pages });
      end(undefined);
    });
  program
    .command("doctor")
    .description("Check the setup and say what to fix")
    .option(...FOLDER)
    .action(async ({ dataDir }: OnFolder) => {
      const folder = folderOf(dataDir);
      const checks = await checkDataFolder(folder, { ...environment, SVC_DATA_DIR: folder });
      for (const check of checks) print(lineOf(check));
      if (checks.some(({ state }) => state === "wrong")) end(EXIT.refused);
    });
  program
    .command("backup")
    .description("Copy the data folder, also while the service runs")
    .argument("<target>", "New folder for the copy.")
    .option(...FOLDER)
    .action(async (target: string, { dataDir }: OnFolder) => {
      const { folder, files, bytes } = await backupDataFolder(folderOf(dataDir), target, () => undefined);
      print(`Copied ${files} files, ${bytes} bytes, to ${folder}. The copy contains the secrets of the service.`);
    });
  program
    .command("restore")
    .description("Check a backup and make it the data folder")
    .argument("<source>", "Folder that `backup` wrote.")
    .option(...FOLDER)
    .option("--replace", "Move a data folder with files aside, under a new name.", false)
    .action((source: string, { dataDir, replace }: OnFolder & { replace: boolean }) => {
      const restored = restoreDataFolder(source, folderOf(dataDir), { replace, progress: () => undefined });
      print(`Restored ${restored.files} files of ${restored.createdAt} to ${restored.folder}.`);
      if (restored.replaced !== null) print(`The former folder is now ${restored.replaced}.`);
    });
  program
    .command("migrate")
    .description("Move a data folder into PostgreSQL and ClickHouse, or back")
    .option(...FOLDER)
    .addOption(
      new Option("--to <target>", "Where the content goes.").choices(["databases", "folder"]).makeOptionMandatory(),
    )
    .option(
      "--recordings-to <folder>",
      "SVC_DATA_DIR of a process on the databases, which moves the recordings to its object store.",
    )
    .addOption(
      new Option(
        "--recordings <how>",
        "Copy the recordings of the object store into the folder, or keep them there.",
      ).choices(["copy", "keep"]),
    )
    .option(
      "--recordings-from <folder...>",
      "SVC_DATA_DIR of a process on the databases, with recordings that wait for the object store.",
    )
    .action(async ({ dataDir, ...migration }: OnFolder & Migration) => {
      const moved = await migrate(folderOf(dataDir), migration, environment, () => undefined);
      for (const { name, folder, databases } of moved.counts)
        print(`${name}: ${folder} in the folder, ${databases} in the databases`);
      for (const [what, count] of Object.entries(moved.recordings)) print(`recordings, ${what}: ${count}`);
      if ("notes" in moved) moved.notes.forEach(print);
      moved.differences.forEach(print);
      const kept = migration.to === "databases" ? moved.folder : "the databases";
      if (moved.differences.length > 0) end(EXIT.refused);
      else print(`All is moved. Keep ${kept} as a backup, and do not start the service there again.`);
    });
  return program;
}

const print = (line: string) => void process.stdout.write(`${line}\n`);

const lineOf = ({ name, state, finding, remedy }: FolderCheck): string =>
  `${state.padEnd(7)}  ${name}: ${finding}${remedy === undefined ? "" : `\n         ${remedy}`}`;
