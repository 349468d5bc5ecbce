import type { RawBuilder } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { searchText } from "../../../stores/search-text.ts";
import type { TraceFilters } from "../../rules.ts";

// A word stands for something that a filter selects besides the searched text: a tool, a topic of quality, an error, an
// interruption, a simulation, or a latency above a power of two. An inverted index finds the conversations that have all words
// and all parts of the searched text. The filters themselves then decide.

/** A conversation that has been read, with everything by which filters find it. */
export type SearchedConversation = {
  project: number;
  key: string;
  /** The transcript and the names of the reading, in the form of `searchText`. */
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

/** The inverted index of one engine. */
export type SearchIndex = {
  /** Replaces what the index stores about the conversations. */
  store: (tx: Db, conversations: readonly SearchedConversation[]) => Promise<void>;
  remove: (tx: Db, keys: readonly { project: number; key: string }[]) => Promise<void>;
  /** Returns a search for the words of the filters; undefined if they have no words. */
  candidates: (project: number, filters: TraceFilters) => FindCandidates | undefined;
};

/**
 * Returns the conversations that may match, as an expression for FROM: those with all words, those that the index lacks, and
 * those that have changed since they were indexed. Returns undefined if too many trigrams of the index are possible.
 */
export type FindCandidates = (db: Db) => Promise<RawBuilder<unknown> | undefined>;

/** Whether the search index lacks the conversation, or does not cover its newest spans. */
export const LACKS_TERMS = "terms_change IS DISTINCT FROM change";

/** At most this many parts of the searched text are looked up; that is narrow enough. */
export const SEARCH_PARTS_MAX = 64;

/** Returns all texts of a conversation that a search finds, in the form of `searchText`. */
export const searchedTexts = ({ texts, names }: Pick<SearchedConversation, "texts" | "names">): string[] =>
  [...texts, searchText(...names)].filter((text) => text !== null);

/** Returns the words of a conversation, without duplicates. */
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

/** Returns words that every conversation which matches the filters has. */
export const wordsOfFilters = ({
  tool,
  quality,
  status,
  interrupted,
  source,
  slowerThanMs,
}: TraceFilters): string[] => [
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
