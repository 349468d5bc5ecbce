/** Replaces a secret in a call. */
export const DROPPED = "[dropped]";
const TOO_DEEP = "[too deep]";

const DEEPEST = 32;
const JSON_TEXT = /^\s*[[{]/;
const ADDRESS = /https?:\/\/[^\s"'<>]+/gi;

/** Values that are secret under any name: an authorization header, a signed token, a private key, a key with a known prefix. */
const CREDENTIAL =
  /^\s*(?:Bearer|Basic) \S{8}|^\s*eyJ[\w-]{8,}\.[\w-]{8,}\.|^\s*(?:svc_sk|sk|pk|rk|key)[-_][\w-]{16,}\s*$|-----BEGIN /;

const SECRET_ANYWHERE = new Set(
  "password passwd passphrase secret secrets authorization credential credentials cookie bearer apikey".split(" "),
);
/** Secret at the end of a name only: `token_usage` is not a secret. */
const SECRET_AT_END = new Set("token jwt auth pwd pin passcode otp cvv cvc ssn signature".split(" "));
/** Matches every secret name; rejects most other names at once. */
const PART_OF_SECRET_NAME = /pass|secret|auth|credential|cookie|bearer|key|token|jwt|pwd|pin|otp|cv[vc]|ssn|signature/i;
const SECRET_KEYS = new Set("api access private encryption signing license".split(" "));

/**
 * Returns a copy without credentials: members with a secret name, values that look like a secret, queries of addresses and
 * levels too deep to print are replaced. Returns the same value when nothing is replaced.
 */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return textWithoutSecrets(value, depth);
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST) return TOO_DEEP;
  return Array.isArray(value) ? itemsWithoutSecrets(value, depth) : membersWithoutSecrets(value, depth);
}

function itemsWithoutSecrets(items: readonly unknown[], depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const item = withoutSecrets(items[at], depth + 1);
    if (item === items[at]) continue;
    copy ??= [...items];
    copy[at] = item;
  }
  return copy ?? items;
}

function membersWithoutSecrets(members: object, depth: number): object {
  const changed = new Map<string, unknown>();
  for (const [name, value] of Object.entries(members)) {
    const replacement = isSecretName(name) && value !== null ? DROPPED : withoutSecrets(value, depth + 1);
    if (replacement !== value) changed.set(name, replacement);
  }
  if (changed.size === 0) return members;
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, changed.has(name) ? changed.get(name) : value]),
  );
}

function textWithoutSecrets(text: string, depth: number): string {
  if (CREDENTIAL.test(text)) return DROPPED;
  // Tools send their arguments and results as JSON text.
  const value = JSON_TEXT.test(text) ? parseJson(text) : undefined;
  if (value === undefined) return text.replace(ADDRESS, addressWithoutSecrets);
  const replacement = withoutSecrets(value, depth + 1);
  return replacement === value ? text : JSON.stringify(replacement);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function addressWithoutSecrets(address: string): string {
  if (!/[?#@]/.test(address)) return address;
  if (!URL.canParse(address)) return DROPPED;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

function isSecretName(name: string): boolean {
  if (!PART_OF_SECRET_NAME.test(name)) return false;
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z\d]+/);
  const [beforeLast, last] = words.slice(-2);
  if (words.some((word) => SECRET_ANYWHERE.has(word))) return true;
  return words.length === 1 ? SECRET_AT_END.has(words[0]!) : SECRET_AT_END.has(last!) || isKey(beforeLast!, last!);
}

const isKey = (kind: string, word: string) => SECRET_KEYS.has(kind) && word === "key";
