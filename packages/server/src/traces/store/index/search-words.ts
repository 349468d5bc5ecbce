import type { RawBuilder } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { searchText } from "../../../stores/search-text.ts";
import type { TraceFilters } from "../../rules.ts";

// A word represents a fact about a conversation that a filter selects, besides the searched text: a tool, a quality topic, an error,
// an interruption, a simulation, or a latency above a power of two. An inverted index finds the conversations that have all words and
// all trigrams of the searched text. The filters are then compared with each of these conversations.

export type SearchedConversation = {
  project: number;
  key: string;
  /** The transcript and the names in the derived conversation, in the form of `searchText`. */
  texts: readonly (string | null)[];
  /** The names in the conversation's sums, as they were sent. */
  names: readonly (string | null)[];
  source: string | null;
  errors: number;
  interruptions: number | null;
  slowestMs: number | null;
  tools: readonly string[];
  quality: readonly string[] | null;
};

export type SearchIndex = {
  store: (tx: Db, conversations: readonly SearchedConversation[]) => Promise<void>;
  remove: (tx: Db, keys: readonly { project: number; key: string }[]) => Promise<void>;
  /** Undefined if the filters have no word or text that the index can find. */
  candidates: (project: number, filters: Partial<TraceFilters>) => FindCandidates | undefined;
};

/**
 * Returns the conversations that may match, as an expression for FROM: conversations with all words, conversations that the index
 * lacks, and conversations that have changed since they were indexed. Returns undefined if a search for two characters would need too
 * many trigrams.
 */
export type FindCandidates = (db: Db) => Promise<RawBuilder<unknown> | undefined>;

/** SQL condition that the search index lacks the conversation, or lacks its newest spans. */
export const LACKS_TERMS = "terms_change IS DISTINCT FROM change";

/** Largest number of trigrams of the searched text that are looked up. With so many, few conversations are left. */
export const SEARCH_PARTS_MAX = 64;

export const searchedTexts = ({ texts, names }: Pick<SearchedConversation, "texts" | "names">): string[] =>
  [...texts, searchText(...names)].filter((text) => text !== null);

export const wordsOf = ({
  tools,
  quality,
  errors,
  interruptions,
  source,
  slowestMs,
}: SearchedConversation): string[] => [
  ...new Set([
    ...tools.map(toolWord),
    ...(quality ?? []).map(qualityWord),
    ...(errors > 0 ? [ERROR] : []),
    ...(interruptions !== null && interruptions > 0 ? [INTERRUPTED] : []),
    ...(source === "simulation" ? [SIMULATION] : []),
    ...POWERS.filter((ms) => ms < (slowestMs ?? 0)).map(slowerWord),
  ]),
];

export const wordsOfFilters = ({
  tool,
  quality,
  status,
  interrupted,
  source,
  slowerThanMs,
}: Partial<TraceFilters>): string[] => [
  ...(tool === undefined ? [] : [toolWord(tool)]),
  ...(quality === undefined ? [] : [qualityWord(quality)]),
  ...(status === "error" ? [ERROR] : []),
  ...(interrupted === true ? [INTERRUPTED] : []),
  ...(source === "simulation" ? [SIMULATION] : []),
  ...POWERS.filter((ms) => ms <= (slowerThanMs ?? 0))
    .slice(-1)
    .map(slowerWord),
];

const ERROR = "error";
const INTERRUPTED = "interrupted";
const SIMULATION = "simulation";
const toolWord = (tool: string) => `tool ${tool}`;
const qualityWord = (topic: string) => `quality ${topic}`;
const slowerWord = (ms: number) => `slower ${ms}`;

/** The latencies, in milliseconds, that have a word. */
const POWERS = Array.from({ length: 40 }, (_, power) => 2 ** power);
