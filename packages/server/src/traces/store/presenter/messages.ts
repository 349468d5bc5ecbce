import type { RecordAddress } from "../../span-batch.ts";
import type { TraceSummaryRow } from "../../summary-row.ts";
import type { TraceBody } from "../body-rows.ts";
import type { SpanRow } from "../span-row.ts";

/** A conversation that the store has found: with its bodies in the order of the journal, or with its spans as lines of `SpanLine`. */
export type FoundConversation = { summary: TraceSummaryRow; truncated: boolean } & (
  | {
      bodies: readonly TraceBody[];
      /** The version of the journal's files for which the addresses of the bodies are valid. */
      journalVersion: number;
    }
  | { lines: Uint8Array<ArrayBuffer> }
);

export type PresenterFace = {
  options: PresenterOptions;
  calls: {
    json: (request: JsonRequest, signal: AbortSignal) => Promise<Uint8Array[] | NotPresented>;
    /** Sends the spans in `rows` events with this number. Resolves after the last event. */
    rows: (found: FoundConversation, number: number) => Promise<SpansRead | NotPresented>;
  };
  events: {
    /** Sent several times for many rows, because one large message would block the receiving thread for too long. */
    rows: (number: number, rows: SpanRow[]) => void;
    damagedRecord: (address: RecordAddress) => void;
  };
};

export type SpansRead = { truncated: boolean; lostSpans: number };

/** Why a conversation was not presented: it exceeds `bytesMax`, or the journal's files have changed. */
export type NotPresented = "too_large" | "outdated";

type PresenterOptions = {
  dataDir: string;
  journalVersion: Int32Array;
};

export type JsonRequest = FoundConversation & {
  /** Largest size of the JSON of all spans, in bytes. The result for a larger conversation is `too_large`. */
  bytesMax: number;
  nowMs: number;
  upToDate: boolean | null;
};
