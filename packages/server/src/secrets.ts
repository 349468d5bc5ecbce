import { hash, randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A new API key secret: 256 random bits. */
export const newSecret = (): string => `svc_sk_${randomBytes(32).toString("base64url")}`;

/** A token that is handed to one person once. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** In hexadecimal. Of a secret it is what is stored, and what a sent one is compared by. */
export const sha256 = (text: string): string => hash("sha256", text, "hex");

/** Prefix, ellipsis, last four characters. */
export const looksLike = (lastFour: string): string => `svc_sk_…${lastFour}`;

const CHARACTERS_MIN = 32;

/** The service's own secret: the setting when given, else one made on the first start and kept 0600 in the data directory. */
export function keptSecret(dataDir: string, name: string, setting: string | undefined): string {
  if (setting) return setting;
  const file = join(dataDir, name);
  if (!existsSync(file)) keep(dataDir, file, randomBytes(48).toString("base64url"));
  const secret = readFileSync(file, "utf8").trim();
  if (secret.length >= CHARACTERS_MIN) return secret;
  throw new Error(
    `The file ${file} holds no secret: restore it from a backup, or remove it to have a new one made, which neither opens nor signs for what is there.`,
  );
}

/** On disk under its name whole or not at all, before anything is sealed or signed with it. */
function keep(dataDir: string, file: string, secret: string): void {
  const unnamed = `${file}.new`;
  writeFileSync(unnamed, secret, { mode: 0o600, flush: true });
  renameSync(unnamed, file);
  const directory = openSync(dataDir, "r");
  fsyncSync(directory);
  closeSync(directory);
}
