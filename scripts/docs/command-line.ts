import type { CommandClass } from "../../packages/cli/src/command.ts";
import { commandIds, loadCommand, TOPICS } from "../../packages/cli/src/commands.ts";
import { EXIT_CODES } from "../../packages/cli/src/refusal.ts";

type Flag = CommandClass["flags"][string] & {
  description?: string;
  helpValue?: string;
  options?: string[];
  multiple?: boolean;
  allowNo?: boolean;
  required?: boolean;
  char?: string;
};

const HEAD = `# Command line

\`svc COMMAND --help\` shows the same texts. The flags \`--json\`, \`--url\`, \`--profile\` and \`--project\` belong to every command.`;

/** Returns docs/command-line.md: every command with its arguments, flags and examples, from the help of the program. */
export async function commandLinePage(): Promise<string> {
  const { baseFlags } = await loadCommand(commandIds()[0]!);
  const sections = await Promise.all([
    section("Commands without a topic", undefined, commandIds()),
    ...Object.entries(TOPICS).map(([topic, summary]) => section(`svc ${topic}`, summary, commandIds(topic))),
  ]);
  const codes = EXIT_CODES.map(([code, meaning]) => `- \`${code}\`: ${meaning}`).join("\n");
  return [
    HEAD,
    flagList(baseFlags as CommandClass["flags"]),
    "## Exit codes",
    `${codes}\n\n\`runs start\` and \`runs watch\` report the verdict of the run instead.`,
    ...sections,
  ].join("\n\n");
}

async function section(title: string, summary: string | undefined, ids: string[]): Promise<string> {
  const commands = await Promise.all(ids.map(async (id) => commandText(id, await loadCommand(id))));
  return [`## ${title}`, ...(summary === undefined ? [] : [`${summary}.`]), ...commands].join("\n\n");
}

function commandText(id: string, { summary, description, args, flags, examples = [] }: CommandClass): string {
  const words = `svc ${id.replaceAll(":", " ")}`;
  const usage = [words, ...Object.entries(args).map(([name, arg]) => argumentText(name, arg.required === true))].join(
    " ",
  );
  const texts = [
    ...Object.entries(args).map(([name, arg]) => `- \`${name.toUpperCase()}\`: ${textOf(arg)}`),
    ...Object.entries(flags).map(([name, flag]) => flagText(name, flag as Flag)),
  ];
  const lines = [examples].flat().map((example) => {
    const text = typeof example === "string" ? example : example.command;
    return text.replaceAll("<%= config.bin %>", "svc").replaceAll("<%= command.id %>", id.replaceAll(":", " "));
  });
  return [
    `### \`${usage}\``,
    `${summary}.`,
    ...(description === undefined ? [] : [description]),
    ...(texts.length === 0 ? [] : [texts.join("\n")]),
    ...(lines.length === 0 ? [] : [`\`\`\`console\n${lines.map((line) => `$ ${line}`).join("\n")}\n\`\`\``]),
  ].join("\n\n");
}

const argumentText = (name: string, isRequired: boolean) =>
  isRequired ? name.toUpperCase() : `[${name.toUpperCase()}]`;

const flagList = (flags: CommandClass["flags"]) =>
  Object.entries(flags)
    .map(([name, flag]) => flagText(name, flag as Flag))
    .join("\n");

function flagText(name: string, flag: Flag): string {
  const names = [
    ...(flag.char === undefined ? [] : [`-${flag.char}`]),
    `--${flag.allowNo === true ? "[no-]" : ""}${name}`,
  ];
  const value = flag.type === "boolean" ? "" : ` ${flag.options?.join("|") ?? flag.helpValue ?? "<value>"}`;
  const required = flag.required === true ? " Required." : "";
  return `- \`${names.join(", ")}${value}\`: ${textOf(flag)}${required}`;
}

const textOf = ({ description }: { description?: string | undefined }) =>
  (description ?? "").replaceAll(/\s+/g, " ").trim();
