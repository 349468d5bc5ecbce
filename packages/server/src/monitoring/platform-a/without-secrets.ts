/** Stands where something was taken out of a call. */
export const DROPPED = "[dropped]";
export const TOO_DEEP = "[too deep]";

const DEEPEST = 32;
const JSON_TEXT = /^\s*[[{]/;
const URL_TEXT = /^\s*https?:\/\//i;

/** Whatever a member is called: an authorization header, a signed token, a private key, a key of a known make. */
const CREDENTIAL =
  /^\s*(?:Bearer|Basic) \S{8}|^\s*eyJ[\w-]{8,}\.[\w-]{8,}\.|^\s*(?:svc_sk|sk|pk|rk|key)[-_][\w-]{16,}\s*$|-----BEGIN /;

const SECRET_ANYWHERE = new Set(
  "password passwd passphrase secret secrets authorization credential credentials cookie bearer apikey".split(" "),
);
/** At the end of a name only: a token usage is no token. */
const SECRET_AT_END = new Set("token jwt auth pwd pin passcode otp cvv cvc ssn signature".split(" "));
const SECRET_KEYS = new Set("api access private encryption signing license".split(" "));

/**
 * The same without credentials: members that are called like one, values that look like one, queries of signed
 * addresses; not deeper than can be printed. The very value when there is nothing to take out.
 */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return textWithoutSecrets(value, depth);
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST) return TOO_DEEP;
  const before = Object.entries(value);
  const after = before.map(([key, item]): [string, unknown] => [
    key,
    isSecretName(key) && item !== null ? DROPPED : withoutSecrets(item, depth + 1),
  ]);
  if (after.every(([, item], at) => item === before[at]![1])) return value;
  return Array.isArray(value) ? after.map(([, item]) => item) : Object.fromEntries(after);
}

function textWithoutSecrets(text: string, depth: number): string {
  if (CREDENTIAL.test(text)) return DROPPED;
  if (URL_TEXT.test(text)) return addressWithoutSecrets(text);
  return JSON_TEXT.test(text) ? jsonWithoutSecrets(text, depth) : text;
}

function addressWithoutSecrets(text: string): string {
  if (!URL.canParse(text)) return DROPPED;
  const url = new URL(text);
  if (url.search + url.hash + url.username + url.password === "") return text;
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** Arguments and results of tools are JSON in text. */
function jsonWithoutSecrets(text: string, depth: number): string {
  let told: unknown;
  try {
    told = JSON.parse(text);
  } catch {
    return text;
  }
  const kept = withoutSecrets(told, depth + 1);
  return kept === told ? text : JSON.stringify(kept);
}

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z\d]+/);
  const [beforeLast, last] = words.slice(-2);
  if (words.some((word) => SECRET_ANYWHERE.has(word))) return true;
  return words.length === 1 ? SECRET_AT_END.has(words[0]!) : SECRET_AT_END.has(last!) || isKey(beforeLast!, last!);
}

const isKey = (of: string, word: string) => SECRET_KEYS.has(of) && word === "key";
