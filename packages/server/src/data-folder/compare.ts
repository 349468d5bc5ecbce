import { setTimeout as delay } from "node:timers/promises";
import { createConditions } from "../conditions.ts";
import { readConfig } from "../config.ts";
import { unavailable } from "../errors.ts";
import { listProjects } from "../exports/store.ts";
import { createLog } from "../log.ts";
import { countRows, tablesToCopy } from "../stores/copied-rows.ts";
import type { Db } from "../stores/relational.ts";
import type { DeletedConversations } from "../traces/erasure/deleted-conversations.ts";
import { deletedBy } from "../traces/journal-spans.ts";
import { openSharedTraces, openTraces, type Traces } from "../traces/open.ts";
import { createDeletionStore } from "../traces/store/deletions.ts";
import type { TraceReader } from "../traces/store/trace-store.ts";
import type { TraceSummaryRow } from "../traces/summary-row.ts";
import type { Progress } from "./refusal.ts";
import type { SourceCopy } from "./source-copy.ts";

/** A number in the data folder and in the databases. */
export type ComparedCount = { name: string; folder: number; databases: number };

export type Comparison = {
  counts: ComparedCount[];
  /** One sentence for each difference, at most `DIFFERENCES_MAX`. */
  differences: string[];
};

const DIFFERENCES_MAX = 100;
const SILENT_SECONDS_MAX = 60;
const PAGE = 500;

/**
 * Compares the numbers of rows of every table, of conversations and spans of every project, and the counts of each conversation's
 * reading: turns, tool calls, errors, latencies, interruptions and quality notes.
 */
export async function compareStores(
  source: SourceCopy,
  clickHouseUrl: string,
  db: Db,
  progress: Progress,
): Promise<Comparison> {
  const { engine } = source.relational.embedded;
  const counts: ComparedCount[] = [];
  const differences: string[] = [];
  const add = (count: ComparedCount): void => {
    counts.push(count);
    const { name, folder, databases } = count;
    if (folder !== databases) differences.push(`${name}: ${folder} in the folder, ${databases} in the databases`);
  };
  for (const { table, embedded, postgres } of await countRows(engine, db, tablesToCopy(engine)))
    add({ name: `rows of ${table}`, folder: embedded, databases: postgres });

  const log = createLog("silent");
  const conditions = createConditions(log);
  const config = readConfig({ SVC_DATA_DIR: source.dataDir });
  const embedded = await openTraces(config, log, conditions);
  try {
    const ended = new AbortController();
    const shared = await openSharedTraces(config, log, conditions, { url: clickHouseUrl, db });
    try {
      const projects = await listProjects(db);
      const deleted = deletedBy(await createDeletionStore(db).listDigests());
      progress("Reading the conversations of the folder");
      for (const { number } of projects) await embedded.reader.remap(number, false);
      await embedded.intake.drain();
      progress("Reading the conversations of the databases");
      await Promise.race([shared.intake.drain(), silenceOf(shared, ended.signal)]);
      for (const { id, number } of projects) {
        progress(`Comparing the conversations of ${id}`);
        const compared = await compareProject(embedded.reader, shared.reader, number, deleted);
        add({ name: `conversations of ${id}`, ...compared.conversations });
        add({ name: `spans of ${id}`, ...compared.spans });
        differences.push(...compared.differences.map((difference) => `${id}: ${difference}`));
      }
    } finally {
      ended.abort();
      await shared.close();
    }
  } finally {
    await embedded.close();
  }
  return { counts, differences: differences.slice(0, DIFFERENCES_MAX) };
}

/** Rejects when the trace store has not answered for a while, because its readings wait for it without an end. */
async function silenceOf({ reachable }: Pick<Traces, "reachable">, signal: AbortSignal): Promise<void> {
  for (let silentSeconds = 0; silentSeconds < SILENT_SECONDS_MAX;) {
    await delay(1_000, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    silentSeconds = reachable() ? 0 : silentSeconds + 1;
  }
  throw unavailable("ClickHouse does not answer.", SILENT_SECONDS_MAX);
}

async function compareProject(
  embedded: TraceReader,
  shared: TraceReader,
  project: number,
  deleted: DeletedConversations,
) {
  const conversations = { folder: 0, databases: 0 };
  const spans = { folder: 0, databases: 0 };
  const differences: string[] = [];
  const note = (difference: string): void => {
    if (differences.length < DIFFERENCES_MAX) differences.push(difference);
  };
  // The service finishes the erasure of such a conversation on the databases.
  const isLeftOut = ({ traceIds, conversation }: TraceSummaryRow) =>
    deleted.isDeleted(project, { traceIds, names: conversation === null ? [] : [conversation] });
  async function* ofFolder(): AsyncGenerator<TraceSummaryRow, undefined> {
    for await (const row of summariesOf(embedded, project)) {
      if (isLeftOut(row)) continue;
      conversations.folder++;
      spans.folder += row.spans;
      yield row;
    }
  }
  async function* ofDatabases(): AsyncGenerator<TraceSummaryRow, undefined> {
    for await (const row of summariesOf(shared, project)) {
      conversations.databases++;
      spans.databases += row.spans;
      yield row;
    }
  }
  const [ours, theirs] = [ofFolder(), ofDatabases()];
  const next = async (rows: AsyncGenerator<TraceSummaryRow, undefined>) => (await rows.next()).value;
  let [our, their] = [await next(ours), await next(theirs)];
  while (our !== undefined || their !== undefined) {
    const order = our === undefined ? 1 : their === undefined ? -1 : compareOrder(our, their);
    if (order < 0) note(`the conversation of trace ${our!.traceId} is missing in the databases`);
    if (order > 0) note(`the conversation of trace ${their!.traceId} is only in the databases`);
    if (order === 0) {
      const [inFolder, inDatabases] = [countsOf(our!), countsOf(their!)];
      if (inFolder !== inDatabases)
        note(
          `the conversation of trace ${our!.traceId} has ${inFolder} in the folder, ${inDatabases} in the databases`,
        );
    }
    if (order <= 0) our = await next(ours);
    if (order >= 0) their = await next(theirs);
  }
  return { conversations, spans, differences };
}

/** The order of `summariesOf`. */
const compareOrder = (one: TraceSummaryRow, other: TraceSummaryRow): number =>
  one.startedNs !== other.startedNs
    ? one.startedNs < other.startedNs
      ? -1
      : 1
    : one.traceId < other.traceId
      ? -1
      : Number(one.traceId > other.traceId);

async function* summariesOf(reader: TraceReader, project: number): AsyncGenerator<TraceSummaryRow, undefined> {
  const request = { project, limit: PAGE, sort: { by: "startedAt", descending: false }, filters: {} } as const;
  let page = await reader.list({ ...request, after: undefined });
  for (;;) {
    yield* page.rows;
    if (page.next === null) return undefined;
    page = await reader.list({ ...request, after: page.next });
  }
}

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
