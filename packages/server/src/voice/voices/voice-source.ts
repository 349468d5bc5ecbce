import type { ListedVoice } from "../capabilities/voice-listing.ts";

/** Key for requests to a provider, and the region of its account. */
export type ProviderCredential = { apiKey: string; region: string | undefined };

/** How one provider lists its voices. */
export type VoiceSource = {
  /** Returns the provider's address with a trailing slash. Requests are sent to no other host. */
  address: (region: string) => string;
  headers: (credential: ProviderCredential, url: URL, nowMs: number) => RequestHeaders | Promise<RequestHeaders>;
  /** Returns the request for the page that a cursor names. Without a cursor, returns the request for the first page. */
  request: (cursor: string | undefined) => PageRequest;
  /**
   * Returns the page in an answer. Throws when the answer is not a page of voices. `refused` means a rejected key, and `limited` too many
   * requests.
   */
  readPage: (body: unknown, cursor: string | undefined) => VoicePage | "refused" | "limited";
  /** Returns the voice of a row; undefined when the row is not a voice. */
  readVoice: (row: unknown) => ListedVoice | undefined;
};

type RequestHeaders = Record<string, string>;
type PageRequest = { path: string; query?: Record<string, string>; post?: unknown };
/** One page of a provider's list. `next` is the cursor of the next page; undefined on the last page. */
export type VoicePage = { rows: unknown[]; next?: string | undefined };
