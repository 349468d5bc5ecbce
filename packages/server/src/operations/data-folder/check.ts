import { existsSync, readFileSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Config, readConfig, unknownSettings } from "../../base/config/config.ts";
import { createSealing } from "../../base/secrets/sealing.ts";
import { isInBucket } from "../../stores/blobs/blob-bucket.ts";
import { folderProblem } from "../../stores/folder/folder-access.ts";
import { isLocked } from "../../stores/folder/data-dir-lock.ts";
import {
  AUTH_SECRET,
  ENCRYPTION_KEY,
  isKnownAuthSecret,
  storedCredentials,
} from "../../stores/folder/folder-secrets.ts";
import { appliedMigrations } from "../../stores/migrate.ts";
import { unknownMigration } from "../../stores/migrations.ts";
import { countUnreadable, envelopesIn } from "../../stores/sealed-credentials.ts";
import { readStoreCopy } from "../../stores/sqlite/store-copy.ts";
import { relationalPaths, StoreDamage, verifyChecksums } from "../../stores/sqlite/store-damage.ts";
import { isUnfinished } from "../../stores/folder/unfinished-folder.ts";
import { recordingsIn } from "../../voice/recordings/folder.ts";
import { recordedBlobs } from "../../voice/recordings/store.ts";
import type { LostStretch } from "../../traces/journal/records.ts";
import { examineSegment } from "../../traces/journal/segment-damage.ts";
import { journalDir, segmentPath, segmentsIn } from "../../traces/journal/segments.ts";
import { checkTraceStore } from "../../traces/store/open.ts";

export type FolderCheck = { name: string; state: "ok" | "wrong" | "skipped"; finding: string; remedy?: string };

const FREE_BYTES_MIN = 512 * 1024 * 1024;
const RESTORE = "Restore a backup with `svc restore BACKUP --replace`.";

const ok = (name: string, finding: string): FolderCheck => ({ name, state: "ok", finding });
const wrong = (name: string, finding: string, remedy: string): FolderCheck => ({
  name,
  state: "wrong",
  finding,
  remedy,
});
const skipped = (name: string, finding: string): FolderCheck => ({ name, state: "skipped", finding });

/** Checks a data folder without changing it. `environment` determines which secrets must be in the folder. */
export async function checkDataFolder(
  dataDir: string,
  environment: Record<string, string | undefined>,
): Promise<FolderCheck[]> {
  const settings = checkSettings(environment);
  const folder = checkFolder(dataDir);
  if (folder.state !== "ok") return [settings, folder];
  const checks = [settings, folder, checkSpace(dataDir)];
  const lock = checkLock(dataDir);
  checks.push(lock.check);
  if (lock.isHeld) {
    const why = "a service runs on the folder; stop it for this check";
    const others = ["relational store", "secrets", "recordings", "journal", "trace store"];
    return [...checks, ...others.map((name) => skipped(name, why))];
  }
  const store = checkRelational(dataDir);
  const ofStore = store.state === "ok" ? [...checkSecrets(dataDir, environment), checkRecordings(dataDir)] : [];
  return [...checks, store, ...ofStore, ...checkJournal(dataDir), await checkTraces(dataDir)];
}

/** Checks the requirements of a first start: valid settings, and a path at which the data folder can be created. */
export function checkFirstStart(dataDir: string, environment: Record<string, string | undefined>): FolderCheck[] {
  const problem = folderProblem(dataDir);
  const folder = problem === undefined ? [] : [wrong("data folder", problem.finding, problem.remedy)];
  return [checkSettings(environment), ...folder];
}

function checkSettings(environment: Record<string, string | undefined>): FolderCheck {
  const name = "settings";
  try {
    readConfig(environment);
  } catch (error) {
    return wrong(name, "are invalid", (error as Error).message);
  }
  const unknown = unknownSettings(environment);
  if (unknown.length === 0) return ok(name, "are valid");
  const remedy = unknown.map(({ meaning }) => meaning).join(" ");
  return wrong(name, `have no ${unknown.map(({ name }) => name).join(", ")}`, remedy);
}

function checkFolder(dataDir: string): FolderCheck {
  const name = "data folder";
  const remedy = "Name another folder with --data-dir or SVC_DATA_DIR.";
  if (isUnfinished(dataDir)) {
    const again = "Repeat `svc migrate --to folder` until it ends without a difference.";
    return wrong(name, `${dataDir} holds a part of the databases`, again);
  }
  const problem = folderProblem(dataDir);
  if (problem !== undefined) return wrong(name, problem.finding, problem.remedy);
  if (!existsSync(join(dataDir, "relational.db"))) return wrong(name, `${dataDir} holds no relational.db`, remedy);
  return ok(name, dataDir);
}

function checkSpace(dataDir: string): FolderCheck {
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const finding = `${(free / 1024 ** 3).toFixed(1)} GB are free`;
  if (free >= FREE_BYTES_MIN) return ok("disk", finding);
  return wrong("disk", finding, "Free space on the disk of the data folder: the service refuses data on a full disk.");
}

function checkLock(dataDir: string): { check: FolderCheck; isHeld: boolean } {
  try {
    const isHeld = isLocked(dataDir);
    return { check: ok("lock", isHeld ? "a service runs on the folder" : "no service runs on the folder"), isHeld };
  } catch (error) {
    const remedy = `Remove ${join(dataDir, "lock.db")}, which holds no data.`;
    return { check: wrong("lock", (error as Error).message, remedy), isHeld: false };
  }
}

function checkRelational(dataDir: string): FolderCheck {
  const name = "relational store";
  try {
    const stored = verifyChecksums(relationalPaths(dataDir));
    return readStoreCopy(dataDir, (engine) => {
      const newer = unknownMigration(appliedMigrations(engine));
      if (newer) return wrong(name, `a newer version wrote it (migration ${newer})`, "Start that version.");
      if (stored !== undefined) return ok(name, `all ${stored.pageCount} pages are as the service wrote them`);
      const [finding] = engine.prepare<[], string>("PRAGMA integrity_check(1)").pluck().all();
      if (finding === "ok") return ok(name, "is well-formed; the next start adds the checksums of its pages");
      return wrong(name, `is malformed: ${finding}`, RESTORE);
    });
  } catch (error) {
    if (error instanceof StoreDamage) return wrong(name, error.finding, error.remedy);
    return wrong(name, `cannot be read: ${(error as Error).message}`, RESTORE);
  }
}

/** Checks the secrets of a folder whose relational store is intact. */
function checkSecrets(dataDir: string, environment: Record<string, string | undefined>): FolderCheck[] {
  const settings = validConfig(environment);
  // The check of the settings already reports invalid settings.
  if (settings === undefined) return [];
  return [
    checkSecret(dataDir, ENCRYPTION_KEY, settings.encryptionKey, (key) => {
      const unreadable = readStoreCopy(dataDir, (engine) => countUnreadable(envelopesIn(engine), createSealing(key)));
      return unreadable === 0 ? undefined : `does not open ${storedCredentials(unreadable)}`;
    }),
    checkSecret(dataDir, AUTH_SECRET, settings.authSecret, (secret) => {
      if (settings.authSecret !== undefined) return undefined;
      const isKnown = readStoreCopy(dataDir, (engine) => isKnownAuthSecret(engine, secret));
      return isKnown ? undefined : "differs from the last start's";
    }),
  ];
}

function validConfig(environment: Record<string, string | undefined>): Config | undefined {
  try {
    return readConfig(environment);
  } catch {
    return undefined;
  }
}

const settingOf = (name: string): string => `SVC_${name.replace("-", "_").toUpperCase()}`;

/** Checks one secret. `problemOf` compares it with the relational store. */
function checkSecret(
  dataDir: string,
  name: string,
  setting: string | undefined,
  problemOf: (secret: string) => string | undefined,
): FolderCheck {
  const file = join(dataDir, name);
  if (setting === undefined && !existsSync(file)) {
    return wrong(
      name,
      `${file} is missing`,
      `Restore it from a backup. When ${settingOf(name)} was set at the last start, set it again.`,
    );
  }
  if (setting === undefined && (statSync(file).mode & 0o077) !== 0) {
    return wrong(name, `other users can read ${file}`, `Run \`chmod 600 ${file}\`, and consider replacing it.`);
  }
  const problem = problemOf(setting ?? readFileSync(file, "utf8").trim());
  if (problem === undefined) return ok(name, setting === undefined ? file : "from the settings");
  return wrong(
    name,
    problem,
    setting === undefined ? `Restore ${file} from a backup.` : `Set ${settingOf(name)} as at the last start.`,
  );
}

/** Checks the recordings of a folder whose relational store is intact. */
function checkRecordings(dataDir: string): FolderCheck {
  const name = "recordings";
  const all = readStoreCopy(dataDir, recordedBlobs);
  const recorded = all.filter(({ blob }) => !isInBucket(blob));
  const elsewhere = all.length - recorded.length;
  const rest = elsewhere === 0 ? "" : `; ${elsewhere} more in an object store, not checked`;
  const sizes = recordingsIn(dataDir);
  const damaged = recorded.filter(({ blob, bytes }) => sizes.get(blob) !== bytes).length;
  if (damaged === 0) return ok(name, `${recorded.length} files are there with their sizes${rest}`);
  return wrong(name, `${damaged} of ${recorded.length} files are missing or have another size${rest}`, RESTORE);
}

/**
 * Checks the journal. Unreadable bytes at the end of its newest file count as damage too, although they may be a record that was never
 * acknowledged.
 */
function checkJournal(dataDir: string): FolderCheck[] {
  const name = "journal";
  const dir = journalDir(dataDir);
  if (!existsSync(dir)) return [ok(name, "is empty")];
  const damaged: FolderCheck[] = [];
  let records = 0;
  let hasUnfinishedWrite = false;
  for (const segment of segmentsIn(dir)) {
    const path = segmentPath(dir, segment);
    const lost: LostStretch[] = [];
    const add = (stretch: LostStretch) => {
      if (stretch.isUnfinishedWrite) hasUnfinishedWrite = true;
      else lost.push(stretch);
    };
    for (const _ of examineSegment(dir, segment, add)) records++;
    if (lost.length === 0) continue;
    const bytes = lost.reduce((sum, stretch) => sum + stretch.bytes, 0);
    const remedy = `The service reads the other records. To get these back, ${RESTORE[0]!.toLowerCase()}${RESTORE.slice(1)}`;
    damaged.push(wrong(name, `${bytes} bytes of ${path} hold no readable record`, remedy));
  }
  const unfinished = hasUnfinishedWrite ? "; a stop cut off the last write before it was acknowledged" : "";
  return damaged.length > 0 ? damaged : [ok(name, `${records} records are whole${unfinished}`)];
}

async function checkTraces(dataDir: string): Promise<FolderCheck> {
  const name = "trace store";
  const problem = await checkTraceStore(dataDir);
  if (problem === undefined) return ok(name, "opens");
  const remedy = "Start the service: it rebuilds the trace store from the journal.";
  return wrong(name, problem, remedy);
}
