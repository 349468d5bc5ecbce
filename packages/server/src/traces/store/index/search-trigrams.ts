import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { searchText } from "../../../stores/search-text.ts";
import {
  LACKS_TERMS,
  SEARCH_PARTS_MAX,
  type SearchIndex,
  searchedTexts,
  wordsOf,
  wordsOfFilters,
} from "./search-words.ts";

// The search index on SQLite: FTS5 trigrams, without the texts themselves. A word is stored as a trigram: three characters of the
// private use area, which depend on the hash of the word. The project is also a word, because one index serves all projects.

/** The row of a conversation has the same `rowid` as the conversation. */
export const SEARCH_TABLE = `CREATE VIRTUAL TABLE IF NOT EXISTS search
  USING fts5(text, content = '', contentless_delete = 1, detail = 'none', tokenize = 'trigram case_sensitive 1')`;
export const TRIGRAMS_TABLE = `CREATE VIRTUAL TABLE IF NOT EXISTS search_trigrams USING fts5vocab(search, row)`;

export const SEARCH_BY_TRIGRAMS: SearchIndex = {
  async store(tx, conversations) {
    if (conversations.length === 0) return;
    await SEARCH_BY_TRIGRAMS.remove(tx, conversations);
    const rows = conversations.map((one) => ({ project: one.project, key: one.key, text: indexedText(one) }));
    await sql`
      INSERT INTO search (rowid, text)
      SELECT c.rowid, r.text FROM ${rowsOf(rows)} AS r JOIN conversations AS c ON c.project = r.project AND c.key = r.key`.execute(
      tx,
    );
  },
  async remove(tx, keys) {
    if (keys.length === 0) return;
    await sql`
      DELETE FROM search WHERE rowid IN (
        SELECT c.rowid FROM ${rowsOf(keys)} AS r JOIN conversations AS c ON c.project = r.project AND c.key = r.key)`.execute(
      tx,
    );
  },
  candidates(project, filters) {
    const text = searchText(filters.search ?? null);
    // FTS5 ends a query at NUL.
    const parts = trigramsOf(text).filter((trigram) => !trigram.includes("\0"));
    const words = wordsOfFilters(filters).map(charactersOf);
    const pair = Array.from(text).length === 2 && !text.includes("\0") ? text : undefined;
    if (parts.length + words.length === 0 && pair === undefined) return undefined;
    const all = [charactersOf(`project ${project}`), ...words, ...parts.slice(0, SEARCH_PARTS_MAX)].map(quoted);
    return async (db) => {
      const anyOf = pair === undefined ? [] : await trigramsFrom(db, pair);
      if (anyOf.length > TRIGRAMS_OF_PAIR_MAX) return undefined;
      const query = [...all, ...(pair === undefined ? [] : [`(${[NO_TRIGRAM, ...anyOf].map(quoted).join(" OR ")})`])];
      // Without CROSS JOIN, INDEXED BY and OFFSET, the planner would scan the project's conversations in the order of the page.
      return sql`(
        SELECT c.* FROM search CROSS JOIN conversations AS c ON c.rowid = search.rowid
        WHERE search MATCH ${query.join(" AND ")} AND c.terms_change = c.change
        UNION ALL
        SELECT * FROM conversations INDEXED BY conversations_without_terms
        WHERE project = ${project} AND ${sql.raw(LACKS_TERMS)}
        LIMIT ${ALL} OFFSET 0)`;
    };
  },
};

/** Largest number of trigrams for a search for two characters, which looks up all trigrams that begin with these characters. */
const TRIGRAMS_OF_PAIR_MAX = 200;
/** A trigram that occurs in no text: its characters are Unicode noncharacters. */
const NO_TRIGRAM = "\uFDD0\uFDD0\uFDD0";

/**
 * A text that contains `pair` has a trigram that begins with `pair`, even if the text ends with `pair`, because the
 * index has words after the texts.
 */
async function trigramsFrom(db: Db, pair: string): Promise<string[]> {
  const { rows } = await sql<{ term: string }>`
    SELECT term FROM search_trigrams WHERE term >= ${pair} AND term < ${`${pair}\u{10FFFF}`}
    LIMIT ${TRIGRAMS_OF_PAIR_MAX + 1}`.execute(db);
  return rows.map(({ term }) => term);
}

/** A LIMIT that is larger than the number of conversations in any store. */
const ALL = 2 ** 31;

const rowsOf = (rows: readonly object[]) => sql`(
  SELECT CAST(value ->> 'project' AS INTEGER) AS project, value ->> 'key' AS key, value ->> 'text' AS text
  FROM jsonb_each(${JSON.stringify(rows.map(({ project, key, text }: Partial<IndexedRow>) => ({ project, key, text })))}))`;

type IndexedRow = { project: number; key: string; text: string };

function indexedText(conversation: Parameters<typeof wordsOf>[0]): string {
  const words = [`project ${conversation.project}`, ...wordsOf(conversation)].map(charactersOf);
  return [...searchedTexts(conversation), ...words].join("\n");
}

function trigramsOf(text: string): string[] {
  const characters = Array.from(text);
  const trigrams = characters.slice(2).map((last, at) => `${characters[at]}${characters[at + 1]}${last}`);
  return [...new Set(trigrams)];
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

const PRIVATE_USE = { first: 0xe000, count: 0x1900 };

function charactersOf(word: string): string {
  let [one, other] = [0x811c9dc5, 0x01234567];
  for (const code of Buffer.from(word)) {
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b);
  }
  const codes = [one >>> 0, Math.floor((one >>> 0) / PRIVATE_USE.count), other >>> 0];
  return String.fromCharCode(...codes.map((code) => PRIVATE_USE.first + (code % PRIVATE_USE.count)));
}
