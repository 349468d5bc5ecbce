import type { ListedVoice } from "../capabilities/voice-listing.ts";
import { exchange, FAULT_WORDS, OutboundFailure } from "../../base/net/outbound.ts";
import { addVoice, type ListingFailure } from "./rules.ts";
import type { ProviderCredential, VoicePage, VoiceSource } from "./voice-source.ts";

export const BOUNDS = {
  pages: 100,
  rows: 20_000,
  pageBytes: 8 * 1024 * 1024,
  pageMs: 10_000,
  overallMs: 30_000,
};
const CURSOR_CHARACTERS = 4_096;

export type Bounds = typeof BOUNDS;

type ListingRequest = {
  provider: string;
  source: VoiceSource;
  address: URL;
  credential: ProviderCredential;
  standardOnly: boolean;
  bounds: Bounds;
  signal: AbortSignal;
  now: () => number;
};

/** The voices of a provider. `ignored` counts rows of its answers that are not voices. `more` is true when a limit ended the listing. */
type Listing = { voices: Iterable<ListedVoice>; more: boolean; ignored: number };

/** Fetches the voices of a provider. A failure of the provider is returned, never thrown. */
export async function fetchVoices(request: ListingRequest): Promise<Listing | ListingFailure> {
  const { provider, source, bounds } = request;
  const voices = new Map<string, ListedVoice>();
  const cursors = new Set<string>();
  const deadline = AbortSignal.timeout(bounds.overallMs);
  const signal = AbortSignal.any([deadline, request.signal]);
  let [rows, ignored] = [0, 0];
  let cursor: string | undefined;
  for (let pages = 0; pages < bounds.pages; pages++) {
    const page = await fetchPage(request, cursor, signal);
    if ("reason" in page) return deadline.aborted ? failure(`${provider} did not list its voices in time.`) : page;
    for (const row of page.rows) {
      if (rows++ === bounds.rows) return { voices: voices.values(), more: true, ignored };
      const voice = source.readVoice(row);
      if (!voice) ignored++;
      else if (voice.source === "standard" || !request.standardOnly) addVoice(voices, voice);
    }
    if (page.next === undefined) return { voices: voices.values(), more: false, ignored };
    if (cursors.has(page.next)) return failure(`${provider} repeated a page of its voices.`);
    cursors.add(page.next);
    cursor = page.next;
  }
  return { voices: voices.values(), more: true, ignored };
}

/** A forbidden address is reported as unreachable, because the message must not reveal the address behind a provider's name. */
const WORDS = { ...FAULT_WORDS, forbidden_address: FAULT_WORDS.unreachable };

async function fetchPage(
  request: ListingRequest,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<VoicePage | ListingFailure> {
  const { provider, source, bounds } = request;
  const { path, query = {}, post } = source.request(cursor);
  const url = new URL(path, request.address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  try {
    const { status, body } = await exchange({
      method: post === undefined ? "GET" : "POST",
      url,
      headers: await source.headers(request.credential, url, request.now()),
      ...(post !== undefined && { json: post }),
      timeoutMs: bounds.pageMs,
      maxBytes: bounds.pageBytes,
      privateAddresses: "allow",
      signal,
    });
    if (status === 401 || status === 403) return refused(provider);
    if (status === 429) return limited(provider);
    if (status !== 200) return failure(`${provider} answered with HTTP ${status}.`);
    return readPage(request, body, cursor);
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    return failure(`${provider} ${WORDS[error.fault]}.`);
  }
}

function readPage(
  { provider, source }: ListingRequest,
  body: Buffer,
  cursor: string | undefined,
): VoicePage | ListingFailure {
  try {
    const page = source.readPage(JSON.parse(body.toString("utf8")), cursor);
    if (page === "refused") return refused(provider);
    if (page === "limited") return limited(provider);
    if ((page.next ?? "").length <= CURSOR_CHARACTERS) return page;
  } catch {
    // The failure below quotes nothing from the answer, because the answer may contain anything.
  }
  return failure(`${provider} answered with something other than a list of voices.`);
}

const failure = (reason: string): ListingFailure => ({ reason, refused: false });
const limited = (provider: string) => failure(`${provider} accepts no more requests for now.`);
const refused = (provider: string): ListingFailure => ({ reason: `The ${provider} key was refused.`, refused: true });
