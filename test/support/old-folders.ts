import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { keySettings } from "./secret.ts";

/** Data folders of earlier versions, each named by its last migration; `npm run fixture:data-folder` writes them. */
export const FOLDERS = join(import.meta.dirname, "../fixtures/data-folders");

/** The settings with which each folder was made. Without these keys, nobody can read its data. */
export const FOLDER_KEYS = {
  SVC_INIT_ADMIN: "admin@acme.test:correct horse battery",
  ...keySettings({ adminKey: `svc_sk_${"A".repeat(43)}`, projectKey: `svc_sk_${"B".repeat(42)}A` }),
};

export const oldFolders = (): string[] => readdirSync(FOLDERS).map((name) => name.replace(/\.tar\.gz$/, ""));

export function unpackFolder(name: string, dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  execFileSync("tar", ["-xzf", join(FOLDERS, `${name}.tar.gz`), "-C", dataDir]);
}
