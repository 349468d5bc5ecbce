import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, openApp, readConfig } from "@svc/server";
import { FAST_PASSWORDS } from "./fast-passwords.ts";
import { atProcessEnd } from "./process-end.ts";

/** The settings of the first start of the specs' services; the keys come with each start. */
export const FIRST_START = {
  SVC_INIT_ADMIN: "admin@acme.test:correct horse battery",
};

/** Settings that a first start stores in the folder, so that a service with others needs its separate first start. */
const STORED = ["SVC_AUTH_SECRET", "SVC_ENCRYPTION_KEY", ...Object.keys(FIRST_START)];

let starts = 0;
let first: Promise<string> | undefined;

/**
 * Makes an empty data folder a copy of one whose first start has ended: a first start migrates, which costs much of
 * the processor time of a start. Leaves a folder with files, one for other settings of a first start, and the first one of this
 * process as it is: most processes that specs start serve once.
 */
export async function fillWithFirstStart(folder: string, settings: Record<string, string>): Promise<void> {
  if (STORED.some((name) => name in settings)) return;
  if (starts++ === 0 || (existsSync(folder) && readdirSync(folder).length > 0)) return;
  cpSync(await (first ??= startFirst()), folder, { recursive: true });
}

/** Starts and stops a service without keys, and returns its folder, which ends with this process. */
async function startFirst(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "svc-spec-first-"));
  atProcessEnd(() => rmSync(folder, { recursive: true, force: true }));
  const app = await openApp(
    readConfig({ ...FIRST_START, PORT: "0", SVC_DATA_DIR: folder, LOG_LEVEL: "silent" }),
    createLog("silent"),
    { passwordHash: FAST_PASSWORDS },
  );
  app.beginStop();
  await app.close();
  rmSync(join(folder, "lock.db"), { force: true });
  return folder;
}
