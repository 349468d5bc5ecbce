import type { Log } from "../../../base/log/log.ts";
import type { Db } from "../../../stores/relational.ts";
import { createJournalVersion } from "../journal-version.ts";
import type { DeletedConversations } from "../../erasure/deleted-conversations.ts";
import type { Intake } from "../../intake/intake.ts";
import { createConversationReads } from "../conversations.ts";
import { listVersionAttributes } from "../deletions.ts";
import { openPresenter } from "../presenter/thread-client.ts";
import { findVersionConversations, listAgentVersions, setVersionAttributes } from "../index/agent-versions.ts";
import { countConversations, countEndings, isIndexed, listCounted } from "../index/counts.ts";
import { listConversations } from "../index/list.ts";
import { listTurns } from "../index/list-turns.ts";
import { startReadingLoop } from "../index/reading-loop.ts";
import { createReadingWaits } from "../index/reading-waits.ts";
import { findProjects, findSummary, lastOfAgents, lastSentMs, readSince } from "../index/reads.ts";
import { markForRemap } from "../index/remap.ts";
import { prepareIndex } from "../index/schema.ts";
import type { TraceKey } from "../index/writes.ts";
import type { WriteParquet } from "../export-rows.ts";
import type { ReadingProgress, TraceEraser, TraceExporter, TraceReader } from "../trace-store.ts";
import { openClickHouse, type ClickHouse } from "./client.ts";
import { createConversationReader } from "./conversation-reader.ts";
import { createClickHouseEraser } from "./erase.ts";
import { createClickHouseExporter } from "./export.ts";
import { createClickHouseIntake } from "./intake.ts";
import { countOccurrences, listInSamples, readSpread } from "./counted.ts";
import { countToolCalls, readMetrics } from "./metrics.ts";
import { samplesOfKeys } from "./samples-of-keys.ts";
import { createFindConversation, countSpans } from "./spans.ts";
import { prepareClickHouse } from "./schema.ts";
import { every } from "../../../base/async/every.ts";

export type ClickHouseOptions = {
  /** The address of ClickHouse's HTTP interface, with the database as its path. */
  url: string;
  /** On PostgreSQL. */
  db: Db;
  log: Log;
  deleted: DeletedConversations;
  /** Contains nothing about conversations. */
  dataDir: string;
  writeParquet: WriteParquet;
};

export type ClickHouseStore = {
  reader: TraceReader;
  eraser: TraceEraser;
  exporter: TraceExporter;
  loader: ReadingProgress;
  intake: Intake;
  close: () => Promise<void>;
};

/**
 * Opens the trace store in ClickHouse, with the index of its traces and conversations in PostgreSQL. Any number of processes can
 * share one store. Each process stores the bodies that it receives, and derives conversations that wait.
 */
export async function openClickHouseStore({
  url,
  db,
  log,
  deleted,
  dataDir,
  writeParquet,
}: ClickHouseOptions): Promise<ClickHouseStore> {
  const clickHouse = await openClickHouse(url);
  try {
    await prepareClickHouse(clickHouse);
  } catch (error) {
    await clickHouse.close();
    const { host, pathname } = new URL(url);
    const { message } = ((error as Error).cause ?? error) as Error;
    throw new Error(
      `ClickHouse at ${host}${pathname} cannot be used: ${message} Start it, or correct SVC_CLICKHOUSE_URL.`,
      { cause: error },
    );
  }
  await prepareIndex(db);
  await setVersionAttributes(db, await listVersionAttributes(db));
  const conversations = createConversationReader(clickHouse, db, log);
  const loop = startReadingLoop(db, conversations.readRound, log);
  const count = (traces: readonly TraceKey[]) => countSpans(clickHouse, traces);
  const eraser = createClickHouseEraser(clickHouse, db, onStored);
  const { erase } = eraser;
  const intake = createClickHouseIntake({ clickHouse, db, deleted, erase, onStored, drain: loop.drain });
  const presenter = openPresenter({ dataDir, journalVersion: createJournalVersion() }, log, () => {});
  const exporter = createClickHouseExporter(clickHouse, db, writeParquet);
  const reachability = watchReachability(clickHouse);

  function onStored(): void {
    loop.wake();
    loop.notify();
  }

  const reader: TraceReader = {
    ...createConversationReads(createFindConversation(clickHouse, db, loop.wake), presenter),
    areRead: createReadingWaits(db, loop.wake),
    list: (request) => listConversations(count, db, request),
    listTurns: (request) => listTurns(db, request),
    findSummary: (project, traceId) => findSummary(count, db, project, traceId),
    findProjects: (projects, traceId) => findProjects(db, projects, traceId),
    metrics: (request) => readMetrics(clickHouse, request),
    countConversations: (period) => countConversations(db, period),
    countEndings: (period) => countEndings(db, period),
    countToolCalls: (period) => countToolCalls(clickHouse, period),
    listCounted: (request) => (isIndexed(request) ? listCounted(db, request) : listInSamples(clickHouse, db, request)),
    countOccurrences: (period) => countOccurrences(clickHouse, period),
    readSpread: (request) => readSpread(clickHouse, request),
    listAgentVersions: (project, agents) => listAgentVersions(db, project, agents),
    async readVersion(request) {
      const { total, conversations } = await findVersionConversations(db, request);
      const keys = conversations.map(({ key }) => key);
      const read = await samplesOfKeys(clickHouse, request.project, keys);
      return { total, conversations: conversations.map(({ names, hasErrors }) => ({ names, hasErrors })), ...read };
    },
    readSince: (project, after, limit) => readSince(count, db, project, after, limit),
    remap: (project, all) => markForRemap(db, project, all).finally(loop.wake),
    lastSentMs: (project) => lastSentMs(db, project),
    lastOfAgents: (project, agents) => lastOfAgents(db, project, agents),
  };

  return {
    reader,
    intake,
    eraser,
    exporter,
    loader: {
      commitSoon: () => undefined,
      loadedLsn: () => Number.POSITIVE_INFINITY,
      readingLagMs: loop.lagMs,
      onProgress: loop.onProgress,
      reachable: reachability.reachable,
      setVersionAttributes: (attributes) => setVersionAttributes(db, attributes),
      drain: loop.drain,
    },
    async close() {
      await exporter.close();
      await intake.close();
      await loop.close();
      await conversations.close();
      await presenter.close();
      reachability.close();
      await clickHouse.close();
    },
  };
}

const CHECK_MS = 2_000;

/** `reachable` returns the result of the last check. */
function watchReachability(clickHouse: Pick<ClickHouse, "answers">) {
  const closing = new AbortController();
  let answers = true;
  const check = async () => {
    answers = await clickHouse.answers();
  };
  every(CHECK_MS, check, closing.signal, () => (answers = false));
  return { reachable: () => answers && !closing.signal.aborted, close: () => closing.abort() };
}
