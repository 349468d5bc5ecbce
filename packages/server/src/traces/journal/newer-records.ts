import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Conditions } from "../../base/conditions.ts";
import type { Log } from "../../base/log/log.ts";
import { journalDir, segmentsIn } from "./segments.ts";

/**
 * The records that this version skipped at its starts because a newer version wrote them. Their number is reported as a condition
 * and stored in a file for the next start.
 */
type NewerRecords = {
  /** Counts a record, unless an earlier start counted it. The trace store may skip the record only after this call. */
  add: (lsn: number) => void;
  close: () => void;
};

type Skipped = { count: number; newestLsn: number; since: string };

const FILE = "journal-newer.json";
const CODE = "journal_newer";
const MESSAGE =
  "A newer version of the service wrote bodies to the journal that this version cannot read. It skips them.";
const REMEDY =
  "Stop the service, remove the files `traces.*` and `samples.*` from the data folder, and start the newer version: it builds them again from the journal.";

/** The count starts at 0 if `loadedLsn` is 0, because the trace store is then empty and every record is read again. */
export function createNewerRecords(
  { dataDir, conditions, log }: { dataDir: string; conditions: Conditions; log: Log },
  loadedLsn: number,
): NewerRecords {
  const file = join(dataDir, FILE);
  const oldestLsn = segmentsIn(journalDir(dataDir))[0] ?? Infinity;
  let skipped = loadedLsn === 0 ? undefined : readSkipped(file);
  if (skipped !== undefined && skipped.newestLsn < oldestLsn) skipped = undefined;
  let isStored = true;
  if (skipped === undefined) rmSync(file, { force: true });
  else report(skipped.count, skipped.since);

  function report(count: number, since: string): void {
    conditions.report({ code: CODE, count, since, message: MESSAGE, remedy: REMEDY });
  }

  function store(): void {
    isStored = true;
    try {
      writeFileSync(`${file}.new`, JSON.stringify({ sum: crc32(JSON.stringify(skipped)), skipped }), { flush: true });
      renameSync(`${file}.new`, file);
    } catch (error) {
      log.warn({ err: error }, "the number of skipped records could not be written, so that a restart may forget it");
    }
  }

  return {
    add(lsn) {
      if (skipped !== undefined && lsn <= skipped.newestLsn) return;
      const isFirst = skipped === undefined;
      const since = skipped?.since ?? new Date().toISOString();
      skipped = { count: (skipped?.count ?? 0) + 1, newestLsn: lsn, since };
      report(1, since);
      if (isFirst) store();
      else isStored = false;
    },
    close() {
      if (!isStored) store();
    },
  };
}

/**
 * Returns the records that earlier starts skipped; undefined without a file. A damaged file counts as one record with an unknown number.
 */
function readSkipped(file: string): Skipped | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  try {
    const { sum, skipped } = JSON.parse(text) as { sum: number; skipped: Skipped };
    if (sum === crc32(JSON.stringify(skipped))) return skipped;
  } catch {
    // The file is damaged.
  }
  return { count: 1, newestLsn: Number.MAX_SAFE_INTEGER, since: new Date().toISOString() };
}
