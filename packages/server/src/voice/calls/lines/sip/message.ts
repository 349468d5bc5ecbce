/** Headers are sent in the order of their list. */
export type Header = readonly [name: string, value: string];

/** The names of headers are in lower case. */
export type SipMessage = {
  /** Null for a request. */
  status: number | null;
  /** For a response, the method of the request that it answers. */
  method: string;
  /** The URI that a request is for; empty for a response. */
  uri: string;
  sequence: number;
  callId: string;
  branch: string;
  fromTag: string;
  toTag: string;
  headers: ReadonlyMap<string, readonly string[]>;
  body: Buffer;
};

const HEADERS_MAX = 200;
const BYTES_MAX = 65_507;
const COMPACT: Record<string, string> = {
  v: "via",
  f: "from",
  t: "to",
  i: "call-id",
  m: "contact",
  c: "content-type",
  l: "content-length",
  s: "subject",
  k: "supported",
  e: "content-encoding",
};
/** Headers that may contain several values in one line, separated by commas. */
const LISTS = new Set(["via", "route", "record-route", "contact", "require"]);
/** Characters of a method (RFC 3261, section 25.1). */
const TOKEN = "[\\w.!%*+`'~-]{1,64}";
const REQUEST_LINE = new RegExp(String.raw`^(${TOKEN}) (\S{1,1024}) SIP\/2\.0$`, "i");
const SEQUENCE = new RegExp(String.raw`^(\d{1,10})\s+(${TOKEN})$`);
const STATUS_LINE = /^SIP\/2\.0 ([1-6]\d\d)(?: .*)?$/i;

export function parseMessage(datagram: Buffer): SipMessage | undefined {
  if (datagram.length > BYTES_MAX) return undefined;
  const end = datagram.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const text = datagram.toString("utf8", 0, end).replace(/^(?:\r\n)+/, "");
  const [first = "", ...lines] = text.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  if (lines.length > HEADERS_MAX || /[\r\n\0]/.test([first, ...lines].join(""))) return undefined;
  const headers = readHeaders(lines);
  if (!headers) return undefined;
  const value = (name: string) => headers.get(name)?.[0];
  const status = STATUS_LINE.exec(first)?.[1];
  const [, request, uri = ""] = REQUEST_LINE.exec(first) ?? [];
  const sequence = SEQUENCE.exec(value("cseq") ?? "");
  const branch = /^SIP\s*\/\s*2\.0\s*\/.*;\s*branch\s*=\s*([^;,\s]+)/i.exec(value("via") ?? "")?.[1];
  const callId = value("call-id");
  const fromTag = tagOf(value("from") ?? "");
  const isComplete = (status ?? request) && sequence && branch && callId && fromTag && value("to") !== undefined;
  if (!isComplete || Number(sequence[1]) >= 2 ** 31) return undefined;
  if (request !== undefined && request !== sequence[2]) return undefined;
  const body = bodyOf(datagram.subarray(end + 4), value("content-length"));
  if (!body) return undefined;
  return {
    status: status === undefined ? null : Number(status),
    method: sequence[2]!,
    uri,
    sequence: Number(sequence[1]),
    callId,
    branch,
    fromTag,
    toTag: tagOf(value("to")!),
    headers,
    body,
  };
}

function readHeaders(lines: readonly string[]): Map<string, string[]> | undefined {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 1) return undefined;
    const written = line.slice(0, colon).trim().toLowerCase();
    const name = COMPACT[written] ?? written;
    const value = line.slice(colon + 1).trim();
    const values = headers.get(name) ?? [];
    values.push(...(LISTS.has(name) ? splitList(value) : [value]));
    headers.set(name, values);
  }
  return headers;
}

function bodyOf(rest: Buffer, length: string | undefined): Buffer | undefined {
  if (length === undefined) return rest;
  if (!/^\d{1,9}$/.test(length) || Number(length) > rest.length) return undefined;
  return rest.subarray(0, Number(length));
}

/** Splits a list at the commas outside quotes and angle brackets. */
export function splitList(text: string): string[] {
  const parts = text.match(/(?:"(?:[^"\\]|\\.)*"?|<[^>]*>?|[^",<])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Searches the brackets one after the other, because a pattern for both would take seconds for thousands of opening brackets. */
export function uriOf(value: string): string {
  const start = value.indexOf("<");
  const end = value.indexOf(">", start);
  return start >= 0 && end >= 0 ? value.slice(start + 1, end) : value.split(";")[0]!.trim();
}

export function hostOf(uri: string, defaultPort = 5_060): { host: string; port: number } | undefined {
  const [, host, digits = defaultPort] =
    /^sip:(?:[^@]*@)?([A-Za-z0-9.-]{1,253})(?::(\d{1,5}))?(?:[;?]|$)/i.exec(uri) ?? [];
  const port = Number(digits);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

/** Returns the user of a `sip:` or `tel:` URI; empty when it has none. */
export function userOf(uri: string): string {
  const [, user = ""] = /^(?:sips?:([^@;:?]{1,128})(?::[^@]*)?@|tel:([^;]{1,128}))/i.exec(uri)?.filter(Boolean) ?? [];
  return user.replaceAll(/%2b/gi, "+");
}

function tagOf(value: string): string {
  const parameters = value.slice(value.lastIndexOf(">") + 1);
  return /;\s*tag\s*=\s*([^;,\s]+)/i.exec(parameters)?.[1] ?? "";
}

/** Throws for a line break in a header, which would be a programming error: parsed values contain no line breaks. */
export function writeMessage(first: string, headers: readonly Header[], body = ""): Buffer {
  const all: Header[] = [...headers, ["Content-Length", String(Buffer.byteLength(body))]];
  const lines = [first, ...all.map(([name, value]) => `${name}: ${value}`)];
  if (lines.some((line) => /[\r\n]/.test(line))) throw new Error("a header of SIP contains a line break");
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}
