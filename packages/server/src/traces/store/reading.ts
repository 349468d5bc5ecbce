import type { Channel } from "@svc/contract";
import { searchText } from "../../stores/search-text.ts";
import { agentVersionOf } from "../conversation/agent-version.ts";
import { channelOf } from "../conversation/channel.ts";
import { conversationOf, isRecognisedBy } from "../conversation/conversation.ts";
import { unmarkedToolErrors } from "../conversation/failed-tools.ts";
import { type Preview, previewOf } from "../conversation/preview.ts";
import { type ReportedOutcome, reportedOutcomeOf } from "../conversation/reported-outcome.ts";
import { namesIn } from "../conversation/searched-names.ts";
import { interruptionsOf, latencyOf, readMeasures } from "../measures/measures-of.ts";
import type { Measure } from "../measures/measure.ts";
import { type TurnRow, turnRowsOf } from "../measures/turn-rows.ts";
import { impossibleSpans } from "../measures/plausible.ts";
import { qualityOf, type QualityTopic, topicsOf } from "../conversation/quality.ts";
import { type PackedSamples, packSamples, type SampleRow } from "./packed-samples.ts";
import type { StoredSpan } from "../stored-span.ts";
import type { LatencyRow, TraceSummaryRow } from "../summary-row.ts";

const TRANSCRIPT_CHARACTERS = 32_000;
const NAMES_CHARACTERS = 8_000;
const SAMPLES_MAX = 10_000;
const TOOL_USES_MAX = 10_000;
const TOOL_NAME_CHARACTERS = 256;

/** Null means unknown. */
export type StoredReading = {
  agentVersion: string | null;
  channel: Channel | null;
  turns: number | null;
  toolCalls: number | null;
  latency: LatencyRow | null;
  textResponse: LatencyRow | null;
  preview: Preview | null;
  reported: ReportedOutcome | null;
  otherErrors: number; // failed tool calls whose spans are not marked as failed
  transcript: string | null; // in the form of `searchText`
  names: string | null; // names of sessions and rooms, and texts of errors, in the form of `searchText`
  interruptions: number | null;
  qualityTopics: QualityTopic[] | null;
  samples: PackedSamples;
  toolUses: ToolUseRow[];
  turnRows: TurnRow[];
};

/** Facts about a conversation that its spans do not contain. */
export type SpanFacts = Pick<TraceSummaryRow, "rootEnded" | "endedNs" | "lastReceivedMs"> & {
  /** The attribute that contains the agent's version; null or undefined if the project names none. */
  versionAttribute?: string | null;
};

type ToolUseRow = { tool: string | null; atMs: number; isError: boolean | null };

export const EMPTY_READING: StoredReading = {
  agentVersion: null,
  channel: null,
  turns: null,
  toolCalls: null,
  latency: null,
  textResponse: null,
  preview: null,
  reported: null,
  otherErrors: 0,
  transcript: null,
  names: null,
  interruptions: null,
  qualityTopics: null,
  samples: packSamples([]),
  toolUses: [],
  turnRows: [],
};

/** If spans are missing (`truncated` or `lostSpans`), counts and latencies are unknown. */
export function readingOf(
  spans: readonly StoredSpan[],
  truncated: boolean,
  facts: SpanFacts,
  lostSpans = 0,
): StoredReading {
  const conversation = conversationOf(spans, lostSpans);
  const { measures, impossibleValues } = readMeasures(conversation);
  const impossibleTimes = impossibleSpans(spans) + impossibleValues;
  const qualityTopics = topicsOf(qualityOf(conversation, { ...facts, truncated, impossibleTimes }));
  const names = namesIn(spans).slice(0, NAMES_CHARACTERS).toWellFormed() || null;
  const { vocabulary } = conversation;
  const agentVersion = agentVersionOf(spans, facts.versionAttribute ?? null, isRecognisedBy(vocabulary));
  const isPart = truncated || conversation.lostSpans !== undefined;
  const channel = channelOf(spans, conversation, isPart);
  if (vocabulary === null) return { ...EMPTY_READING, agentVersion, channel, names, qualityTopics };
  const texts = conversation.turns.flatMap((turn) => turn.text ?? []);
  return {
    agentVersion,
    channel,
    turns: isPart ? null : conversation.turns.length,
    toolCalls: isPart ? null : conversation.toolCalls.length,
    latency: isPart ? null : latencyOf(measures),
    textResponse: isPart ? null : latencyOf(measures, "text_response_time"),
    preview: previewOf(conversation),
    reported: reportedOutcomeOf(conversation),
    otherErrors: unmarkedToolErrors(conversation, spans),
    transcript: searchText(texts.join("\n").slice(0, TRANSCRIPT_CHARACTERS).toWellFormed()) || null,
    names,
    interruptions: isPart ? null : interruptionsOf(measures),
    qualityTopics,
    samples: packSamples(measures.flatMap(samplesOf).slice(0, SAMPLES_MAX)),
    toolUses: conversation.toolCalls.slice(0, TOOL_USES_MAX).map(({ name, startNs, isError }) => ({
      tool: name?.slice(0, TOOL_NAME_CHARACTERS).toWellFormed() ?? null,
      atMs: Number(startNs / 1_000_000n),
      isError,
    })),
    turnRows: turnRowsOf(conversation, measures),
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

export type ReadingOutcome = { reading: StoredReading } | { error: unknown };

export function outcomeOf(read: () => StoredReading): ReadingOutcome {
  try {
    return { reading: read() };
  } catch (error) {
    return { error };
  }
}
