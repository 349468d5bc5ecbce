import { Args, Errors, Flags } from "@oclif/core";
import { CHANNELS } from "@svc/contract/constants";

/** Without `ignoreStdin`, oclif would read a missing argument from standard input, which has content and secrets. */
export const argument = (description: string) => Args.string({ description, required: true, ignoreStdin: true });

export const limitFlag = () =>
  Flags.integer({
    description: "Largest number of items to show.",
    min: 1,
    max: 10_000,
    default: 50,
    helpValue: "<count>",
  });

export const archivedFlag = () =>
  Flags.boolean({ description: "List archived items in place of live ones.", default: false });

export const yesFlag = () => Flags.boolean({ char: "y", description: "Skip the confirmation." });

export const repeatedFlag = (description: string, helpValue?: string) =>
  Flags.string({
    description: `${description} Repeat the flag for several.`,
    multiple: true,
    multipleNonGreedy: true,
    ...(helpValue !== undefined && { helpValue }),
  });

export const expectedVersionFlag = (prefix: string) =>
  Flags.string({
    description: "Id of the version that this edit starts from. Default: the current version.",
    helpValue: `<${prefix}_…>`,
  });

export const sourceFlag = () =>
  Flags.option({
    options: ["production", "simulation"] as const,
    description: "Only conversations from this source.",
  })();

export const agentVersionFlag = () =>
  repeatedFlag("Only conversations of this version of the agent, as `svc agents versions` shows it.", "<version>");

const CHANNEL_FLAG = {
  options: CHANNELS,
  multiple: true,
  multipleNonGreedy: true,
} as const;

export const channelFlag = (description = "Only conversations over this channel.") =>
  Flags.option({ ...CHANNEL_FLAG, description: `${description} Repeat the flag for several.` })();

export const versionAttributeFlag = () =>
  Flags.string({
    description:
      "Attribute of spans that contains the agent's version, or none. It takes precedence over `svc.agent_version` and the other attributes.",
    helpValue: "<name|none>",
  });

export const retentionDaysFlag = Flags.custom<number | "none">({
  description:
    "Days after which the project's conversations are erased, or none. If the retention of the service is shorter, it applies instead.",
  helpValue: "<days|none>",
  parse: async (input) => {
    if (input === "none") return "none";
    if (/^[1-9]\d{0,4}$/.test(input)) return Number(input);
    throw new Errors.CLIError(`Write a number of days such as 90, or none, not "${input}"`);
  },
});

export const decimalFlag = Flags.custom<number>({
  parse: async (input) => {
    if (/^\d+(\.\d+)?$/.test(input)) return Number(input);
    throw new Errors.CLIError(`Write a number such as 0.50, not "${input}"`);
  },
});
