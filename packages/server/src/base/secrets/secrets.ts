import { hash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { syncPath } from "../sync-path.ts";

export const newSecret = (): string => `svc_sk_${randomBytes(32).toString("base64url")}`;

export const newToken = (): string => randomBytes(32).toString("base64url");

/** API keys and one-time tokens are stored and compared only in this form. */
export const sha256 = (text: string): string => hash("sha256", text, "hex");

export const looksLike = (lastFour: string): string => `svc_sk_…${lastFour}`;

const CHARACTERS_MIN = 32;

export const hasSecret = (dataDir: string, name: string): boolean => existsSync(join(dataDir, name));

/** Returns the setting when it is set, else the secret in the data folder's file. The first start creates that file with mode 0600. */
export function readOrCreateSecret(dataDir: string, name: string, setting: string | undefined): string {
  if (setting) return setting;
  const file = join(dataDir, name);
  if (!existsSync(file)) writeSecret(dataDir, file, randomBytes(48).toString("base64url"));
  const secret = readFileSync(file, "utf8").trim();
  if (secret.length >= CHARACTERS_MIN) return secret;
  throw new Error(
    `The file ${file} contains no valid secret. Restore it from a backup. Removing it creates a new secret, which cannot open or verify existing data.`,
  );
}

/** Writes the secret durably and atomically. This has to happen before anything is encrypted or signed with it. */
export function writeSecret(dataDir: string, file: string, secret: string): void {
  const unnamed = `${file}.new`;
  writeFileSync(unnamed, secret, { mode: 0o600, flush: true });
  renameSync(unnamed, file);
  syncPath(dataDir);
}
