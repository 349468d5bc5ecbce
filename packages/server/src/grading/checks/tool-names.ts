import type { Evidence, EvidenceToolCall } from "../evidence.ts";

const TYPING_ERRORS_MAX = 2;
/**
 * Length below which a name with two changed letters may be the name of another tool. In such a name, only one letter can be a typing
 * error.
 */
const SHORT_NAME = 8;

/** Returns whether a call is a call of the tool; null if its name is unknown, or may be the tool's name with a typing error. */
export function isTool(tool: string, { name }: EvidenceToolCall, evidence: Evidence): boolean | null {
  if (name === null) return null;
  if (name === tool) return true;
  if (namesOf(evidence).includes(tool)) return false;
  if (bareName(name) === bareName(tool)) return true;
  return isTypingError(tool, name) ? null : false;
}

export function typingDoubt(tool: string, evidence: Evidence): string | null {
  const names = namesOf(evidence);
  if (names.includes(tool)) return null;
  const meant = names.find((name) => isTypingError(tool, name));
  return meant === undefined ? null : `No tool ${tool} is known. Write ${meant} if you mean that tool.`;
}

/**
 * Returns why a missing call of this tool may prove nothing; null without such a doubt. If no tool with this name is known, the author may
 * mean another tool.
 */
export function nameDoubt(tool: string, evidence: Evidence): string | null {
  const names = namesOf(evidence);
  if (names.some((name) => bareName(name) === bareName(tool))) return null;
  const typing = typingDoubt(tool, evidence);
  if (typing !== null) return typing;
  if (evidence.knownTools?.all === true)
    return `No tool ${tool} is known. The agent's tools are ${names.slice(0, 10).join(", ")}.`;
  const similar = names.find((name) => wordsOf(name).some((word) => wordsOf(tool).includes(word)));
  return similar === undefined ? null : `No tool ${tool} is known, and ${similar} is. Write that name if you mean it.`;
}

const namesOf = ({ knownTools, toolCalls }: Evidence): string[] => [
  ...new Set([...(knownTools?.names ?? []), ...toolCalls.flatMap(({ name }) => name ?? [])]),
];

const bareName = (name: string) => name.replace(/[\s_.:/-]/g, "").toLowerCase();

const wordsOf = (name: string): string[] =>
  name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 3);

function isTypingError(a: string, b: string): boolean {
  const [from, to] = [bareName(a).slice(0, 100), bareName(b).slice(0, 100)];
  const most = Math.min(from.length, to.length) < SHORT_NAME ? 1 : TYPING_ERRORS_MAX;
  return Math.abs(from.length - to.length) <= most && from !== to && distance(from, to) <= most && sameDigits(from, to);
}

/** Returns whether two names have the same digits. Names with different digits are different tools, such as `step1` and `step2`. */
const sameDigits = (a: string, b: string) => a.replace(/\D/g, "") === b.replace(/\D/g, "");

/** Edit distance: the smallest number of letters to insert, delete, replace or swap with a neighbour. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, rows[i - 2]![j - 2]! + 1);
      row.push(least);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
