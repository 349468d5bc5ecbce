import { type Command, Config, type Interfaces } from "@oclif/core";
import { COMMANDS, TOPICS } from "./commands.ts";
import { EXIT_CODES } from "./refusal.ts";

const DESCRIPTION = `Test and monitor voice agents.
Address: --url, else SVC_URL, else the profile's, else http://127.0.0.1:3100.
API key: SVC_API_KEY, else the profile's (\`svc login\`); never an argument.

Exit codes:
${EXIT_CODES.map(([code, meaning]) => `  ${code}  ${meaning}`).join("\n")}
Those of \`runs start\` and \`runs watch\` tell the verdict: see their --help.`;

/**
 * oclif's configuration for this program. The commands are a table in the program, so nothing is searched on disk; only
 * the one that is called is loaded, the others are known by their summaries.
 */
export async function openConfig(version: string, calledId: string | undefined): Promise<Config> {
  const plugin = await pluginOf(version, calledId);
  const config = new Config({
    root: plugin.root,
    pjson: plugin.pjson,
    plugins: new Map([[plugin.name, plugin]]),
    devPlugins: false,
    userPlugins: false,
  });
  await config.load();
  return config;
}

async function pluginOf(version: string, calledId: string | undefined): Promise<Interfaces.Plugin> {
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
    commandIDs: Object.keys(COMMANDS),
    commands: [],
    topics: Object.entries(TOPICS).map(([name, description]) => ({ name, description })),
    hooks: {},
    load: async () => {},
    findCommand: ((id: string) => loadCommand(id)) as Interfaces.Plugin["findCommand"],
  };
  for (const id of Object.keys(COMMANDS)) plugin.commands.push(await describe(id, id === calledId));

  async function loadCommand(id: string): Promise<Command.Class> {
    const { default: command } = await COMMANDS[id]!.load();
    return Object.assign(command, { id, plugin });
  }

  async function describe(id: string, called: boolean): Promise<Command.Loadable> {
    const known = { id, summary: COMMANDS[id]!.summary, pluginName: "svc", pluginType: "core", hidden: false };
    const load = () => loadCommand(id);
    if (!called) return { ...known, aliases: [], hiddenAliases: [], args: {}, flags: {}, load };
    const { aliases, hiddenAliases, description, examples, args, baseFlags, flags, strict } = await load();
    const all = { ...flags, ...baseFlags } as Command.Loadable["flags"];
    const named = Object.fromEntries(Object.entries(args).map(([name, arg]) => [name, { ...arg, name }]));
    return { ...known, aliases, hiddenAliases, description, examples, args: named, flags: all, strict, load };
  }

  return plugin;
}
