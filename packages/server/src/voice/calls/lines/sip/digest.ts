import { createHash, randomBytes } from "node:crypto";
import { type Header, type SipMessage, splitList } from "./message.ts";

export type SipCredential = { user: string; password: string };

const HASHES: Record<string, "md5" | "sha256"> = { MD5: "md5", "SHA-256": "sha256" };

/** Returns the header that answers the strongest supported challenge of a 401 or 407; undefined when no challenge is supported. */
export function answerChallenge(
  response: SipMessage,
  credential: SipCredential,
  method: string,
  uri: string,
): Header | undefined {
  const isProxy = response.status === 407;
  const challenges = response.headers.get(isProxy ? "proxy-authenticate" : "www-authenticate") ?? [];
  const answers = challenges.map(readChallenge).flatMap((challenge) => {
    const answer = challenge && digest(challenge, credential, method, uri);
    return answer ? [{ answer, isStrong: challenge["algorithm"]?.toUpperCase() === "SHA-256" }] : [];
  });
  const best = answers.find(({ isStrong }) => isStrong) ?? answers[0];
  return best && [isProxy ? "Proxy-Authorization" : "Authorization", best.answer];
}

type Challenge = Record<string, string>;

function readChallenge(value: string): Challenge | undefined {
  const [, list] = /^Digest\s+(.*)$/i.exec(value) ?? [];
  if (list === undefined) return undefined;
  const pairs = splitList(list).flatMap((part) => {
    const [, name, quoted, token] = /^([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))$/.exec(part) ?? [];
    return name === undefined ? [] : [[name.toLowerCase(), quoted ?? token!]];
  });
  return Object.fromEntries(pairs) as Challenge;
}

function digest(challenge: Challenge, { user, password }: SipCredential, method: string, uri: string) {
  const { realm, nonce, opaque, algorithm = "MD5", qop } = challenge;
  const hash = HASHES[algorithm.toUpperCase()];
  const hasQop = qop !== undefined;
  if (hash === undefined || realm === undefined || nonce === undefined) return undefined;
  if (hasQop && !qop.split(",").some((one) => one.trim().toLowerCase() === "auth")) return undefined;
  const hashed = (...parts: string[]) => createHash(hash).update(parts.join(":")).digest("hex");
  const cnonce = randomBytes(8).toString("hex");
  const count = "00000001";
  const secret = hashed(user, unescaped(realm), password);
  const request = hashed(method, uri);
  const response = hasQop ? hashed(secret, nonce, count, cnonce, "auth", request) : hashed(secret, nonce, request);
  const parts = [
    `username="${user.replaceAll(/["\\]/g, String.raw`\$&`)}"`,
    `realm="${realm}"`,
    `nonce="${nonce}"`,
    `uri="${uri}"`,
    `response="${response}"`,
    `algorithm=${algorithm}`,
    ...(opaque === undefined ? [] : [`opaque="${opaque}"`]),
    ...(hasQop ? [`qop=auth`, `cnonce="${cnonce}"`, `nc=${count}`] : []),
  ];
  return `Digest ${parts.join(", ")}`;
}

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, "$1");

/** Credentials of a request: one header for each challenge that was answered. */
type Authorization = {
  headers: readonly Header[];
  /**
   * Returns false when the challenge cannot be answered. A second challenge of the same kind means that the credential was rejected.
   * Exception: the first second challenge that marks the earlier nonce as stale is answered.
   */
  answers: (response: SipMessage) => boolean;
};

export function createAuthorization(credential: SipCredential | undefined, method: string, uri: string): Authorization {
  const headers: Header[] = [];
  let hasRenewed = false;
  return {
    headers,
    answers(response) {
      if (!credential || (response.status !== 401 && response.status !== 407)) return false;
      const header = answerChallenge(response, credential, method, uri);
      if (!header) return false;
      const before = headers.findIndex(([name]) => name === header[0]);
      if (before >= 0 && (hasRenewed || !isStale(response))) return false;
      if (before >= 0) {
        headers.splice(before, 1);
        hasRenewed = true;
      }
      headers.push(header);
      return true;
    },
  };
}

const isStale = ({ headers }: SipMessage): boolean =>
  [...(headers.get("www-authenticate") ?? []), ...(headers.get("proxy-authenticate") ?? [])].some((one) =>
    /stale\s*=\s*"?true/i.test(one),
  );
