export const DROPPED = "[credential removed]";
const TOO_DEEP = "[too deep]";

const DEEPEST = 32;
const SERVICE_KEY = /svc_sk_[A-Za-z0-9_-]{43}/g;

/** Members of a call that are secrets in the platform's API. `access_token` admits a participant to the room of a web call. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set(["access_token"]);

export const withoutKeys = (text: string, platformKey: string): string =>
  text.replaceAll(platformKey, DROPPED).replaceAll(SERVICE_KEY, DROPPED);

/**
 * Returns the call without its secret members, and without the signatures of addresses that the platform signs. Words, tool
 * results and analyses stay unchanged.
 */
export function withoutSecretMembers(call: unknown): unknown {
  if (typeof call !== "object" || call === null) return call;
  const isSigned = "opt_in_signed_url" in call && call.opt_in_signed_url === true;
  return Object.fromEntries(
    Object.entries(call)
      .filter(([name]) => !SECRET_MEMBERS.has(name))
      .map(([name, value]) => [
        name,
        isSigned && name.endsWith("_url") ? withoutQuery(value) : cutDeepLevels(value, 0),
      ]),
  );
}

const withoutQuery = (address: unknown): unknown =>
  typeof address === "string" ? address.replace(/[?#].*$/s, "") : address;

/** Replaces the levels of a value that are too deep for JSON by `TOO_DEEP`. Returns the same object when no level is too deep. */
function cutDeepLevels(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST) return TOO_DEEP;
  const entries = Object.entries(value);
  const cut = entries.map(([name, member]) => [name, cutDeepLevels(member, depth + 1)] as const);
  if (cut.every(([, member], at) => member === entries[at]![1])) return value;
  return Array.isArray(value) ? cut.map(([, member]) => member) : Object.fromEntries(cut);
}

/** Returns the text; undefined when a credential was removed from the text, because a part of the text is then unknown. */
export const textIfWhole = (text: string | undefined): string | undefined =>
  text?.includes(DROPPED) ? undefined : text;
