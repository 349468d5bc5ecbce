import { searchText } from "../../stores/search-text.ts";
import { conversationOf } from "../conversation.ts";
import { latencyOf, measuresOf } from "../measures/measures-of.ts";
import type { Measure } from "../measures/measure.ts";
import type { LatencyRow } from "../summary-row.ts";
import { type SpanRow, toStoredSpans } from "./spans.ts";

const PREVIEW_CHARACTERS = 200;
const TRANSCRIPT_CHARACTERS = 32_000;
const SAMPLES_MAX = 10_000;

/** What is stored of what was read from a conversation's spans; null is not known. */
export type Reading = {
  turns: number | null;
  toolCalls: number | null;
  latency: LatencyRow | null;
  preview: string | null;
  transcript: string | null; // as a text to search
  samples: SampleRow[];
};

type SampleRow = {
  measure: string;
  atMs: number;
  value: number;
  provenance: string;
  turn: number | null;
};

export const NOTHING_READ: Reading = {
  turns: null,
  toolCalls: null,
  latency: null,
  preview: null,
  transcript: null,
  samples: [],
};

/** `truncated`: there are more spans than `rows`. */
export function readingOf(rows: SpanRow[], truncated: boolean): Reading {
  const conversation = conversationOf(toStoredSpans(rows));
  if (conversation.vocabulary === null) return NOTHING_READ;
  const texts = conversation.turns.flatMap((turn) => turn.text ?? []);
  const measures = measuresOf(conversation);
  return {
    turns: truncated ? null : conversation.turns.length,
    toolCalls: truncated ? null : conversation.toolCalls.length,
    latency: truncated ? null : latencyOf(measures),
    preview: texts[0]?.slice(0, PREVIEW_CHARACTERS).toWellFormed() ?? null,
    transcript: searchText(texts.join("\n").slice(0, TRANSCRIPT_CHARACTERS).toWellFormed()) || null,
    samples: measures.flatMap(samplesOf).slice(0, SAMPLES_MAX),
  };
}

const samplesOf = ({ name, samples }: Measure): SampleRow[] =>
  samples.map(({ atNs, value, provenance, turnIndex }) => ({
    measure: name,
    atMs: Number(atNs / 1_000_000n),
    value,
    provenance,
    turn: turnIndex,
  }));
