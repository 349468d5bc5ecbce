import { Args, Command, Flags, type Interfaces } from "@oclif/core";
import { connect, type ConnectOptions, type Connection, type Selection, type Target, targetOf } from "./connection.ts";
import { explained } from "./explain.ts";
import { openProgress, type Progress } from "./progress.ts";
import { confirm } from "./prompt.ts";
import { clean, cleaned, jsonText } from "./terminal-text.ts";

type Parsed = Record<string, unknown>;

/** What a command is called with, and what it may do besides answering. */
export type Call<F extends Parsed, A extends Parsed> = {
  flags: F & Selection & { json: boolean; yes?: boolean };
  args: A;
  connect(options?: ConnectOptions): Promise<Connection>;
  /** A line for the person, beside the answer. */
  note(text: string): void;
  /** Goes on only when a person agrees, or `--yes` did. */
  confirm(question: string): Promise<void>;
  progress: Progress;
};

export type AnyCall = Call<Parsed, Parsed>;

type CommandSpec<F extends Parsed, A extends Parsed, T> = {
  /** Details under the summary, which stands in the table of commands. */
  description?: string;
  examples: Command.Example[];
  flags?: Interfaces.FlagInput<F>;
  args?: Interfaces.ArgInput<A>;
  /** Does the work; what it answers is what `--json` prints. */
  run(call: Call<F, A>): Promise<T>;
  /** The answer for people. Its texts are fit for a terminal already. */
  show(answer: T, call: Call<F, A>): string;
  exitCode?(answer: T): number;
};

const GLOBAL_FLAGS = {
  json: Flags.boolean({ description: "Print the answer as JSON.", helpGroup: "GLOBAL" }),
  url: Flags.string({ description: "The service's address.", helpGroup: "GLOBAL" }),
  profile: Flags.string({
    description: 'Profile with address and keys; default SVC_PROFILE, else "default".',
    helpGroup: "GLOBAL",
  }),
  project: Flags.string({
    description: "Project id or exact name; default SVC_PROJECT, else the profile's.",
    helpGroup: "GLOBAL",
  }),
};

/** Declares a command: what it takes, what it does and how its answer reads. */
export function command<F extends Parsed, A extends Parsed, T>(spec: CommandSpec<F, A, T>): Command.Class {
  class Declared extends Command {
    static override baseFlags = GLOBAL_FLAGS;
    static override flags = spec.flags ?? {};
    static override args = spec.args ?? {};
    static override description = spec.description;
    static override examples = spec.examples;

    override async run(): Promise<void> {
      const parsed = await this.parse(Declared);
      const flags = parsed.flags as unknown as Call<F, A>["flags"];
      const note = (text: string) => {
        progress.clear();
        process.stderr.write(`${clean(text)}\n`);
      };
      const progress = openProgress();
      let target: Target | undefined;
      const call: Call<F, A> = {
        flags,
        args: parsed.args as unknown as A,
        progress,
        note,
        async connect(options) {
          target = options?.target ?? (await targetOf(flags, options));
          progress.now(`Waiting for ${target.url}…`);
          return connect(target, options);
        },
        async confirm(question) {
          progress.clear();
          await confirm(question, flags.yes === true);
        },
      };
      try {
        const answer = await spec.run(call);
        progress.clear();
        const text = flags.json ? jsonText(answer ?? {}) : spec.show(cleaned(answer), call);
        if (text !== "") process.stdout.write(`${text}\n`);
        process.exitCode = spec.exitCode?.(answer) ?? 0;
      } catch (error) {
        progress.clear();
        if (!target) throw error;
        throw explained(error, { command: this.id ?? "", spec, given: parsed.args, target });
      }
    }
  }
  return Declared as unknown as Command.Class;
}

/** A positional argument; oclif would read a missing one from standard input, which is for content and secrets. */
export const argument = (description: string) => Args.string({ description, required: true, ignoreStdin: true });

/** How many items a list shows. */
export const limitFlag = () =>
  Flags.integer({ description: "Show so many at most.", min: 1, max: 10_000, default: 50, helpValue: "<count>" });

export const yesFlag = () => Flags.boolean({ char: "y", description: "Do not ask." });
