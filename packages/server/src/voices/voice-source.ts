import type { ListedVoice } from "../capabilities/voice-listing.ts";

export type Credential = { apiKey: string; region: string | undefined };

/** How one provider lists its voices. */
export type VoiceSource = {
  /** Where it answers, with a slash at the end; no other host is asked. */
  address: (region: string) => string;
  headers: (credential: Credential, url: URL, nowMs: number) => Record<string, string>;
  /** What to ask for the page that a cursor names; the first has none. */
  request: (cursor: string | undefined) => PageRequest;
  /** Throws when the body is no page of a list. */
  readPage: (body: unknown, cursor: string | undefined) => Page | "refused" | "limited";
  /** Undefined for a row that is no voice. */
  readVoice: (row: unknown) => ListedVoice | undefined;
};

type PageRequest = { path: string; query?: Record<string, string>; post?: unknown };
export type Page = { rows: unknown[]; next?: string | undefined };
