import { readStandardInput } from "./input.ts";
import { EXIT, Refusal, usage } from "../refusal.ts";

export const isInteractive = (): boolean => Boolean(process.stdin.isTTY && process.stderr.isTTY);

const TO_STDERR = { output: process.stderr };

/**
 * Reads a secret from a hidden prompt or, without a terminal, from the first line of standard input. Rejects a secret for which
 * `fault` returns a text.
 */
export async function askSecret(message: string, fault: (secret: string) => string | undefined): Promise<string> {
  if (isInteractive()) {
    const { password } = await import("@clack/prompts");
    return answered(await password({ message, validate: (typed) => fault(typed?.trim() ?? ""), ...TO_STDERR })).trim();
  }
  return checkedSecret(await firstInputLine(), fault);
}

export const firstInputLine = async (): Promise<string> => (await readStandardInput()).split("\n", 1)[0]!.trim();

/** Throws when `fault` returns a text for the line. */
export function checkedSecret(line: string, fault: (secret: string) => string | undefined): string {
  const wrong = fault(line);
  if (wrong) throw usage(`${wrong} Send it as the first line of standard input.`);
  return line;
}

export async function askText(message: string, option: string): Promise<string> {
  if (!isInteractive()) throw usage(`There is no terminal for a prompt. Set ${option}.`);
  const { text } = await import("@clack/prompts");
  const validate = (typed: string | undefined) => (typed?.trim() ? undefined : "Enter a text.");
  return answered(await text({ message, validate, ...TO_STDERR })).trim();
}

export async function chooseSome(
  message: string,
  options: { value: string; label: string; hint: string }[],
): Promise<string[]> {
  const { multiselect } = await import("@clack/prompts");
  return answered(await multiselect({ message, options, required: true, ...TO_STDERR }));
}

export async function confirm(message: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!isInteractive()) throw usage("There is no terminal for the confirmation. Set --yes to skip it.");
  const prompts = await import("@clack/prompts");
  if (!answered(await prompts.confirm({ message, initialValue: false, ...TO_STDERR })))
    throw new Refusal("declined", "Declined. Nothing was changed.");
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer === "symbol") throw new Refusal("canceled", "Canceled. Nothing was changed.", EXIT.usage);
  return answer as Exclude<T, symbol>;
}
