import type { ListedTrace } from "@svc/contract";
import { oneLine, paint } from "../terminal/output.ts";

type WordsOfRow = Pick<ListedTrace, "reportedOutcome" | "preview" | "previewRole" | "searchMatch">;

const NONE = "-";

export function outcomeOf({ reportedOutcome }: Pick<ListedTrace, "reportedOutcome">): string {
  const { successful = null, ending = null } = reportedOutcome ?? {};
  const success = successful === null ? [] : [successful ? "successful" : "not successful"];
  return [...success, ...(ending === null ? [] : [ending])].join(", ") || NONE;
}

export function verdictsOf({ verdicts }: Pick<ListedTrace, "verdicts">): string {
  if (verdicts === null) return NONE;
  const { passed, failed, undecided } = verdicts;
  const counts: [string, number][] = [
    ["+", passed],
    ["-", failed],
    ["?", undecided],
  ];
  return counts.flatMap(([sign, count]) => (count > 0 ? [`${sign}${count}`] : [])).join(" ");
}

/** Maximum number of characters before the match, because tables cut the ends of long texts. */
const BEFORE_MATCH = 24;

/**
 * Without a match of the search, returns the platform's summary, or else the first words of the conversation. First words of the
 * agent begin with `(agent)`.
 */
export function wordsOf({ reportedOutcome, preview, previewRole, searchMatch }: WordsOfRow): string {
  if (searchMatch !== null) {
    const { text, start } = searchMatch;
    const from = start <= BEFORE_MATCH ? 0 : start - BEFORE_MATCH;
    return `${from > 0 ? "…" : ""}${text.slice(from).toWellFormed()}`;
  }
  const summary = reportedOutcome?.summary ?? null;
  if (summary !== null) return summary;
  if (preview === null) return "?";
  return previewRole === "agent" ? `(agent) ${preview}` : preview;
}

export function withBoldMatches(
  table: string,
  rows: readonly Pick<ListedTrace, "searchMatch">[],
  inBold: (text: string) => string = paint.bold,
): string {
  const [titles, ...lines] = table.split("\n");
  const bold = lines.map((line, at) => {
    const match = rows[at]?.searchMatch;
    if (!match) return line;
    const words = oneLine(match.text.slice(match.start, match.end));
    const from = line.lastIndexOf(words);
    return words === "" || from === -1 ? line : line.slice(0, from) + inBold(words) + line.slice(from + words.length);
  });
  return [titles, ...bold].join("\n");
}
