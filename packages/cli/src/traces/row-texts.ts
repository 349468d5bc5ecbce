import type { ListedTrace } from "@svc/contract";

/** The sign for something that nobody has said about a conversation. */
const NONE = "-";

/** Returns what the platform reports about how a call went. */
export function outcomeOf({ reportedOutcome }: Pick<ListedTrace, "reportedOutcome">): string {
  const { successful = null, ending = null } = reportedOutcome ?? {};
  const success = successful === null ? [] : [successful ? "successful" : "not successful"];
  return [...success, ...(ending === null ? [] : [ending])].join(", ") || NONE;
}

/** Returns the numbers of the verdicts, such as `+3 -1`. */
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

/** Returns the platform's summary, else the first words of the caller; those of the agent are marked. */
export function wordsOf({ reportedOutcome, preview, previewRole }: Omit<ListedTrace, "verdicts">): string {
  const summary = reportedOutcome?.summary ?? null;
  if (summary !== null) return summary;
  if (preview === null) return "?";
  return previewRole === "agent" ? `(agent) ${preview}` : preview;
}
