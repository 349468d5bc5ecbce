import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { searchText } from "../../../stores/search-text.ts";
import { inTransaction } from "./transaction.ts";
import {
  LACKS_TERMS,
  SEARCH_PARTS_MAX,
  type SearchedConversation,
  type SearchIndex,
  searchedTexts,
  wordsOf,
  wordsOfFilters,
} from "./search-words.ts";

// The search index on PostgreSQL. Words and trigrams of ASCII characters are numbers in an array column with an inverted index. Two
// words or trigrams may have the same number. The extension pg_trgm is not used, because it would update its index with every change
// of a row, and depends on the database's locale.

const CONVERSATIONS_AT_ONCE = 200;

export const SEARCH_BY_TERMS: SearchIndex = {
  async store(tx, conversations) {
    if (conversations.length === 0) return;
    const rows = conversations.map((one) => ({ project: one.project, key: one.key, terms: termsOf(one) }));
    await sql`
      INSERT INTO conversation_terms (project, key, terms) SELECT project, key, terms FROM ${rowsOf(rows)}
      ON CONFLICT (project, key) DO UPDATE SET terms = excluded.terms WHERE conversation_terms.terms <> excluded.terms`.execute(
      tx,
    );
  },
  async remove(tx, keys) {
    if (keys.length === 0) return;
    await sql`DELETE FROM conversation_terms WHERE (project, key) IN (SELECT project, key FROM ${rowsOf(keys)})`.execute(
      tx,
    );
  },
  candidates(project, filters) {
    const trigrams =
      filters.search === undefined ? [] : trigramsOf([searchText(filters.search)]).slice(0, SEARCH_PARTS_MAX);
    const terms = [
      ...trigrams.map((trigram) => trigramTerm(project, trigram)),
      ...wordsOfFilters(filters).map((word) => wordTerm(project, word)),
    ];
    if (terms.length === 0) return undefined;
    // With OFFSET, the planner uses the inverted index. Without OFFSET, it would scan the conversations in the order of a page.
    const conversations = sql`(
      SELECT c.* FROM conversation_terms t JOIN conversations c ON c.project = t.project AND c.key = t.key
      WHERE t.project = ${project} AND t.terms @> ${terms}::integer[] AND c.terms_change = c.change
      UNION ALL SELECT * FROM conversations WHERE project = ${project} AND ${sql.raw(LACKS_TERMS)}
      OFFSET 0)`;
    return () => Promise.resolve(conversations);
  },
};

const rowsOf = (rows: readonly object[]): RawBuilder<unknown> => sql`(
  SELECT project, key COLLATE "C" AS key, terms
  FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r(project integer, key text, terms integer[])) r`;

type UnindexedRow = Omit<SearchedConversation, "texts" | "names"> &
  Record<"transcript" | "read_names" | "agent" | "conversation" | "root_name", string | null>;

/** Stores terms for the next conversations that a version without terms has derived. */
export const addMissingTerms = (db: Db): Promise<number> =>
  inTransaction(db, async (tx) => {
    const { rows } = await sql<UnindexedRow>`
      SELECT project, key, transcript, names AS read_names, agent, conversation, root_name, source, coalesce(errors, 0) AS errors,
        interruptions, coalesce(latency_max, text_response_max) AS "slowestMs", coalesce(tools, '{}') AS tools, quality
      FROM conversations WHERE ${sql.raw(LACKS_TERMS)} AND read_change = change
      LIMIT ${CONVERSATIONS_AT_ONCE} FOR UPDATE SKIP LOCKED`.execute(tx);
    if (rows.length === 0) return 0;
    const conversations = rows.map((row) => ({
      ...row,
      texts: [row.transcript, row.read_names],
      names: [row.agent, row.conversation, row.root_name],
    }));
    await SEARCH_BY_TERMS.store(tx, conversations);
    const keys = rows.map(({ project, key }) => ({ project, key }));
    await sql`UPDATE conversations SET terms_change = change WHERE (project, key) IN (SELECT project, key FROM ${rowsOf(keys)})`.execute(
      tx,
    );
    return rows.length;
  });

function termsOf(conversation: SearchedConversation): number[] {
  const { project } = conversation;
  const words = wordsOf(conversation).map((word) => wordTerm(project, word));
  return [...trigramsOf(searchedTexts(conversation)).map((trigram) => trigramTerm(project, trigram)), ...words];
}

const NO_ASCII = 128;
/** The number of possible trigrams of ASCII characters. */
const TRIGRAMS = 1 << 21;
const marks = new Uint8Array(TRIGRAMS / 8);

/** Returns the trigrams of the texts, without duplicates: three adjacent printable ASCII characters. */
function trigramsOf(texts: readonly string[]): number[] {
  const trigrams: number[] = [];
  for (const text of texts) {
    let [before, last] = [NO_ASCII, NO_ASCII];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const next = code < 32 ? NO_ASCII : code; // a search for several lines can match across names, at a line break
      if ((before | last | next) < NO_ASCII) take((before << 14) | (last << 7) | next);
      [before, last] = [last, next];
    }
  }
  for (const trigram of trigrams) marks[trigram >> 3] = 0;
  return trigrams;

  function take(trigram: number): void {
    const bit = 1 << (trigram & 7);
    if ((marks[trigram >> 3]! & bit) !== 0) return;
    marks[trigram >> 3]! |= bit;
    trigrams.push(trigram);
  }
}

/**
 * Returns the number that stands for a trigram in the search index. Two trigrams of a project never have the same number. In
 * another project, a trigram mostly has another number.
 */
const trigramTerm = (project: number, trigram: number) =>
  Math.imul(trigram ^ Math.imul(project, 0x85ebca6b), 0x9e3779b1);

function wordTerm(project: number, word: string): number {
  let hash = Math.imul(project, 0x85ebca6b) ^ 0x811c9dc5;
  for (const code of Buffer.from(word.replaceAll("\0", "\uFFFD"))) hash = Math.imul(hash ^ code, 0x01000193);
  return hash;
}
