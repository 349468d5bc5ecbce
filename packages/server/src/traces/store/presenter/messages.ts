import type { RecordAddress } from "../../span-batch.ts";
import type { TraceSummaryRow } from "../../summary-row.ts";
import type { TraceBody } from "../body-rows.ts";
import type { SpanRow } from "../span-row.ts";

/** A conversation as the store found it: with its bodies in the journal in their order, or with the lines of `span-lines.ts`. */
export type FoundConversation = { summary: TraceSummaryRow; truncated: boolean } & (
  | {
      bodies: readonly TraceBody[];
      /** The version of the journal's files to which the addresses of the bodies belong. */
      journalVersion: number;
    }
  | { lines: Uint8Array<ArrayBuffer> }
);

/** The thread that turns the spans of a conversation into an answer. */
export type PresenterFace = {
  options: PresenterOptions;
  calls: {
    /** Returns the answer of the interface as JSON. */
    json: (request: JsonRequest, signal: AbortSignal) => Promise<Uint8Array[] | NotPresented>;
    /** Sends the spans as events with this number, and returns whether a limit cut them. */
    rows: (found: FoundConversation, number: number) => Promise<SpansRead | NotPresented>;
  };
  events: {
    /** Many rows come in several events: one message of all would stop the thread that receives it for long. */
    rows: (number: number, rows: SpanRow[]) => void;
    damagedRecord: (address: RecordAddress) => void;
  };
};

/** Whether a limit cut the spans that were read, and the number of spans that cannot be read. */
export type SpansRead = { truncated: boolean; lostSpans: number };

/** The reason why a conversation was not presented: it exceeds `bytesMax`, or the journal's files have changed. */
export type NotPresented = "too_large" | "outdated";

type PresenterOptions = {
  dataDir: string;
  journalVersion: Int32Array;
};

export type JsonRequest = FoundConversation & {
  /** Limit of the spans' JSON; a conversation beyond it is not presented. */
  bytesMax: number;
  nowMs: number;
  upToDate: boolean | null;
};
