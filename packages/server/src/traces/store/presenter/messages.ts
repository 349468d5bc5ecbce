import type { RecordAddress } from "../../span-batch.ts";
import type { TraceSummaryRow } from "../../summary-row.ts";
import type { SpanIndex } from "../span-index.ts";
import type { SpanRow } from "../span-row.ts";

/** A conversation as the store found it: with the addresses of its spans in the journal, or with the lines of `span-lines.ts`. */
export type FoundConversation = { summary: TraceSummaryRow; truncated: boolean } & (
  | {
      index: SpanIndex;
      /** The version of the journal's files to which the addresses in `index` belong. */
      journalVersion: number;
    }
  | { lines: Uint8Array<ArrayBuffer> }
);

export type PresenterOptions = {
  dataDir: string;
  journalVersion: Int32Array;
  /** Whether answers show credentials in attributes. */
  showsCredentials: boolean;
};

/** A message to the presenter thread. */
export type PresenterRequest = FoundConversation & {
  id: number;
  /** `json`: the answer of the interface. `rows`: the spans, for code that reads them itself. */
  as: "json" | "rows";
  /** Limit of the spans' JSON; a conversation beyond it is not presented. */
  bytesMax: number;
  nowMs: number;
  upToDate: boolean | null;
  /** 1 in the first element makes the thread stop. */
  canceled: Int32Array;
};

/** A message from the presenter thread. */
export type PresenterEvent = PresenterAnswer | { kind: "damaged_record"; address: RecordAddress };

export type PresenterAnswer = { id: number } & (
  | { kind: "json"; pieces: Uint8Array[] }
  | { kind: "rows"; rows: SpanRow[] }
  | { kind: "complete"; truncated: boolean }
  | { kind: "too_large" }
  | { kind: "outdated" }
  | { kind: "canceled" }
  | { kind: "failure"; error: unknown }
);
