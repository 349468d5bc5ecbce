import { type Command, Config, type Interfaces } from "@oclif/core";
import type { CommandClass } from "./command.ts";
import { commandIds, summaryOf, TOPICS } from "./commands.ts";
import { EXIT_CODES } from "./refusal.ts";

const DESCRIPTION = `Test and monitor voice agents.
Address of the service: --url, else SVC_URL, else the profile's, else http://127.0.0.1:3100, or the port in PORT.
API key: SVC_API_KEY, else the profile's (\`svc login\`). Never pass a key as an argument.

Exit codes:
${EXIT_CODES.map(([code, meaning]) => `  ${code}  ${meaning}`).join("\n")}
The exit codes of \`runs start\` and \`runs watch\` report the verdict: see their --help.`;

/** Subject of a command line: a loaded command, a topic, or the whole program when both are undefined. */
type Subject = { topic: string | undefined; loaded: LoadedCommand | undefined };

export type LoadedCommand = { id: string; command: CommandClass };

/**
 * The configuration contains only the command to run, or the commands that the help lists. Loading all commands would slow down the
 * start.
 */
export async function createConfig(version: string, subject: Subject): Promise<Config> {
  const commands = commandsFor(subject);
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

function commandsFor({ topic, loaded }: Subject): Command.Loadable[] {
  const listed = (ids: string[]) => ids.map((id) => describe(id, summaryOf(id)));
  if (loaded)
    return [describeLoaded(loaded), ...(Object.hasOwn(TOPICS, loaded.id) ? listed(commandIds(loaded.id)) : [])];
  if (topic !== undefined) return listed(commandIds(topic));
  // oclif lists only topics that have a command.
  return [...listed(commandIds()), ...Object.keys(TOPICS).map((name) => describe(`${name}:COMMAND`))];
}

const describe = (id: string, summary?: string): Command.Loadable => ({
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
