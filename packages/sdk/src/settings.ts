import type { ClientOptions } from "./options.ts";

/** Validated base URL of a client, and the headers with its credential. */
export type ClientSettings = { baseUrl: string; headers: Record<string, string> };

const KEY = /^svc_sk_[A-Za-z0-9_-]{43}$/;

/**
 * Returns the settings from the options, and from environment variables when the runtime has them. Throws a TypeError when a value is
 * missing or malformed. No message repeats a value, because the value could be an API key in the wrong variable.
 */
export function readSettings({ baseUrl, apiKey, cookie }: ClientOptions): ClientSettings {
  const environment = processEnvironment();
  const address = checkedAddress(baseUrl ?? environment?.["SVC_URL"]?.trim(), baseUrl === undefined);
  const headers: Record<string, string> = {};
  if (cookie !== undefined) Object.assign(headers, { cookie, origin: new URL(address).origin });
  const isFromEnvironment = apiKey === undefined && cookie === undefined;
  const key = isFromEnvironment ? environment?.["SVC_API_KEY"]?.trim() : apiKey;
  if (key) headers["authorization"] = `Bearer ${checkedKey(key, isFromEnvironment)}`;
  else if (isFromEnvironment && environment !== undefined && !isPage())
    throw refusal(
      "there is no API key: set SVC_API_KEY, or pass `apiKey`. For operations that need no key, pass `apiKey: null`.",
    );
  else if (apiKey === "")
    throw refusal("`apiKey` is empty: set it to a key, svc_sk_…, or to null for operations that need no key.");
  return { baseUrl: address, headers };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the environment variables; undefined in a browser, and in any other runtime without them. */
const processEnvironment = (): Environment | undefined =>
  (globalThis as { process?: { env?: Environment } }).process?.env;

/** Returns whether the code runs in a web page. A page needs no API key, but its bundler may define an empty `process`. */
const isPage = (): boolean => "document" in globalThis;

const EXAMPLE = "such as http://127.0.0.1:3100";

function checkedAddress(text: string | undefined, isFromEnvironment: boolean): string {
  const name = isFromEnvironment ? "SVC_URL" : "`baseUrl`";
  if (!text) throw refusal(`there is no address of the service: set SVC_URL, or pass \`baseUrl\`, ${EXAMPLE}.`);
  const url = urlIn(text);
  if (url === undefined || !/^https?:$/.test(url.protocol) || !/^\s*https?:\/\//i.test(text))
    throw refusal(`${name} is not an http address: set it to the complete address of the service, ${EXAMPLE}.`);
  if (url.username || url.password || url.search || url.hash)
    throw refusal(`${name} must be the service's address only: remove the user, password, query or fragment.`);
  return text.trim().replace(/\/+$/, "");
}

/** Parses a URL; returns undefined for an invalid one. Replaces `URL.parse`, which Node 20 lacks. */
function urlIn(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function checkedKey(key: string, isFromEnvironment: boolean): string {
  if (KEY.test(key)) return key;
  const name = isFromEnvironment ? "SVC_API_KEY" : "`apiKey`";
  throw refusal(`${name} is not a complete key: a key is svc_sk_ and 43 characters. Copy it again.`);
}

const refusal = (message: string) => new TypeError(`createClient: ${message}`);
