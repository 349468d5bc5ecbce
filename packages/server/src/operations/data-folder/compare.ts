import { listProjects } from "../exports/store.ts";
import { countRows, tablesToCopy } from "../../stores/copied-rows.ts";
import type { Db, Embedded } from "../../stores/relational.ts";
import type { DeletedConversations } from "../../traces/erasure/deleted-conversations.ts";
import { deletedBy } from "../../traces/journal/journal-spans.ts";
import { createDeletionStore } from "../../traces/store/deletions.ts";
import type { TraceReader } from "../../traces/store/trace-store.ts";
import type { TraceSummaryRow } from "../../traces/summary-row.ts";
import type { Progress } from "./refusal.ts";

type ComparedCount = { name: string; folder: number; databases: number };

export type Comparison = {
  counts: ComparedCount[];
  /** One sentence for each difference; at most `DIFFERENCES_MAX`. */
  differences: string[];
  /**
   * Number of conversations that the service on the databases has not derived from all their spans. Their turns and measures are
   * not compared.
   */
  unread: number;
};

type Conversations = Pick<TraceReader, "list">;

/**
 * The two stores to compare. In the folder, all conversations must have been derived. When `made` is `databases`, this also applies
 * to the databases.
 */
type ComparedStores = {
  engine: Embedded["engine"];
  db: Db;
  folder: Conversations;
  databases: Conversations;
  made: "folder" | "databases";
};

const DIFFERENCES_MAX = 100;
const PAGE = 500;

/**
 * Compares the number of rows of each table, and the number of conversations and spans of each project. For each conversation, compares
 * turns, tool calls, errors, latencies, interruptions and quality notes.
 */
export async function compareStores(stores: ComparedStores, progress: Progress): Promise<Comparison> {
  const { engine, db } = stores;
  const counts: ComparedCount[] = [];
  const differences: string[] = [];
  const add = (count: ComparedCount): void => {
    counts.push(count);
    const { name, folder, databases } = count;
    if (folder !== databases) differences.push(`${name}: ${folder} in the folder, ${databases} in the databases`);
  };
  for (const { table, embedded, postgres } of await countRows(engine, db, tablesToCopy(engine)))
    add({ name: `rows of ${table}`, folder: embedded, databases: postgres });
  const deleted = deletedBy(await createDeletionStore(db).listDigests());
  let unread = 0;
  for (const { id, number } of await listProjects(db)) {
    progress(`Comparing the conversations of ${id}`);
    const compared = await compareProject(stores, number, deleted);
    add({ name: `conversations of ${id}`, ...compared.conversations });
    add({ name: `spans of ${id}`, ...compared.spans });
    differences.push(...compared.differences.map((difference) => `${id}: ${difference}`));
    unread += compared.unread;
  }
  return { counts, differences: differences.slice(0, DIFFERENCES_MAX), unread };
}

async function compareProject(
  { folder, databases, made }: ComparedStores,
  project: number,
  deleted: DeletedConversations,
) {
  const conversations = { folder: 0, databases: 0 };
  const spans = { folder: 0, databases: 0 };
  const differences: string[] = [];
  let unread = 0;
  const note = (difference: string): void => {
    if (differences.length < DIFFERENCES_MAX) differences.push(difference);
  };
  // Returns whether a conversation is deleted but not completely erased yet. The source still contains such a conversation, but the copy
  // does not.
  const isLeftOut = ({ traceIds, conversation }: TraceSummaryRow) =>
    deleted.isDeleted(project, { traceIds, names: conversation === null ? [] : [conversation] });
  async function* countedIn(of: "folder" | "databases"): AsyncGenerator<TraceSummaryRow, undefined> {
    for await (const row of summariesOf(of === "folder" ? folder : databases, project)) {
      if (of !== made && isLeftOut(row)) continue;
      conversations[of]++;
      spans[of] += row.spans;
      yield row;
    }
  }
  const [ours, theirs] = [countedIn("folder"), countedIn("databases")];
  const next = async (rows: AsyncGenerator<TraceSummaryRow, undefined>) => (await rows.next()).value;
  let [our, their] = [await next(ours), await next(theirs)];
  while (our !== undefined || their !== undefined) {
    const order = our === undefined ? 1 : their === undefined ? -1 : compareOrder(our, their);
    if (order < 0) note(`the conversation of trace ${our!.traceId} is missing in the databases`);
    if (order > 0) note(`the conversation of trace ${their!.traceId} is only in the databases`);
    if (order === 0) {
      const isUnread = made === "folder" && !their!.isRead;
      if (isUnread) unread++;
      const [inFolder, inDatabases] = [our!, their!].map(isUnread ? sumsOf : countsOf);
      if (inFolder !== inDatabases)
        note(
          `the conversation of trace ${our!.traceId} has ${inFolder} in the folder, ${inDatabases} in the databases`,
        );
    }
    if (order <= 0) our = await next(ours);
    if (order >= 0) their = await next(theirs);
  }
  return { conversations, spans, differences, unread };
}

/** Compares two conversations in the order in which `summariesOf` yields them. */
const compareOrder = (one: TraceSummaryRow, other: TraceSummaryRow): number =>
  one.startedNs !== other.startedNs
    ? one.startedNs < other.startedNs
      ? -1
      : 1
    : one.traceId < other.traceId
      ? -1
      : Number(one.traceId > other.traceId);

async function* summariesOf(reader: Conversations, project: number): AsyncGenerator<TraceSummaryRow, undefined> {
  const request = { project, limit: PAGE, sort: { by: "startedAt", descending: false }, filters: {} } as const;
  let page = await reader.list({ ...request, after: undefined });
  for (;;) {
    yield* page.rows;
    if (page.next === null) return undefined;
    page = await reader.list({ ...request, after: page.next });
  }
}

const sumsOf = ({ traces, spans, errors }: TraceSummaryRow): string => JSON.stringify({ traces, spans, errors });

const countsOf = (row: TraceSummaryRow): string =>
  JSON.stringify({
    traces: row.traces,
    spans: row.spans,
    errors: row.errors,
    turns: row.turns,
    toolCalls: row.toolCalls,
    latency: row.latency,
    textResponse: row.textResponse,
    interruptions: row.interruptions,
    qualityTopics: row.qualityTopics?.toSorted() ?? null,
  });
