import { continueNumbers, copyRows, emptyTables, firstTableWithRows, tablesToCopy } from "../../stores/copied-rows.ts";
import { tryLock } from "../../stores/folder/data-dir-lock.ts";
import {
  beginMove,
  findMove,
  finishMove,
  folderIdOf,
  type MovedFolder,
  noteProgress,
} from "../../stores/folder/moved-folders.ts";
import type { Db } from "../../stores/relational.ts";
import { deletedBy, storeJournalSpans } from "../../traces/journal/journal-spans.ts";
import { journalDir } from "../../traces/journal/segments.ts";
import { createDeletionStore } from "../../traces/store/deletions.ts";
import { openMovedSpans } from "../../traces/store/open.ts";
import type { SpanTarget } from "../../traces/store/trace-store.ts";
import { compareMove } from "./compare-move.ts";
import type { Comparison } from "./compare.ts";
import { type Addresses, onDatabases } from "./databases.ts";
import { requireMovableFolder, requireSecrets } from "./movable.ts";
import { moveRecordings, type MovedRecordings } from "./move-recordings.ts";
import { FolderRefusal, type Progress } from "./refusal.ts";
import { contentIdOf, copySource, type SourceCopy } from "./source-copy.ts";

export type MoveTarget = Addresses & {
  /**
   * `SVC_DATA_DIR` of a process on the databases. That process moves the recordings to its object store. Undefined is only allowed
   * without recordings.
   */
  recordingsTo: string | undefined;
};

export type FolderMove = Comparison & {
  folder: string;
  /** Whether an earlier call had finished the move. In that case this call changed nothing. */
  wasFinished: boolean;
  finishedAt: string | null;
  /** Number of bodies in the journal that cannot be decoded. The service skips them too. */
  unreadableRecords: number;
  recordings: MovedRecordings;
  notes: string[];
};

/**
 * Copies the content of a stopped service's data folder to PostgreSQL and ClickHouse, and compares both. Does not change the original
 * folder. After an interruption, the next call continues the move.
 */
export async function moveDataFolder(
  dataDir: string,
  target: MoveTarget,
  environment: Record<string, string | undefined>,
  progress: Progress,
): Promise<FolderMove> {
  progress("Checking the data folder");
  // Settings for a service that uses the folder instead of the databases.
  const { SVC_DATABASE_URL: _, SVC_CLICKHOUSE_URL: __, ...own } = environment;
  const settings = { ...own, SVC_DATA_DIR: dataDir };
  await requireMovableFolder(dataDir, settings, target.recordingsTo);
  const notes = requireSecrets(dataDir, settings);
  const unlock = tryLock(dataDir);
  if (unlock === undefined)
    throw new FolderRefusal("folder_in_use", `A service runs on ${dataDir}. Stop that service.`);
  try {
    const source = copySource(dataDir);
    try {
      const moved = await moveInto(dataDir, source, target, progress);
      return { ...moved, folder: dataDir, notes };
    } finally {
      await source.close();
    }
  } finally {
    unlock();
  }
}

type Moved = Omit<FolderMove, "folder" | "notes">;

async function moveInto(dataDir: string, source: SourceCopy, target: MoveTarget, progress: Progress): Promise<Moved> {
  const { openPostgres } = await import("../../stores/postgres/postgres.ts");
  const opening = { openRows: (url: string) => openPostgres(url), openSpans: openMovedSpans };
  return onDatabases(target, opening, moveBoth, "it goes on where it was.");

  async function moveBoth(db: Db, spans: SpanTarget): Promise<Moved> {
    const move = await takeTarget(dataDir, source, db, spans);
    if (move.finished_at !== null) {
      const { finished_at: finishedAt, unreadable_records: unreadableRecords } = move;
      const recordings = { copied: 0, present: 0 };
      const comparison = { counts: [], differences: [], unread: 0 };
      return { wasFinished: true, finishedAt, unreadableRecords, recordings, ...comparison };
    }
    const recordings = await moveRecordings(dataDir, target.recordingsTo, progress);
    if (move.rows_moved === 0) await moveRows(source, db, progress);
    const unreadableRecords = await moveSpans(source, move, db, spans, progress);
    const comparison = await compareMove(source, target.clickHouseUrl, db, progress);
    const finishedAt = comparison.differences.length === 0 ? await finishMove(db) : null;
    return { wasFinished: false, finishedAt, unreadableRecords, recordings, ...comparison };
  }
}

/** Returns the move to continue, or a new move to empty databases. Throws when the databases contain other data. */
async function takeTarget(dataDir: string, source: SourceCopy, db: Db, spans: SpanTarget): Promise<MovedFolder> {
  const { engine } = source.relational.embedded;
  const [folder, content] = [folderIdOf(engine), contentIdOf(dataDir)];
  const tables = tablesToCopy(engine);
  const move = await findMove(db);
  if (move === undefined) {
    const table = await firstTableWithRows(db, tables);
    if (table !== undefined) throw notEmpty(`the table ${table} of PostgreSQL has rows`);
    if (!(await spans.isEmpty())) throw notEmpty("ClickHouse has spans");
    return beginMove(db, folder, content);
  }
  if (move.folder !== folder) throw notEmpty("another data folder was moved there");
  if (move.finished_at !== null && move.content !== content) {
    throw new FolderRefusal(
      "folder_changed",
      `${dataDir} was moved to these databases at ${move.finished_at}, and has changed since. Use the service on the databases; to move the folder again, name empty databases.`,
    );
  }
  if (move.content === content) return move;
  await emptyTables(db, tables);
  await spans.empty();
  return beginMove(db, folder, content);
}

const notEmpty = (finding: string) =>
  new FolderRefusal("target_not_empty", `The databases are not empty: ${finding}. Name empty databases.`);

async function moveRows({ relational }: SourceCopy, db: Db, progress: Progress): Promise<void> {
  const { engine } = relational.embedded;
  const tables = tablesToCopy(engine);
  for (const [index, table] of tables.entries()) {
    const name = `Copying rows: table ${index + 1} of ${tables.length}, ${table}`;
    progress(name);
    await copyRows(engine, db, table, (rows) => progress(`${name}: ${rows}`));
  }
  await continueNumbers(engine, db, tables);
  await noteProgress(db, { rows_moved: 1 });
}

async function moveSpans(
  { dataDir }: SourceCopy,
  move: MovedFolder,
  db: Db,
  target: SpanTarget,
  progress: Progress,
): Promise<number> {
  const from = { lsn: move.lsn, receivedUs: move.received_us, unreadableRecords: move.unreadable_records };
  const { unreadableRecords } = await storeJournalSpans(
    {
      journal: journalDir(dataDir),
      target,
      deleted: deletedBy(await createDeletionStore(db).listDigests()),
      async onStored({ lsn, receivedUs, unreadableRecords: unreadable }, bytesLeft) {
        await noteProgress(db, { lsn, received_us: receivedUs, unreadable_records: unreadable });
        progress(
          `Storing spans: up to record ${lsn} of the journal, at most ${Math.ceil(bytesLeft / 1024 ** 2)} MB left`,
        );
      },
    },
    from,
  );
  await target.index((traces) => progress(`Finding conversations: ${traces} traces`));
  return unreadableRecords;
}
