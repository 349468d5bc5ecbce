import { Help } from "@oclif/core";
import type { CommandClass } from "./command.ts";
import { commandNames, isCommand, loadCommand, TOPICS } from "./commands.ts";
import { didYouMean, nearest } from "@svc/contract/constants";
import { createConfig, type LoadedCommand } from "./plugin.ts";
import { asRefusal, exitCodeBesideVerdict, usage } from "./refusal.ts";
import { clean, jsonText } from "./terminal/terminal-text.ts";
import { readPackage, versionText } from "./version.ts";

type CommandWords = { id: string; rest: string[] };

export async function main(argv: string[]): Promise<void> {
  const words = commandIn(argv);
  let command: CommandClass | undefined;
  try {
    command = words && (await loadCommand(words.id));
    await runCommandLine(argv, words && { ...words, command: command! });
  } catch (error) {
    const { code, message, details, exitCode } = asRefusal(error, words?.id, command);
    const text = clean(message);
    if (argv.includes("--json")) {
      const refusal = { error: code, message: text, ...(Object.keys(details).length > 0 && { details }) };
      process.stdout.write(`${jsonText(refusal)}\n`);
    } else process.stderr.write(`${text}\n`);
    process.exitCode = command?.exitCodeIsVerdict ? exitCodeBesideVerdict(exitCode) : exitCode;
  }
}

async function runCommandLine(argv: string[], loaded: (CommandWords & LoadedCommand) | undefined): Promise<void> {
  refuseSecrets(argv);
  const description = readPackage();
  const { version } = description;
  if (argv[0] === "--version") {
    process.stdout.write(`${versionText(description)}\n`);
  } else if (wantsHelp(argv) || (!loaded && argv.length === 1 && isTopic(argv[0]!))) {
    const topic = argv.find(isTopic);
    const config = await createConfig(version, { topic, loaded });
    const words = loaded ? loaded.id.split(":") : topic === undefined ? [] : [topic];
    await new Help(config, config.pjson.oclif.helpOptions ?? {}).showHelp(words);
  } else if (loaded) {
    const config = await createConfig(version, { topic: undefined, loaded });
    await config.runCommand(loaded.id, loaded.rest);
  } else throw unknownCommand(argv);
}

const isTopic = (word: string): boolean => Object.hasOwn(TOPICS, word);

function commandIn(argv: readonly string[]): CommandWords | undefined {
  const words = argv[0] === "help" ? argv.slice(1) : argv;
  for (const count of [2, 1]) {
    const id = words.slice(0, count).join(":");
    if (isCommand(id)) return { id, rest: words.slice(count) };
  }
  return undefined;
}

function unknownCommand(argv: readonly string[]): Error {
  const first = argv[0]!;
  const words = argv.filter((word) => !word.startsWith("-"));
  if (first.startsWith("-") || commandIn(words)) {
    return usage("Write the command before its options. See `svc --help`.");
  }
  const topic = isTopic(first) ? `${first} ` : "";
  const typed = words.slice(0, 2).join(" ");
  const oneWord = [...commandNames(), ...Object.keys(TOPICS)].filter((name) => !name.includes(" "));
  const proposal =
    (words.length === 1 && didYouMean(first, oneWord)) ||
    (isTopic(first)
      ? proposeOfTopic(first, words[1])
      : didYouMean(typed, commandNames()) || didYouMean(first, oneWord));
  return usage(`There is no command "${typed}".${proposal} See \`svc ${topic}--help\`.`);
}

function proposeOfTopic(topic: string, second = ""): string {
  const names = commandNames().filter((name) => name.startsWith(`${topic} `));
  const word = nearest(
    second,
    names.map((name) => name.slice(topic.length + 1)),
  );
  return word === undefined ? "" : ` Did you mean "${topic} ${word}"?`;
}

function wantsHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const options = end === -1 ? argv : argv.slice(0, end);
  return options.length === 0 || options[0] === "help" || options.includes("--help") || options.includes("-h");
}

/** All users of the machine can see arguments, and the shell writes them to its history. */
function refuseSecrets(argv: readonly string[]): void {
  if (!argv.some((word) => /svc_sk_[A-Za-z0-9_-]{20}/.test(word))) return;
  throw usage(
    "The command line holds an API key, and other users of this machine can read it there. Replace this key, then run `svc login` or set SVC_API_KEY.",
  );
}
