import type { ListedVoice } from "../capabilities/voice-listing.ts";

/** The key that a request to a provider carries, and the region of its account. */
export type ProviderCredential = { apiKey: string; region: string | undefined };

/** How one provider lists its voices. */
export type VoiceSource = {
  /** Returns the provider's address with a trailing slash. Requests go to no other host. */
  address: (region: string) => string;
  headers: (credential: ProviderCredential, url: URL, nowMs: number) => RequestHeaders | Promise<RequestHeaders>;
  /** Returns the request for the page that a cursor names; without a cursor, for the first page. */
  request: (cursor: string | undefined) => PageRequest;
  /** Returns the page in an answer; throws when the answer is no page of voices. */
  readPage: (body: unknown, cursor: string | undefined) => VoicePage | "refused" | "limited";
  /** Returns the voice of a row, or undefined when the row is no voice. */
  readVoice: (row: unknown) => ListedVoice | undefined;
};

type RequestHeaders = Record<string, string>;
type PageRequest = { path: string; query?: Record<string, string>; post?: unknown };
/** One page of a provider's list; `next` is the cursor of the next page. */
export type VoicePage = { rows: unknown[]; next?: string | undefined };
