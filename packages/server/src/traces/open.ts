import type { Conditions } from "../base/conditions.ts";
import type { Config } from "../base/config/config.ts";
import type { Log } from "../base/log/log.ts";
import type { Db } from "../stores/relational.ts";
import { createConversationChanges } from "./conversation/conversation-changes.ts";
import { createFindProjects } from "./find-projects.ts";
import { createDeletedConversations } from "./erasure/deleted-conversations.ts";
import { createJournalDamage } from "./journal/damage.ts";
import { openIntake } from "./intake/intake.ts";
import { type DeletesConversations, type OtherRecords, traceRoutes } from "./routes.ts";
import { hintOnOtherSignals } from "./otlp/other-signals.ts";
import { createReadWaits } from "./intake/read-waits.ts";
import { watchReadingLag } from "./reading-lag.ts";
import { openClickHouseTraces, openTraceStore } from "./store/open.ts";

/**
 * Opens the trace store and the journal. `meanwhile` opens the other stores: the data directory is locked then, and the trace store
 * opens in its own thread.
 */
export async function openTraces(
  { dataDir }: Config,
  log: Log,
  conditions: Conditions,
  meanwhile?: () => Promise<void>,
) {
  const damage = createJournalDamage(dataDir, conditions, log);
  const store = await openTraceStore({
    dataDir,
    log,
    conditions,
    onDamagedRecord: damage.examine,
    ...(meanwhile && { meanwhile }),
  });
  const { loader } = store;
  const deleted = createDeletedConversations();
  const intake = await openIntake({ dataDir, loader, log, conditions, damage, deleted });
  return createTraces({ ...store, engine: "duckdb", intake, deleted, damage }, log, conditions);
}

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
  /** The program behind the trace store. */
  engine: "duckdb" | "clickhouse";
  deleted: ReturnType<typeof createDeletedConversations>;
  damage: ReturnType<typeof createJournalDamage>;
};

function createTraces(
  { engine, reader, loader, eraser, exporter, intake, deleted, damage, close }: Parts,
  log: Log,
  conditions: Conditions,
) {
  const closing = new AbortController();
  watchReadingLag(loader, conditions, log, closing.signal);
  const waits = createReadWaits(intake, loader, reader);
  return {
    engine,
    hintOf: hintOnOtherSignals,
    reader,
    intake,
    eraser,
    exporter,
    deleted,
    damage,
    changes: createConversationChanges(reader, loader),
    /** Returns false once the trace store has failed or is closing. */
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
