import type { ListedVoice } from "../capabilities/voice-listing.ts";

export type ProviderCredential = { apiKey: string; region: string | undefined };

export type VoiceSource = {
  /** Returns the provider's address with a trailing slash. Requests are sent to no other host. */
  address: (region: string) => string;
  headers: (credential: ProviderCredential, url: URL, nowMs: number) => RequestHeaders | Promise<RequestHeaders>;
  /** Without a cursor, returns the request for the first page. */
  request: (cursor: string | undefined) => PageRequest;
  /** Throws when the answer is not a page of voices. `refused` means a rejected key, and `limited` too many requests. */
  readPage: (body: unknown, cursor: string | undefined) => VoicePage | "refused" | "limited";
  readVoice: (row: unknown) => ListedVoice | undefined;
};

type RequestHeaders = Record<string, string>;
type PageRequest = { path: string; query?: Record<string, string>; post?: unknown };
/** `next` is the cursor of the next page; undefined on the last page. */
export type VoicePage = { rows: unknown[]; next?: string | undefined };
