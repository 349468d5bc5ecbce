import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, openApp, readConfig } from "@svc/server";
import { FAST_PASSWORDS } from "./fast-passwords.ts";
import { atProcessEnd } from "./process-end.ts";

/** The settings of the first start of a spec's service, except the API keys, which differ in each start. */
export const FIRST_START = {
  SVC_INIT_ADMIN: "admin@acme.test:correct horse battery",
};

/** A first start stores these settings in the folder. A service with other values of them therefore needs a first start of its own. */
const STORED = ["SVC_AUTH_SECRET", "SVC_ENCRYPTION_KEY", ...Object.keys(FIRST_START)];

let starts = 0;
let first: Promise<string> | undefined;

/**
 * Copies a folder whose first start has ended into an empty data folder, because the migrations of a first start need much
 * processor time. Does nothing for a folder with files, for a service with its own settings of a first start, and for the first
 * service of this process, because most processes start only one.
 */
export async function fillWithFirstStart(folder: string, settings: Record<string, string>): Promise<void> {
  if (STORED.some((name) => name in settings)) return;
  if (starts++ === 0 || (existsSync(folder) && readdirSync(folder).length > 0)) return;
  cpSync(await (first ??= startFirst()), folder, { recursive: true });
}

/** Starts and stops a service without keys, and returns its folder, which is deleted when this process ends. */
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
