import { isIP } from "node:net";
import { KEY_PERMISSION_NAMES, LIMITS, SECRET_PATTERN, VISIBLE_ASCII } from "@svc/contract";
import { z } from "zod";
import { sealingKeysIn } from "../secrets/sealing.ts";

const PORT_RANGE = "use a port, a whole number from 0 to 65535";
export const port = z.coerce.number(PORT_RANGE).int(PORT_RANGE).min(0, PORT_RANGE).max(65_535, PORT_RANGE);
export const flag = z
  .enum(["true", "false"], "use true or false")
  .default("false")
  .transform((text) => text === "true");
const COUNT = "use a whole number, 1 or more";
export const count = z.coerce.number(COUNT).int(COUNT).min(1, COUNT);
export const text = z.string().trim().min(1);
const isHostName = (host: string) => /^[\w.-]+$/.test(host) && URL.canParse(`http://${host}`);
export const listenAddress = text.refine((host) => isIP(host) > 0 || isHostName(host), {
  message: "use an address of this machine, such as 127.0.0.1 for itself alone or 0.0.0.0 for all its addresses",
});
export const KEY_CHARACTERS_MIN = 32;
export const keyMaterial = z.string().min(KEY_CHARACTERS_MIN, `use at least ${KEY_CHARACTERS_MIN} characters`);
export const metricsToken = keyMaterial.regex(VISIBLE_ASCII, "use visible ASCII characters, without spaces");
const isKeyList = (text: string) => {
  const keys = sealingKeysIn(text);
  return keys.length > 0 && keys.every((key) => key.length >= KEY_CHARACTERS_MIN);
};
export const keyList = z.string().refine(isKeyList, {
  error: `use at least ${KEY_CHARACTERS_MIN} characters, without spaces, for each key; list several with commas, the newest first`,
});
const FIRST_KEY_KINDS = [
  "organization",
  "project",
  ...KEY_PERMISSION_NAMES.filter((name) => name !== "admin"),
] as const;
const FIRST_KEYS = `use organization:svc_sk_… or project:svc_sk_… with 43 base64url characters each; list several with commas, one of each of ${FIRST_KEY_KINDS.join(", ")}`;
/** List of keys in the form `kind:key`, parsed to an object of keys by kind. */
export const firstKeys = z.string().transform((list, context) => {
  const keys: Partial<Record<(typeof FIRST_KEY_KINDS)[number], string>> = {};
  for (const entry of list.split(",")) {
    const { named, secret } = /^\s*(?<named>\w+):(?<secret>\S+)\s*$/.exec(entry)?.groups ?? {};
    const kind = FIRST_KEY_KINDS.find((known) => known === named);
    if (!kind || !secret || !SECRET_PATTERN.test(secret) || keys[kind] !== undefined) {
      context.addIssue({ code: "custom", message: FIRST_KEYS });
      return z.NEVER;
    }
    keys[kind] = secret;
  }
  return keys;
});
export const address = z
  .url({ protocol: /^https?$/, error: "use an address such as https://svc.example.com" })
  .transform((url) => url.replace(/\/+$/, ""));
const ORIGINS =
  "use exact origins, such as https://app.example.com or http://localhost:5173, with commas between them; no path, no `*`";
/** List of origins, parsed to the form in which browsers send them. */
export const originList = z.string().transform((list, context) => {
  const texts = list.split(",").map((text) => text.trim());
  const origins = texts.filter((text) => text !== "").map(originIn);
  if (!origins.includes(undefined)) return new Set(origins as string[]);
  context.addIssue({ code: "custom", message: ORIGINS });
  return z.NEVER;
});
const HEADERS = "use name=value, such as authorization=Bearer …, with commas between several";
export const headerList = z.string().transform((list, context) => {
  const headers = list
    .split(",")
    .map((text) => /^\s*([\w-]+)\s*=\s*([\x20-\x7e]+?)\s*$/.exec(text)?.slice(1) as [string, string]);
  if (!headers.includes(undefined as never)) return Object.fromEntries(headers);
  context.addIssue({ code: "custom", message: HEADERS });
  return z.NEVER;
});
const originIn = (text: string): string | undefined => {
  const url = /^https?:\/\/[^/?#@*\s]+\/?$/i.test(text) ? URL.parse(text) : null;
  return url?.origin;
};
export const databaseAddress = z.url({
  protocol: /^postgres(ql)?$/,
  error: "use an address such as postgresql://user:password@db.example.com:5432/svc",
});
export const clickHouseAddress = z.url({
  protocol: /^https?$/,
  error: "use an address of ClickHouse's HTTP interface, such as http://user:password@clickhouse.example.com:8123/svc",
});
export const bucket = text.regex(
  /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/,
  "use the bucket's name: 2 to 63 letters, digits, dots, hyphens and underscores",
);
export const smtpAddress = z.url({
  protocol: /^smtps?$/,
  error: "use an address such as smtps://user:password@mail.example.com",
});
export const sender = text.regex(/^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/, "use an address such as svc@example.com");
const account = z.strictObject({
  email: z.email(),
  password: z.string().min(LIMITS.passwordCharactersMin).max(LIMITS.passwordCharactersMax),
});
const FIRST_ADMIN = `use an e-mail address, a colon and a password of at least ${LIMITS.passwordCharactersMin} characters`;
export const firstAdmin = z.string().transform((text, context) => {
  const [email = "", ...password] = text.split(":");
  const admin = account.safeParse({ email: email.trim(), password: password.join(":") });
  if (admin.success) return admin.data;
  context.addIssue({ code: "custom", message: FIRST_ADMIN });
  return z.NEVER;
});
const SHARE = "use a number above 0, up to 1";
export const share = z.coerce.number(SHARE).gt(0, SHARE).max(1, SHARE);
const PRICE = "use a number from 0 to 1000000";
export const price = z.coerce.number(PRICE).min(0, PRICE).max(1_000_000, PRICE);

export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
