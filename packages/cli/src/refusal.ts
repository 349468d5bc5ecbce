import type { SvcError } from "@svc/sdk";
import { didYouMean } from "@svc/contract/constants";
import { clean } from "./terminal/terminal-text.ts";

export const EXIT = { done: 0, refused: 1, usage: 2, unreachable: 3, fault: 70 } as const;

/** `refused` stands for a wrong command line, an error of the service, and an unreachable service. */
export const VERDICT_EXIT = { passed: 0, failed: 1, undecided: 2, refused: 3, interrupted: 130 } as const;

export const EXIT_CODES: [code: number, meaning: string][] = [
  [EXIT.done, "done"],
  [EXIT.refused, "refused, by the service or by a check; the message says what to do"],
  [EXIT.usage, "wrong command line"],
  [EXIT.unreachable, "the service is unreachable or failed"],
  [EXIT.fault, "fault of this program"],
];

/** The message contains the problem and the next step. */
export class Refusal extends Error {
  readonly code: string;
  readonly exitCode: number;
  readonly details: Record<string, unknown>;

  constructor(code: string, message: string, exitCode: number = EXIT.refused, details: Record<string, unknown> = {}) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.exitCode = exitCode;
    this.details = details;
  }
}

export const usage = (message: string) => new Refusal("usage", message, EXIT.usage);

/** Compares the name, because the import of the SDK would slow down the start. */
export const isSvcError = (error: unknown): error is SvcError => error instanceof Error && error.name === "SvcError";

export const isTemporary = (error: unknown): error is SvcError =>
  isSvcError(error) && (error.code === "unreachable" || error.code === "too_many_requests" || error.status >= 500);

type Flagged = { flags?: object; baseFlags?: object };

export function asRefusal(error: unknown, commandId?: string, command: Flagged = {}): Refusal {
  if (error instanceof Refusal) return error;
  if (isSvcError(error)) {
    const exitCode =
      error.status >= 400 && error.status < 500 && error.code !== "unexpected_answer" ? EXIT.refused : EXIT.unreachable;
    return new Refusal(error.code, error.message, exitCode, error.details);
  }
  if (isUsageError(error)) {
    const help = `See \`svc ${commandId === undefined ? "" : `${commandId.replace(":", " ")} `}--help\`.`;
    const text = "args" in error ? missingText(error.args) : undefined;
    return usage(`${text ?? usageText(error.message)}.${flagProposal(error, command)} ${help}`);
  }
  const message = error instanceof Error ? error.message : String(error);
  const stack = process.env.DEBUG && error instanceof Error ? `\n${error.stack}` : " Set DEBUG=1 to print the stack.";
  return new Refusal("fault", `This is a fault of svc: ${message}.${stack}`, EXIT.fault);
}

function flagProposal(error: object, { flags = {}, baseFlags = {} }: Flagged): string {
  const unknown =
    "flags" in error && Array.isArray(error.flags) ? error.flags.find((one) => typeof one === "string") : undefined;
  if (unknown === undefined) return "";
  const names = Object.keys({ ...flags, ...baseFlags }).map((name) => `--${name}`);
  return didYouMean(unknown, names);
}

/** Returns undefined when no argument is missing, because there are too many. */
function missingText(args: unknown): string | undefined {
  const missing = (args as { name?: string; description?: string; options?: string[] }[]).filter(({ name }) => name);
  if (missing.length === 0) return undefined;
  const names = missing.map(({ name, description = "", options }) => {
    const values = options ? options.join(" or ") : description.replace(/\.$/, "");
    return `${name!.toUpperCase()} (${values})`;
  });
  return `Missing ${names.join(" and ")}`;
}

function usageText(message: string): string {
  const flags = [...message.matchAll(/Missing required flag (\S+)/g)].map(([, name]) => `--${name}`);
  if (flags.length > 0) return `Missing ${flags.join(", ")}`;
  const [text] = message.split(/\n\n?(?:Note: |See more help)/, 1) as [string];
  return clean(text.replace(/^The following errors? occurred:\s*/, ""))
    .replaceAll(/Parsing (--\S+)\s*\n\s*/g, "$1: ")
    .replaceAll(/:\s*\n\s*/g, ": ")
    .replaceAll(/\s*\n\s*/g, "; ")
    .replaceAll(/ {2,}/g, ", ")
    .replace(/\.$/, "");
}

export const exitCodeBesideVerdict = (exitCode: number): number =>
  exitCode === EXIT.fault || exitCode === VERDICT_EXIT.interrupted ? exitCode : VERDICT_EXIT.refused;

const isUsageError = (error: unknown): error is Error =>
  error instanceof Error && "oclif" in error && (error.oclif as { exit?: number }).exit === EXIT.usage;
