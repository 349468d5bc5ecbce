import { type Command, Config, type Interfaces } from "@oclif/core";
import type { CommandClass } from "./command.ts";
import { commandIds, summaryOf } from "./commands.ts";
import { EXIT_CODES } from "./refusal.ts";
import { TOPICS } from "./topics.ts";

const DESCRIPTION = `Test and monitor voice agents.
Address of the service: --url, else SVC_URL, else the profile's, else http://127.0.0.1:3100.
API key: SVC_API_KEY, else the profile's (\`svc login\`). Never pass a key as an argument.

Exit codes:
${EXIT_CODES.map(([code, meaning]) => `  ${code}  ${meaning}`).join("\n")}
The exit codes of \`runs start\` and \`runs watch\` report the verdict: see their --help.`;

/** A command that is to run, or to show its help. */
export type LoadedCommand = { id: string; command: CommandClass };

/** Creates oclif's configuration with the one command that was loaded, so that nothing is searched on disk. */
export const configForCommand = (version: string, loaded: LoadedCommand): Promise<Config> =>
  createConfig(version, [describeLoaded(loaded)]);

/** Creates oclif's configuration for the help of the program, of a topic, or of a loaded command. */
export function configForHelp(
  version: string,
  { topic, loaded }: { topic: string | undefined; loaded: LoadedCommand | undefined },
): Promise<Config> {
  const parent = loaded?.id ?? topic;
  const isListed = (id: string) => (parent === undefined ? !id.includes(":") : id.startsWith(`${parent}:`));
  const others = commandIds().filter((id) => id !== loaded?.id);
  const commands = others.map((id) => describe(id, isListed(id) ? summaryOf(id) : undefined));
  return createConfig(version, loaded ? [...commands, describeLoaded(loaded)] : commands);
}

async function createConfig(version: string, commands: Command.Loadable[]): Promise<Config> {
  const root = import.meta.dirname;
  const pjson = {
    name: "svc",
    version,
    type: "module",
    dependencies: {},
    oclif: {
      bin: "svc",
      dirname: "svc",
      description: DESCRIPTION,
      topicSeparator: " ",
      additionalHelpFlags: ["-h"],
      helpOptions: { flagSortOrder: "none" },
    },
  } as unknown as Interfaces.PJSON;
  const plugin: Interfaces.Plugin = {
    _base: "",
    alias: "svc",
    name: "svc",
    version,
    type: "core",
    moduleType: "module",
    isRoot: true,
    valid: true,
    hasManifest: false,
    root,
    pjson,
    options: { root, pjson, isRoot: true },
    commandsDir: undefined,
    commandIDs: commands.map(({ id }) => id),
    commands,
    topics: Object.entries(TOPICS).map(([name, description]) => ({ name, description })),
    hooks: {},
    load: async () => {},
    findCommand: (() => undefined) as unknown as Interfaces.Plugin["findCommand"],
  };
  const plugins = new Map([[plugin.name, plugin]]);
  const config = new Config({ root, pjson, plugins, devPlugins: false, userPlugins: false });
  await config.load();
  return config;
}

/** Describes a command by its line in a list. */
const describe = (id: string, summary: string | undefined): Command.Loadable => ({
  id,
  summary,
  pluginName: "svc",
  pluginType: "core",
  hidden: false,
  aliases: [],
  hiddenAliases: [],
  args: {},
  flags: {},
  load: () => Promise.reject(new Error(`The command ${id} was not loaded.`)),
});

/** Describes a command with all that its help shows. */
function describeLoaded({ id, command }: LoadedCommand): Command.Loadable {
  const { summary, description, examples, args, baseFlags, flags, strict } = command;
  return {
    ...describe(id, summary),
    description,
    examples,
    args: Object.fromEntries(Object.entries(args).map(([name, arg]) => [name, { ...arg, name }])),
    flags: { ...flags, ...baseFlags } as Command.Loadable["flags"],
    strict,
    load: async () => Object.assign(command, { id }),
  };
}
