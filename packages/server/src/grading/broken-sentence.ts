import type { Check } from "./checks/check.ts";
import { takePattern, takeQuoted } from "./checks/literals.ts";

const QUOTE = /^(?:says|never\s+says|does\s+not\s+say|doesn['’]t\s+say|repeats\s+back)\s+(?=["'“‘«])/i;
const PATTERN = /^(?:says|never\s+says|does\s+not\s+say|doesn['’]t\s+say)\s+(?=\/)/i;

const quoteProblem = (quote: string) =>
  `The quote ${quote} does not close, or is empty. Write the words between two quotes, for example: says "recorded line".`;
const PATTERN_PROBLEM =
  "The pattern does not close, or is empty. Write it between two slashes, for example: says /confirmation (number|code)/i.";

/** Returns what to correct in a sentence that opens like a form and has an unreadable pattern or an open quote; else null. */
export function problemOf(behavior: string, check: Check | undefined): string | null {
  if (check?.form === "unreadable") return check.problem;
  if (check?.form === "calls") {
    const open = check.arguments?.each.find(({ wanted }) => wanted.kind === "bare" && /^["“«]/.test(wanted.text));
    return open === undefined ? null : quoteProblem((open.wanted as { text: string }).text[0]!);
  }
  if (check !== undefined) return null;
  const text = behavior.trim().replace(/^(?:the\s+)?agent\s+/i, "");
  const quoted = afterOpening(QUOTE, text);
  if (quoted !== undefined) return takeQuoted(quoted) === undefined ? quoteProblem(quoted[0]!) : null;
  const pattern = afterOpening(PATTERN, text);
  return pattern === undefined || takePattern(pattern) !== undefined ? null : PATTERN_PROBLEM;
}

function afterOpening(opening: RegExp, text: string): string | undefined {
  const found = opening.exec(text);
  return found === null ? undefined : text.slice(found[0].length);
}
