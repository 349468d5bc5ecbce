import { searchText } from "../../../stores/search-text.ts";
import type { TraceFilters } from "../../rules.ts";
import { eachTrigram, TRIGRAMS } from "../../search-signature.ts";

// A term is a number for something that a filter asks for: three ASCII characters of the searched texts, a tool, a topic of
// quality, an error, an interruption, a simulation, or a latency above a power of two. An inverted index finds the conversations
// that have all terms of a request, and the filters themselves decide among them: two facts may have one number. pg_trgm would
// be updated with every change of a row, and would follow the locale of the database.

/** A read conversation, as far as it has terms. */
export type TermFacts = {
  project: number;
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

/** A search for many words has enough terms with these. */
const SEARCH_TERMS_MAX = 64;

/** Returns the terms of a conversation, each once. */
export function termsOf({ project, texts, names, ...facts }: TermFacts): number[] {
  const trigrams = trigramsOf([...texts, searchText(...names)]);
  const terms = trigrams.map((trigram) => trigramTerm(project, trigram));
  const named = [
    ...facts.tools.map((tool) => `tool ${tool}`),
    ...(facts.quality ?? []).map((topic) => `quality ${topic}`),
    ...(facts.errors > 0 ? [ERROR] : []),
    ...(facts.interruptions !== null && facts.interruptions > 0 ? [INTERRUPTED] : []),
    ...(facts.source === "simulation" ? [SIMULATION] : []),
    ...POWERS.filter((ms) => ms < (facts.slowestMs ?? 0)).map(slower),
  ];
  return [...terms, ...new Set(named.map((name) => factTerm(project, name)))];
}

/** Returns terms that every conversation has that matches the filters. */
export function termsOfFilters(project: number, filters: TraceFilters): number[] {
  const { search, tool, quality, slowerThanMs } = filters;
  const trigrams = search === undefined ? [] : trigramsOf([searchText(search)]).slice(0, SEARCH_TERMS_MAX);
  const named = [
    ...(tool === undefined ? [] : [`tool ${tool}`]),
    ...(quality === undefined ? [] : [`quality ${quality}`]),
    ...(filters.status === "error" ? [ERROR] : []),
    ...(filters.interrupted === true ? [INTERRUPTED] : []),
    ...(filters.source === "simulation" ? [SIMULATION] : []),
    ...POWERS.filter((ms) => ms <= (slowerThanMs ?? 0))
      .slice(-1)
      .map(slower),
  ];
  return [...trigrams.map((trigram) => trigramTerm(project, trigram)), ...named.map((name) => factTerm(project, name))];
}

const ERROR = "error";
const INTERRUPTED = "interrupted";
const SIMULATION = "simulation";

/** Latencies in milliseconds that have terms. */
const POWERS = Array.from({ length: 40 }, (_, power) => 2 ** power);
const slower = (ms: number) => `slower ${ms}`;

const marks = new Uint8Array(TRIGRAMS / 8);

/** Returns the trigrams of the texts, each once. */
function trigramsOf(texts: readonly (string | null)[]): number[] {
  const trigrams: number[] = [];
  for (const text of texts)
    eachTrigram(text ?? "", (trigram) => {
      const bit = 1 << (trigram & 7);
      if ((marks[trigram >> 3]! & bit) !== 0) return;
      marks[trigram >> 3]! |= bit;
      trigrams.push(trigram);
    });
  for (const trigram of trigrams) marks[trigram >> 3] = 0;
  return trigrams;
}

/** Returns different terms for the trigrams of one project, and mostly others for those of another. */
const trigramTerm = (project: number, trigram: number) =>
  Math.imul(trigram ^ Math.imul(project, 0x85ebca6b), 0x9e3779b1);

function factTerm(project: number, name: string): number {
  let hash = Math.imul(project, 0x85ebca6b) ^ 0x811c9dc5;
  for (const code of Buffer.from(name.replaceAll("\0", "\uFFFD"))) hash = Math.imul(hash ^ code, 0x01000193);
  return hash;
}
