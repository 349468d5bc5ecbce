import { LIMITS } from "@svc/contract/constants";
import { searchText } from "../../../stores/search-text.ts";
import type { TraceFilters, TraceListRequest, TraceSort } from "../../rules.ts";
import type { TracePage } from "../trace-store.ts";
import { type DatabaseConnection, idLiteral, integer, inTransaction, rowsOf } from "./database.ts";
import { hexId } from "../span-row.ts";
import { candidatesFor } from "./signatures.ts";
import { AS_READ, conversationsOf, isNoneOf, SUMMARY_COLUMNS, type SummaryColumns, toSummaryRow } from "./summaries.ts";

/** Unknown values sort below all others; so does an end before the start, which happens when a clock is set back. */
const SORT_KEY: Record<TraceSort["by"], string> = {
  startedAt: "started_ns",
  duration: "CASE WHEN ended_ns >= started_ns THEN ended_ns - started_ns ELSE -1 END",
  latency: `coalesce(round(coalesce(latency_mean, text_response_mean) * 1000)::BIGINT, ${-(2n ** 62n)})`,
  lastReceived: "received_last_ms",
};

type Row = SummaryColumns & { sort_key: bigint };

/** Returns one page: a page of the conversations that are read, merged with a page of those that changed since. */
export async function listTraces(read: DatabaseConnection, request: TraceListRequest): Promise<TracePage> {
  const { limit, sort } = request;
  const { found, total } = await inTransaction(read, () => findPage(read, request));
  found.sort((a, b) => (sort.descending ? compare(b, a) : compare(a, b)));
  const last = found.length > limit ? found[limit - 1] : undefined;
  return {
    rows: found.slice(0, limit).map(toSummaryRow),
    next: last === undefined ? null : { value: String(last.sort_key), traceId: hexId(last.trace_id, 32) },
    total,
  };
}

/**
 * Finds the page with the columns of the filters and the sort only, then reads the other columns of its conversations.
 */
async function findPage(read: DatabaseConnection, { project, limit, sort, after, filters, counts }: TraceListRequest) {
  const values: string[] = [];
  const key = SORT_KEY[sort.by];
  const where = ["true", ...conditionsOf(project, filters, (value) => `$${values.push(value)}`)];
  const matches = where.join(" AND ");
  const [order, beyond] = sort.descending ? ["DESC", "<"] : ["ASC", ">"];
  if (after !== undefined) {
    const value = BigInt(after.value);
    const id = idLiteral(after.traceId, "UHUGEINT");
    where.push(`(${key} ${beyond} ${value} OR (${key} = ${value} AND trace_id ${beyond} ${id}))`);
  }
  const pageOf = (source: string, columns: string, more = 0) =>
    `SELECT ${columns} FROM (${source}) WHERE ${where.join(" AND ")}
     ORDER BY ${key} ${order}, trace_id ${order} LIMIT ${integer(limit) + 1 + more}`;
  const columns = `${SUMMARY_COLUMNS}, ${key} AS sort_key`;
  const candidates = filters.search === undefined ? undefined : await candidatesFor(read, project, filters.search);
  const { asRead, outdated, changed } = await conversationsOf(read, project, candidates);
  // DuckDB skips most blocks for a page of all readings, and none when it has to leave out some: the longer page contains both.
  const ofAll = `${AS_READ} WHERE project = ${integer(project)}`;
  const readings =
    outdated.length === 0 || candidates !== undefined
      ? pageOf(asRead, "reading")
      : `SELECT reading FROM (${pageOf(ofAll, `reading, trace_id, ${key} AS sort_key`, outdated.length)})
         WHERE ${isNoneOf(outdated)} ORDER BY sort_key ${order}, trace_id ${order} LIMIT ${integer(limit) + 1}`;
  const page = await rowsOf<{ reading: bigint }>(read, readings, values);
  const rows = page.length === 0 ? [] : await rowsOf<Row>(read, `SELECT ${columns} FROM (${AS_READ}) ${isOneOf(page)}`);
  const found = changed === null ? rows : [...rows, ...(await rowsOf<Row>(read, pageOf(changed, columns), values))];
  if (!counts) return { found, total: null };
  const total = async (source: string) => {
    const bounded = `SELECT 1 FROM (${source}) WHERE ${matches} LIMIT ${LIMITS.conversationsCounted + 1}`;
    const [row] = await rowsOf<{ total: number }>(read, `SELECT count(*)::INTEGER AS total FROM (${bounded})`, values);
    return row!.total;
  };
  return { found, total: (await total(asRead)) + (changed === null ? 0 : await total(changed)) };
}

/** Returns the condition of the page's readings. Blocks hold ranges of their numbers, so that the range skips most blocks. */
function isOneOf(page: readonly { reading: bigint }[]): string {
  const numbers = page.map(({ reading }) => reading).toSorted((a, b) => (a < b ? -1 : 1));
  return `WHERE reading BETWEEN ${numbers[0]} AND ${numbers.at(-1)} AND reading IN (SELECT unnest([${numbers.join(", ")}]))`;
}

function conditionsOf(project: number, filters: TraceFilters, bind: (value: string) => string): string[] {
  const where: string[] = [];
  if (filters.fromNs !== undefined) where.push(`started_ns >= ${filters.fromNs}`);
  if (filters.toNs !== undefined) where.push(`started_ns < ${filters.toNs}`);
  if (filters.receivedFromMs !== undefined) where.push(`received_last_ms >= ${integer(filters.receivedFromMs)}`);
  if (filters.status !== undefined) where.push(filters.status === "error" ? "errors > 0" : "errors = 0");
  if (filters.source !== undefined) where.push(`source = ${bind(filters.source)}`);
  const ofAgents = filters.withoutAgent === true ? ["agent IS NULL"] : [];
  if (filters.agents !== undefined) ofAgents.push(`agent IN (${filters.agents.map(bind).join(", ")})`);
  if (ofAgents.length > 0) where.push(`(${ofAgents.join(" OR ")})`);
  if (filters.slowerThanMs !== undefined)
    where.push(`coalesce(latency_max, text_response_max) > ${Number(filters.slowerThanMs)}`);
  if (filters.interrupted !== undefined) where.push(filters.interrupted ? "interruptions > 0" : "interruptions = 0");
  if (filters.tool !== undefined)
    where.push(
      `reading IN (SELECT reading FROM tool_calls WHERE project = ${integer(project)} AND tool = ${bind(filters.tool)})`,
    );
  if (filters.quality !== undefined) where.push(`list_contains(string_split(quality, ' '), ${bind(filters.quality)})`);
  if (filters.conversations !== undefined) where.push(isNamed(filters.conversations, bind));
  if (filters.agentNames !== undefined) where.push(`agent IN ${itemsOf(bind(JSON.stringify(filters.agentNames)))}`);
  if (filters.simulations !== undefined)
    where.push(`conversation IN ${itemsOf(bind(JSON.stringify(filters.simulations)))}`);
  if (filters.search !== undefined) where.push(contains(filters.search, bind));
  return where;
}

/** Returns the condition that a conversation has one of the names: the id that its spans name, or the id of its earliest trace. */
function isNamed(names: readonly string[], bind: (value: string) => string): string {
  const traceIds = names.filter((name) => /^[0-9a-f]{32}$/.test(name)).map((name) => `${BigInt(`0x${name}`)}`);
  const byConversation = `conversation IN ${itemsOf(bind(JSON.stringify(names)))}`;
  if (traceIds.length === 0) return byConversation;
  const ids = `(SELECT unnest(from_json(${bind(JSON.stringify(traceIds))}, '["VARCHAR"]'))::UHUGEINT)`;
  return `(${byConversation} OR trace_id IN ${ids})`;
}

const itemsOf = (json: string) => `(SELECT unnest(from_json(${json}, '["VARCHAR"]')))`;

/**
 * The transcript and the names of the reading are stored in the form of `searchText`; the names of the sums are stored as sent,
 * and DuckDB folds their case. An earlier name stays among those of the reading when a stronger one replaces it.
 */
function contains(search: string, bind: (value: string) => string): string {
  const [folded, sent] = [bind(searchText(search)), bind(search)];
  const names = ["agent", "conversation", "root_name"];
  // DuckDB folds each value of a column with few values once. Only a search for two lines can match across names.
  const folds = search.includes("\n") ? [`concat_ws(chr(10), ${names.join(", ")})`] : names;
  const inNames = folds.map((text) => `contains(${fold(text)}, ${fold(sent)})`);
  return `(${["transcript", "names"]
    .map((text) => `contains(${text}, ${folded})`)
    .concat(inNames)
    .join(" OR ")})`;
}

const fold = (text: string) => `lower(nfc_normalize(${text}))`;

function compare(a: Row, b: Row): number {
  if (a.sort_key !== b.sort_key) return a.sort_key < b.sort_key ? -1 : 1;
  return a.trace_id < b.trace_id ? -1 : 1;
}
