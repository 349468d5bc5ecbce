import { readFileSync } from "node:fs";
import { Help } from "@oclif/core";
import { COMMANDS, TOPICS } from "./commands.ts";
import { openConfig } from "./plugin.ts";
import { asRefusal, besideVerdict, usage } from "./refusal.ts";
import { clean, jsonText } from "./terminal-text.ts";

/** Runs one command line; sets the process's exit code. */
export async function main(argv: string[]): Promise<void> {
  const called = calledIn(argv);
  try {
    await answer(argv, called);
  } catch (error) {
    const { code, message, details, exitCode } = asRefusal(error, called?.id);
    const told = clean(message);
    if (argv.includes("--json")) {
      process.stdout.write(
        `${jsonText({ error: code, message: told, ...(Object.keys(details).length > 0 && { details }) })}\n`,
      );
    } else process.stderr.write(`${told}\n`);
    process.exitCode = called && COMMANDS[called.id]!.tellsVerdict ? besideVerdict(exitCode) : exitCode;
  }
}

type Called = { id: string; rest: string[] };

async function answer(argv: string[], called: Called | undefined): Promise<void> {
  refuseSecrets(argv);
  const config = await openConfig(version(), called?.id);
  if (argv[0] === "--version") return void process.stdout.write(`${config.userAgent}\n`);
  if (wantsHelp(argv) || (!called && argv[0] !== undefined && argv[0] in TOPICS && argv.length === 1)) {
    const subject = called?.id.split(":") ?? argv.filter((word) => word in TOPICS).slice(0, 1);
    return new Help(config, config.pjson.oclif.helpOptions ?? {}).showHelp(subject);
  }
  if (called) return config.runCommand(called.id, called.rest);
  const first = argv[0]!;
  const words = argv.filter((word) => !word.startsWith("-"));
  if (first.startsWith("-") || calledIn(words)) {
    throw usage("Write the command first, then its options: see `svc --help`.");
  }
  const asked = words.slice(0, 2).join(" ");
  throw usage(`There is no command "${asked}": see \`svc ${first in TOPICS ? `${first} ` : ""}--help\`.`);
}

/** The command that the first words name. */
function calledIn(argv: readonly string[]): Called | undefined {
  const words = argv[0] === "help" ? argv.slice(1) : argv;
  for (const count of [2, 1]) {
    const id = words.slice(0, count).join(":");
    if (Object.hasOwn(COMMANDS, id)) return { id, rest: words.slice(count) };
  }
  return undefined;
}

function wantsHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const options = end === -1 ? argv : argv.slice(0, end);
  return options.length === 0 || options[0] === "help" || options.includes("--help") || options.includes("-h");
}

/** Arguments are seen by every process of the machine and kept in the shell's history. */
function refuseSecrets(argv: readonly string[]): void {
  if (!argv.some((word) => /svc_sk_[A-Za-z0-9_-]{20}/.test(word))) return;
  throw usage(
    "A key does not belong on a command line, where others see it: run `svc login`, or set SVC_API_KEY. Replace this key.",
  );
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}
