import { existsSync } from "node:fs";
import { checkSetup, type SetupCheck } from "../service/check-setup.ts";
import { command } from "../command.ts";
import { dataDirFlag, dataDirOf, onDataFolder } from "../service/data-folder.ts";
import { counted, paint } from "../terminal/output.ts";
import { EXIT } from "../refusal.ts";
import { isLocal, resolveTarget, type TargetFlags } from "../session/target.ts";

const MARKS = {
  ok: () => paint.green("ok     "),
  note: () => paint.dim("note   "),
  wrong: () => paint.red("wrong  "),
  skipped: () => paint.dim("skipped"),
};

export default command({
  summary: "Check the setup and say what to fix",
  description:
    "Checks the service, its language model, its speech providers, its disk and this machine. The language model gets one short request. When no service answers, the command also checks the data folder on this machine; with --data-dir it checks only that folder. The command changes nothing. The exit code is 1 when something is wrong.",
  examples: [
    "<%= config.bin %> doctor",
    "<%= config.bin %> doctor --url https://voice.example.com --json",
    "<%= config.bin %> doctor --data-dir /var/lib/svc",
  ],
  flags: dataDirFlag,
  async run({ flags }) {
    const folder = flags["data-dir"];
    const checks = folder === undefined ? await checkSetup(flags) : await checkFolder(folder);
    const isSilent = checks.some(({ name, state }) => name === "service" && state === "wrong");
    if (isSilent) checks.push(...(await checkLocalStart(flags, dataDirOf(folder))));
    // `mend` is the former name of `remedy`. The next version removes `mend`.
    const named = checks.map((check) => ({ ...check, ...(check.remedy !== undefined && { mend: check.remedy }) }));
    return { ok: checks.every(({ state }) => state !== "wrong"), checks: named };
  },
  show: ({ checks }) => {
    const lines = checks.map(
      ({ name, state, finding, remedy }) =>
        `${MARKS[state]()}  ${name}: ${finding}${remedy ? `\n         ${remedy}` : ""}`,
    );
    const namesOf = (wanted: SetupCheck["state"]) =>
      checks.flatMap(({ name, state }) => (state === wanted ? [name] : []));
    const [wrong, skipped] = [namesOf("wrong").length, namesOf("skipped")];
    const outcome =
      wrong > 0 ? `${counted(wrong, "problem")} to fix.` : skipped.length > 0 ? "Nothing is wrong." : "All is well.";
    return [...lines, "", skipped.length > 0 ? `${outcome} Not checked: ${skipped.join(", ")}.` : outcome].join("\n");
  },
  exitCode: ({ ok }) => (ok ? EXIT.done : EXIT.refused),
});

async function checkLocalStart(flags: TargetFlags, dataDir: string): Promise<SetupCheck[]> {
  if (existsSync(dataDir)) return checkFolder(dataDir);
  const target = await resolveTarget(flags, { key: "none" }).catch(() => undefined);
  if (target === undefined || !isLocal(target.url)) return [];
  const settings = { ...process.env, SVC_DATA_DIR: dataDir };
  return onDataFolder(({ checkFirstStart }) => checkFirstStart(dataDir, settings)).catch(() => []);
}

const checkFolder = (dataDir: string): Promise<SetupCheck[]> =>
  onDataFolder(({ checkDataFolder }) => checkDataFolder(dataDir, { ...process.env, SVC_DATA_DIR: dataDir }));
