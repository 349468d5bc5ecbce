import type { ListedVoice } from "../capabilities/voice-listing.ts";
import { exchange, FAULT_WORDS, OutboundFailure } from "../outbound.ts";
import { addVoice, type Failure } from "./rules.ts";
import type { Credential, Page, VoiceSource } from "./voice-source.ts";

export const BOUNDS = {
  pages: 100,
  rows: 20_000,
  pageBytes: 8 * 1024 * 1024,
  pageMs: 10_000,
  overallMs: 30_000,
};
const CURSOR_CHARACTERS = 4_096;

export type Bounds = typeof BOUNDS;

type Call = {
  provider: string;
  source: VoiceSource;
  address: URL;
  credential: Credential;
  standardOnly: boolean;
  bounds: Bounds;
  signal: AbortSignal;
  now: () => number;
};

/** `ignored` counts rows that are no voices; `more` tells that a bound ended the reading. */
type Fetched = { voices: Iterable<ListedVoice>; more: boolean; ignored: number };

/** Reads a provider's list page by page, within bounds. A provider that fails is an answer, never a throw. */
export async function fetchVoices(call: Call): Promise<Fetched | Failure> {
  const { provider, source, bounds } = call;
  const voices = new Map<string, ListedVoice>();
  const cursors = new Set<string>();
  const deadline = AbortSignal.timeout(bounds.overallMs);
  const signal = AbortSignal.any([deadline, call.signal]);
  let [rows, ignored] = [0, 0];
  let cursor: string | undefined;
  for (let pages = 0; pages < bounds.pages; pages++) {
    const page = await fetchPage(call, cursor, signal);
    if ("reason" in page) return deadline.aborted ? failure(`${provider} did not list its voices in time.`) : page;
    for (const row of page.rows) {
      if (rows++ === bounds.rows) return { voices: voices.values(), more: true, ignored };
      const voice = source.readVoice(row);
      if (!voice) ignored++;
      else if (voice.source === "standard" || !call.standardOnly) addVoice(voices, voice);
    }
    if (page.next === undefined) return { voices: voices.values(), more: false, ignored };
    if (cursors.has(page.next)) return failure(`${provider} repeated a page of its voices.`);
    cursors.add(page.next);
    cursor = page.next;
  }
  return { voices: voices.values(), more: true, ignored };
}

/** Where a provider's name leads is not told. */
const WORDS = { ...FAULT_WORDS, forbidden_address: FAULT_WORDS.unreachable };

async function fetchPage(call: Call, cursor: string | undefined, signal: AbortSignal): Promise<Page | Failure> {
  const { provider, source, bounds } = call;
  const { path, query = {}, post } = source.request(cursor);
  const url = new URL(path, call.address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  try {
    const { status, body } = await exchange({
      method: post === undefined ? "GET" : "POST",
      url,
      headers: source.headers(call.credential, url, call.now()),
      ...(post !== undefined && { json: post }),
      timeoutMs: bounds.pageMs,
      maxBytes: bounds.pageBytes,
      signal,
    });
    if (status === 401 || status === 403) return refused(provider);
    if (status === 429) return limited(provider);
    if (status !== 200) return failure(`${provider} answered with HTTP ${status}.`);
    return readPage(call, body, cursor);
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    return failure(`${provider} ${WORDS[error.fault]}.`);
  }
}

function readPage({ provider, source }: Call, body: Buffer, cursor: string | undefined): Page | Failure {
  try {
    const page = source.readPage(JSON.parse(body.toString("utf8")), cursor);
    if (page === "refused") return refused(provider);
    if (page === "limited") return limited(provider);
    if ((page.next ?? "").length <= CURSOR_CHARACTERS) return page;
  } catch {
    // Told below, without a word of what was sent.
  }
  return failure(`${provider} answered with something that is no list of voices.`);
}

const failure = (reason: string): Failure => ({ reason, refused: false });
const limited = (provider: string) => failure(`${provider} takes no more requests for now.`);
const refused = (provider: string): Failure => ({ reason: `The ${provider} key was refused.`, refused: true });
