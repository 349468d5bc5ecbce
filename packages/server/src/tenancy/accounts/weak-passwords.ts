import { AppError } from "../../base/errors.ts";
import { COMMON_PASSWORDS } from "./common-passwords.ts";

/** A password that a person chose, and the name of the request's member that contains it. */
type Chosen = { member: "password" | "new_password"; password: string };

/** Throws when an attacker would try the password early: a common password, a pattern, or the person's own address or name. */
export function refuseWeakPassword({ member, password }: Chosen, person: { name: string; email: string }): void {
  const reason = weaknessOf(password.toLowerCase().trim(), person);
  if (reason === undefined) return;
  throw new AppError("unprocessable", `${reason} Choose another one, such as four words that do not belong together.`, {
    issues: [{ path: member, message: reason }],
  });
}

function weaknessOf(password: string, { name, email }: { name: string; email: string }): string | undefined {
  if (COMMON_PASSWORDS.has(password)) return "This password is one of the most common ones.";
  if (isRepeated(password)) return "This password repeats a few characters.";
  if (isSequence(password)) return "This password is a sequence of characters.";
  const [localPart = ""] = email.toLowerCase().split("@");
  const own = [email.toLowerCase(), localPart, name.toLowerCase(), name.toLowerCase().replaceAll(/\s/g, "")];
  const core = password.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
  if (own.includes(password) || own.includes(core)) return "This password is your own address or name.";
  return undefined;
}

/** Returns whether the text repeats one group of at most four characters. The last repetition may be incomplete. */
function isRepeated(text: string): boolean {
  return [1, 2, 3, 4].some((length) => text === text.slice(0, length).repeat(text.length).slice(0, text.length));
}

/** Returns whether the character codes rise or fall by one at each step, as in `abcdefghij` or `9876543210`. */
function isSequence(text: string): boolean {
  const codes = Array.from(text, (character) => character.codePointAt(0)!);
  const steps = new Set(codes.slice(1).map((code, index) => code - codes[index]!));
  return steps.size === 1 && (steps.has(1) || steps.has(-1));
}
