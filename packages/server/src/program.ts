import { Command, CommanderError, Option } from "commander";
import { readVersion } from "./assets.ts";
import {
  backupDataFolder,
  checkDataFolder,
  type FolderCheck,
  moveDataFolder,
  restoreDataFolder,
} from "./data-folder/data-folder.ts";
import { main } from "./main.ts";

type Environment = Record<string, string | undefined>;

const FOLDER = ["--data-dir <folder>", "data folder; default: SVC_DATA_DIR, else ./svc-data"] as const;
const EXIT = { refused: 1, usage: 2 } as const;

/**
 * Runs a command line of the service alone, for images and service managers. Returns the exit code; undefined while the
 * service runs.
 */
export async function runServerProgram(words: string[], environment: Environment): Promise<number | undefined> {
  let exitCode: number | undefined = 0;
  const folderOf = (dataDir: string | undefined) => dataDir ?? environment.SVC_DATA_DIR ?? "./svc-data";
  const program = new Command("svc-server")
    .description("Runs the service and works on its data folder. Settings come from the environment.")
    .version(readVersion())
    .exitOverride();
  program
    .command("serve")
    .description("Run the service until SIGTERM or SIGINT.")
    .option("--pages <folder>", "folder of the built pages; without it the service answers with the API alone")
    .action(async ({ pages }: { pages?: string }) => {
      await main(environment, pages === undefined ? {} : { webFolder: pages });
      exitCode = undefined;
    });
  program
    .command("doctor")
    .description("Check a data folder, and change nothing.")
    .option(...FOLDER)
    .action(async ({ dataDir }: { dataDir?: string }) => {
      const folder = folderOf(dataDir);
      const checks = await checkDataFolder(folder, { ...environment, SVC_DATA_DIR: folder });
      for (const check of checks) print(lineOf(check));
      if (checks.some(({ state }) => state === "wrong")) exitCode = EXIT.refused;
    });
  program
    .command("backup")
    .description("Copy the data folder, also while the service runs.")
    .argument("<target>", "new folder for the copy")
    .option(...FOLDER)
    .action(async (target: string, { dataDir }: { dataDir?: string }) => {
      const { folder, files, bytes } = await backupDataFolder(folderOf(dataDir), target, () => undefined);
      print(`Copied ${files} files, ${bytes} bytes, to ${folder}. The copy contains the secrets of the service.`);
    });
  program
    .command("restore")
    .description("Check a backup and make it the data folder. Stop the service first.")
    .argument("<source>", "folder that `backup` wrote")
    .option(...FOLDER)
    .option("--replace", "move a data folder with files aside, under a new name", false)
    .action((source: string, { dataDir, replace }: { dataDir?: string; replace: boolean }) => {
      const restored = restoreDataFolder(source, folderOf(dataDir), { replace, progress: () => undefined });
      print(`Restored ${restored.files} files of ${restored.createdAt} to ${restored.folder}.`);
      if (restored.replaced !== null) print(`The former folder is now ${restored.replaced}.`);
    });
  program
    .command("migrate")
    .description("Move the folder of a stopped service into the databases of SVC_DATABASE_URL and SVC_CLICKHOUSE_URL.")
    .addOption(new Option("--to <target>", "where the content goes").choices(["databases"]).makeOptionMandatory())
    .option(...FOLDER)
    .option(
      "--recordings-to <folder>",
      "SVC_DATA_DIR of a process on the databases, which moves the recordings to its object store",
    )
    .action(async ({ dataDir, recordingsTo }: { dataDir?: string; recordingsTo?: string }) => {
      const { SVC_DATABASE_URL: databaseUrl, SVC_CLICKHOUSE_URL: clickHouseUrl } = environment;
      if (!databaseUrl || !clickHouseUrl)
        throw new Error("Set SVC_DATABASE_URL and SVC_CLICKHOUSE_URL to the addresses of the empty databases.");
      const target = { databaseUrl, clickHouseUrl, recordingsTo };
      const moved = await moveDataFolder(folderOf(dataDir), target, environment, () => undefined);
      for (const { name, folder, databases } of moved.counts)
        print(`${name}: ${folder}, ${databases} in the databases`);
      for (const line of [...moved.notes, ...moved.differences]) print(line);
      if (moved.differences.length > 0) exitCode = EXIT.refused;
      else print(`All is moved. Keep ${moved.folder} as a backup, and do not start the service on it again.`);
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

const print = (line: string) => void process.stdout.write(`${line}\n`);

const lineOf = ({ name, state, finding, mend }: FolderCheck): string =>
  `${state.padEnd(7)}  ${name}: ${finding}${mend === undefined ? "" : `\n         ${mend}`}`;
