import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../base/config/config.ts";
import { recordingsIn } from "../../voice/recordings/folder.ts";
import { AUTH_SECRET, ENCRYPTION_KEY } from "../../stores/folder/folder-secrets.ts";
import { examineSegment } from "../../traces/journal/segment-damage.ts";
import { journalDir, segmentPath, segmentsIn } from "../../traces/journal/segments.ts";
import { checkDataFolder } from "./check.ts";
import { FolderRefusal } from "./refusal.ts";

/**
 * Names of the checks that a move skips. A move checks the journal in another way, does not use the trace store, and writes nothing
 * to the folder's disk.
 */
const NOT_NEEDED = new Set(["disk", "journal", "trace store"]);

/** Throws when a service uses the folder, when the folder is damaged, or when its recordings have no destination. */
export async function requireMovableFolder(
  dataDir: string,
  environment: Record<string, string | undefined>,
  recordingsTo: string | undefined,
): Promise<void> {
  const checks = await checkDataFolder(dataDir, environment);
  if (checks.some(({ state }) => state === "skipped"))
    throw new FolderRefusal("folder_in_use", `A service runs on ${dataDir}. Stop that service.`);
  const wrong = checks.find(({ name, state }) => state === "wrong" && !NOT_NEEDED.has(name));
  if (wrong !== undefined)
    throw new FolderRefusal("folder_damaged", `${dataDir}: ${wrong.name}: ${wrong.finding}. ${wrong.remedy}`);
  requireWholeJournal(dataDir);
  const recordings = recordingsIn(dataDir).size;
  if (recordings > 0 && recordingsTo === undefined) {
    throw new FolderRefusal(
      "no_place_for_recordings",
      `${dataDir} holds recordings (${recordings} files). Name the SVC_DATA_DIR of a process on the databases with --recordings-to: it moves them to its object store.`,
    );
  }
}

/**
 * Throws when the journal is damaged. Unreadable bytes at the end of a file of the journal are no damage if they may be a record that was
 * never acknowledged.
 */
function requireWholeJournal(dataDir: string): void {
  const dir = journalDir(dataDir);
  for (const segment of existsSync(dir) ? segmentsIn(dir) : []) {
    let bytes = 0;
    for (const _ of examineSegment(dir, segment, (lost) => (bytes += lost.isUnfinishedWrite ? 0 : lost.bytes)));
    if (bytes > 0) {
      throw new FolderRefusal(
        "folder_damaged",
        `${bytes} bytes of ${segmentPath(dir, segment)} hold no readable record. Restore a backup with \`svc restore BACKUP --replace\`, and move that folder.`,
      );
    }
  }
}

/**
 * Throws unless the settings contain the folder's secrets, because every process on the databases reads the secrets from its
 * settings. Returns remarks about the secrets for people.
 */
export function requireSecrets(dataDir: string, environment: Record<string, string | undefined>): string[] {
  const { encryptionKey, authSecret } = readConfig(environment);
  const missing = [
    ...(encryptionKey === undefined ? [["SVC_ENCRYPTION_KEY", ENCRYPTION_KEY] as const] : []),
    ...(authSecret === undefined ? [["SVC_AUTH_SECRET", AUTH_SECRET] as const] : []),
  ];
  if (missing.length > 0) {
    const places = missing.map(([setting, name]) => {
      const file = join(dataDir, name);
      return `${setting} ${existsSync(file) ? `to the content of ${file}` : "as at the last start of the service"}`;
    });
    throw new FolderRefusal(
      "secrets_missing",
      `The databases do not hold the folder's secrets. Set ${places.join(", and ")}.`,
    );
  }
  const file = join(dataDir, AUTH_SECRET);
  const differs = existsSync(file) && readFileSync(file, "utf8").trim() !== authSecret;
  return differs ? [`SVC_AUTH_SECRET differs from ${file}: people must sign in again.`] : [];
}
