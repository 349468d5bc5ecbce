import { hash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A new API key secret: 256 random bits. */
export const newSecret = (): string => `svc_sk_${randomBytes(32).toString("base64url")}`;

/** A token that is handed to one person once. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** In hexadecimal. Of a secret it is what is stored, and what a sent one is compared by. */
export const sha256 = (text: string): string => hash("sha256", text, "hex");

/** Prefix, ellipsis, last four characters. */
export const looksLike = (lastFour: string): string => `svc_sk_…${lastFour}`;

/** The service's own secret: the setting when given, else one made on the first start and kept 0600 in the data directory. */
export function keptSecret(dataDir: string, name: string, setting: string | undefined): string {
  if (setting) return setting;
  const file = join(dataDir, name);
  if (!existsSync(file)) writeFileSync(file, randomBytes(48).toString("base64url"), { mode: 0o600, flag: "wx" });
  return readFileSync(file, "utf8").trim();
}
