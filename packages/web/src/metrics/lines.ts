import type { Answer, Operations } from "@svc/sdk";

export type Metrics = Answer<Operations["metrics"]["get"]>;
export type ConversationCounts = Answer<Operations["metrics"]["conversations"]>;

/** Line of the plots: an agent or, with `agentVersion`, one version of an agent. */
export type Line = { agentName: string | null; agentVersion?: string | null | undefined };

/** Search parameters that choose lines. `chosen` is a JSON array of names, for several lines or one without a name. */
export type LineSearch = {
  agent?: string | undefined;
  version?: string | undefined;
  lines?: "versions" | undefined;
  chosen?: string | undefined;
};

/** As many as there are colours. */
export const LINES_MAX = 8;
/** Number of lines that a page with more than `LINES_MAX` draws before somebody chooses. */
const LINES_FIRST = 5;

type Name = string | null;

export const keyOf = ({ agentName, agentVersion }: Line): string => JSON.stringify([agentName, agentVersion]);

export const nameOfAgent = (agentName: Name): string => agentName ?? "without a name";

export const nameOfLine = ({ agentName, agentVersion }: Line): string =>
  agentVersion === undefined ? nameOfAgent(agentName) : (agentVersion ?? "unknown version");

/** Lines are versions of one agent, or agents. */
export const isByVersion = ({ lines, agent }: LineSearch): boolean => lines === "versions" && agent !== undefined;

/** The line with the most conversations comes first; with as many, the one whose name does. */
export function linesOf({ series }: Pick<ConversationCounts, "series">, metrics?: Pick<Metrics, "series">): Line[] {
  const counted = series.toSorted(
    (one, other) =>
      other.conversations - one.conversations ||
      nameOfLine(one).localeCompare(nameOfLine(other), "en", { numeric: true }),
  );
  const lines = [...counted, ...(metrics?.series ?? [])].map(({ agentName, agentVersion }): Line => ({
    agentName,
    ...(agentVersion !== undefined && { agentVersion }),
  }));
  return [...new Map(lines.map((line) => [keyOf(line), line])).values()];
}

/** Returns the names in a text of `chosen`; undefined if it has none that a page can draw. */
export function readChosen(text: string | undefined): Name[] | undefined {
  if (text === undefined) return undefined;
  try {
    const names: unknown = JSON.parse(text);
    if (!Array.isArray(names) || names.length === 0 || names.length > LINES_MAX) return undefined;
    if (!names.every((name) => name === null || (typeof name === "string" && name !== ""))) return undefined;
    return [...new Set(names as Name[])];
  } catch {
    return undefined;
  }
}

/** Returns the names of the lines that somebody chose. */
function chosenOf(search: LineSearch): Name[] | undefined {
  const one = isByVersion(search) ? search.version : search.agent;
  return readChosen(search.chosen) ?? (one === undefined ? undefined : [one]);
}

/** Returns the search parameters that choose these lines; without a line, nothing is chosen. */
export function searchOfLines(lines: readonly Line[], byVersion: boolean): Partial<LineSearch> {
  const names = lines.map(({ agentName, agentVersion }) => (byVersion ? (agentVersion ?? null) : agentName));
  const [one] = names;
  const isOne = names.length === 1 && typeof one === "string";
  return {
    [byVersion ? "version" : "agent"]: isOne ? one : undefined,
    chosen: isOne || names.length === 0 ? undefined : JSON.stringify(names),
  };
}

/** Returns the lines that the plots show. The position of a line is the number of its colour. */
export function drawnLines(known: readonly Line[], search: LineSearch): Line[] {
  const chosen = chosenOf(search);
  if (chosen === undefined) return known.slice(0, known.length > LINES_MAX ? LINES_FIRST : LINES_MAX);
  return chosen.map((name): Line =>
    isByVersion(search) ? { agentName: search.agent ?? null, agentVersion: name } : { agentName: name },
  );
}

/** Returns the lines whose name contains the text. */
export const findLines = (lines: readonly Line[], text: string): Line[] =>
  lines.filter((line) => nameOfLine(line).toLowerCase().includes(text.trim().toLowerCase()));
