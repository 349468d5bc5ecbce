import type { RawBuilder } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { searchText } from "../../../stores/search-text.ts";
import type { TraceFilters } from "../../rules.ts";

// A word stands for something that a filter asks for besides the searched text: a tool, a topic of quality, an error, an
// interruption, a simulation, or a latency above a power of two. An inverted index finds the conversations that have all words
// and all parts of the text of a request, and the filters themselves decide among them.

/** A read conversation, as far as filters find it by words. */
export type SearchedConversation = {
  project: number;
  key: string;
  /** The transcript and the names of the reading, in the form of `searchText`. */
  texts: readonly (string | null)[];
  /** The names of the sums, as sent. */
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
  /** Replaces what the index holds of the conversations. */
  store: (tx: Db, conversations: readonly SearchedConversation[]) => Promise<void>;
  remove: (tx: Db, keys: readonly { project: number; key: string }[]) => Promise<void>;
  /** Returns a search for the words of the filters; undefined when they have none. */
  candidates: (project: number, filters: TraceFilters) => FindCandidates | undefined;
};

/**
 * Returns the conversations that may match, as an expression for FROM: those with all words, those that the index lacks, and those
 * that have changed since they were indexed. Undefined when too many words of the index are possible.
 */
export type FindCandidates = (db: Db) => Promise<RawBuilder<unknown> | undefined>;

/** Whether the search index lacks the conversation, or is older than its newest spans. */
export const LACKS_TERMS = "terms_change IS DISTINCT FROM change";

/** A search for many words is narrow enough with these parts of it. */
export const SEARCH_PARTS_MAX = 64;

/** Returns all texts of a conversation that a search finds, in the form of `searchText`. */
export const searchedTexts = ({ texts, names }: Pick<SearchedConversation, "texts" | "names">): string[] =>
  [...texts, searchText(...names)].filter((text) => text !== null);

/** Returns the words of a conversation, each once. */
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

/** Returns words that every conversation has that matches the filters. */
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

/** Latencies in milliseconds that have words. */
const POWERS = Array.from({ length: 40 }, (_, power) => 2 ** power);
