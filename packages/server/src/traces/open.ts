import { LIMITS, type TraceSummary } from "@svc/contract";
import type { FindProjects } from "../access/projects.ts";
import type { Conditions } from "../base/conditions.ts";
import type { Config } from "../base/config/config.ts";
import type { Log } from "../base/log/log.ts";
import type { Db } from "../stores/relational.ts";
import { createDeletedConversations } from "./erasure/deleted-conversations.ts";
import { countedIntake } from "./intake/counted-intake.ts";
import { openIntake } from "./intake/intake.ts";
import { createReadWaits } from "./intake/read-waits.ts";
import { createJournalDamage } from "./journal/damage.ts";
import { journalBytes, journalDir } from "./journal/segments.ts";
import { hintOnOtherSignals } from "./otlp/respond.ts";
import { presentSummary } from "./present.ts";
import { watchReadingLag } from "./reading-lag.ts";
import { type DeletesConversations, type OtherRecords, traceRoutes } from "./routes.ts";
import { traceIdOf } from "./rules.ts";
import { listVersionAttributes } from "./store/deletions.ts";
import { openClickHouseTraces, openTraceStore } from "./store/open.ts";
import type { SpanLoader, TraceReader } from "./store/trace-store.ts";

/**
 * Opens the trace store in its own thread. At the same time, once the data folder is locked, `meanwhile` opens the other stores and returns
 * the relational store.
 */
export async function openTraces({ dataDir }: Config, log: Log, conditions: Conditions, meanwhile?: () => Promise<Db>) {
  const damage = createJournalDamage(dataDir, conditions, log);
  let db: Db | undefined;
  const store = await openTraceStore({
    dataDir,
    log,
    conditions,
    onDamagedRecord: damage.examine,
    ...(meanwhile && { meanwhile: async () => void (db = await meanwhile()) }),
  });
  const { loader } = store;
  // Must run before the journal is loaded: a trace store that is built again does not yet have the projects' attributes for the agent's
  // version.
  if (db !== undefined) await setVersionAttributes(db, { loader });
  const deleted = createDeletedConversations();
  const intake = await openIntake({ dataDir, loader, log, conditions, damage, deleted });
  const journal: JournalProgress = {
    lastRecord: intake.acknowledgedLsn,
    waitingBodies: () => Math.max(0, intake.acknowledgedLsn() - loader.loadedLsn()),
    waitingBytes: () => loader.inFlight().bytes,
    bytes: () => journalBytes(journalDir(dataDir)),
  };
  return createTraces({ ...store, engine: "duckdb", intake, deleted, damage, journal }, log, conditions);
}

export const setVersionAttributes = async (db: Db, { loader }: { loader: Pick<SpanLoader, "setVersionAttributes"> }) =>
  loader.setVersionAttributes(await listVersionAttributes(db));

type JournalProgress = {
  lastRecord: () => number;
  /** Returns the number of acknowledged bodies whose spans are not stored yet. */
  waitingBodies: () => number;
  waitingBytes: () => number;
  /** The size of the journal on disk. */
  bytes: () => Promise<number>;
};

/** Opens the trace store in ClickHouse, which several processes share; `db` is on PostgreSQL. */
export async function openSharedTraces(
  { dataDir }: Config,
  log: Log,
  conditions: Conditions,
  { url, db }: { url: string; db: Db },
): Promise<Traces> {
  const deleted = createDeletedConversations();
  const store = await openClickHouseTraces({ url, db, log, deleted, dataDir });
  const damage = createJournalDamage(dataDir, conditions, log);
  return createTraces({ ...store, engine: "clickhouse", deleted, damage }, log, conditions);
}

type Parts = Awaited<ReturnType<typeof openClickHouseTraces>> & {
  engine: "duckdb" | "clickhouse";
  deleted: ReturnType<typeof createDeletedConversations>;
  damage: ReturnType<typeof createJournalDamage>;
  /** Undefined for ClickHouse, where spans are in the database before they are acknowledged. */
  journal?: JournalProgress;
};

function createTraces(
  { engine, reader, loader, eraser, exporter, intake: uncounted, deleted, damage, journal, close }: Parts,
  log: Log,
  conditions: Conditions,
) {
  const { intake, counts } = countedIntake(uncounted);
  const closing = new AbortController();
  watchReadingLag(loader, conditions, log, closing.signal);
  const waits = createReadWaits(intake, loader, reader);
  return {
    engine,
    hintOf: hintOnOtherSignals,
    reader,
    loader,
    intake,
    eraser,
    exporter,
    deleted,
    damage,
    changes: createConversationChanges(reader, loader),
    progress: { counts, journal, readingLagMs: loader.readingLagMs },
    reachable: loader.reachable,
    projectsOf: { trace: createFindProjects(reader) },
    routes: (records: OtherRecords, erasure: DeletesConversations) =>
      traceRoutes(intake, reader, loader, waits, records, erasure),
    async close(): Promise<void> {
      closing.abort();
      await intake.close();
      await close();
    },
  };
}

export type Traces = ReturnType<typeof createTraces>;

type ConversationChanges = {
  onChange: (listener: () => void) => () => void;
  newest: (project: number) => Promise<bigint>;
  /**
   * Each derived conversation gets the next number. Returns the conversations with a number above `after`, newest first, and the
   * newest number.
   */
  since: (project: number, after: bigint) => Promise<{ traces: TraceSummary[]; isMore: boolean; last: bigint }>;
};

const createConversationChanges = (
  reader: Pick<TraceReader, "readSince">,
  loader: Pick<SpanLoader, "onProgress">,
): ConversationChanges => ({
  onChange: loader.onProgress,
  newest: async (project) => (await reader.readSince(project, 2n ** 62n, 0)).last,
  async since(project, after) {
    const { rows, ...rest } = await reader.readSince(project, after, LIMITS.conversationsPerChange);
    const nowMs = Date.now();
    return { traces: rows.map((row) => presentSummary(row, nowMs)), ...rest };
  },
});

/** Several projects may have a trace with the same id. */
const createFindProjects =
  (reader: TraceReader): FindProjects =>
  async (id, projects) => {
    const traceId = traceIdOf(id);
    if (traceId === undefined) return [];
    const holders = await reader.findProjects(
      projects.map(({ number }) => number),
      traceId,
    );
    return projects.filter(({ number }) => holders.includes(number)).map((project) => project.id);
  };
