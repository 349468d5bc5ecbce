import { Command, Flags, type Interfaces } from "@oclif/core";
import { explainRefusal } from "./explain.ts";
import { createProgressLine, type ProgressLine } from "./terminal/progress.ts";
import { confirm } from "./terminal/prompt.ts";
import { createSession, type Session, type SessionOptions } from "./session/session.ts";
import { resolveTarget, type Target, type TargetFlags } from "./session/target.ts";
import { clean, cleaned, jsonText } from "./terminal/terminal-text.ts";

type Values = Record<string, unknown>;

type Invocation<F extends Values, A extends Values> = {
  flags: F & TargetFlags & { json: boolean; yes?: boolean };
  args: A;
  startSession(options?: SessionOptions): Promise<Session>;
  /** Prints a line on standard error, because standard output has only the answer. */
  note(text: string): void;
  /** Asks the user to confirm, unless `--yes` is set. Throws when the user declines. */
  confirm(question: string): Promise<void>;
  progress: ProgressLine;
};

export type AnyInvocation = Invocation<Values, Values>;

export type CommandClass = Command.Class & { exitCodeIsVerdict: boolean };

type CommandSpec<F extends Values, A extends Values, T> = {
  /** Must be a string literal on one line, because the command table extracts it from the source text. */
  summary: string;
  description?: string;
  examples: Command.Example[];
  flags?: Interfaces.FlagInput<F>;
  args?: Interfaces.ArgInput<A>;
  /** `--json` prints the returned answer. */
  run(invocation: Invocation<F, A>): Promise<T>;
  /** The strings of the answer contain no control characters. */
  show(answer: T, invocation: Invocation<F, A>): string;
  exitCode?(answer: T): number;
  /** Set when the exit code is the verdict on a run. Errors then get exit codes that no verdict uses. */
  exitCodeIsVerdict?: true;
};

const GLOBAL_FLAGS = {
  json: Flags.boolean({ description: "Print the answer as JSON.", helpGroup: "GLOBAL" }),
  url: Flags.string({ description: "Address of the service.", helpGroup: "GLOBAL" }),
  profile: Flags.string({
    description: 'Profile with the address and the keys. Default: SVC_PROFILE, else "default".',
    helpGroup: "GLOBAL",
  }),
  project: Flags.string({
    description: "Id or exact name of the project. Default: SVC_PROJECT, else the profile's project.",
    helpGroup: "GLOBAL",
  }),
};

export function command<F extends Values, A extends Values, T>(spec: CommandSpec<F, A, T>): CommandClass {
  class Declared extends Command {
    static override baseFlags = GLOBAL_FLAGS;
    static override flags = spec.flags ?? {};
    static override args = spec.args ?? {};
    static override summary = spec.summary;
    static override description = spec.description;
    static override examples = spec.examples;
    static exitCodeIsVerdict = spec.exitCodeIsVerdict === true;

    override async run(): Promise<void> {
      const parsed = await this.parse(Declared);
      const flags = parsed.flags as unknown as Invocation<F, A>["flags"];
      const progress = createProgressLine();
      let target: Target | undefined;
      const invocation: Invocation<F, A> = {
        flags,
        args: parsed.args as unknown as A,
        progress,
        note(text) {
          progress.clear();
          process.stderr.write(`${clean(text)}\n`);
        },
        async startSession(options) {
          target = options?.target ?? (await resolveTarget(flags, options));
          progress.now(`Waiting for ${target.url}…`);
          return createSession(target, options);
        },
        async confirm(question) {
          progress.clear();
          await confirm(question, flags.yes === true);
        },
      };
      try {
        const answer = await spec.run(invocation);
        progress.clear();
        const text = flags.json ? jsonText(answer ?? {}) : spec.show(cleaned(answer), invocation);
        if (text !== "") process.stdout.write(`${text}\n`);
        process.exitCode = spec.exitCode?.(answer) ?? 0;
      } catch (error) {
        progress.clear();
        if (!target) throw error;
        const values = { ...parsed.args, ...parsed.flags };
        throw explainRefusal(error, { commandId: this.id ?? "", inputs: spec, values, target });
      }
    }
  }
  return Declared as unknown as CommandClass;
}
