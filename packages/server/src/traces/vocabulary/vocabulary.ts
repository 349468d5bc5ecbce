import type { MeasureName } from "@svc/contract";
import type * as Wire from "@svc/contract";
import type { StoredSpan } from "../stored-span.ts";

export type VocabularyName = "simulation" | "platform_a" | "platform_b" | "pipecat" | "openinference" | "gen_ai";

export type Turn = {
  index: number;
  role: "user" | "agent" | "third_party";
  text: string | null; // the whole text, never empty; null when unknown or withheld
  heardText: string | null; // the played part of an interrupted turn; null when not interrupted, or unknown
  agentName: string | null; // the agent of this turn, when there are several
  startNs: bigint;
  endNs: bigint | null;
  interrupted: boolean | null;
  speechId: string | null;
  confidence: number | null;
  spanIds: string[];
};

export type ToolCall = {
  id: string | null;
  name: string | null;
  arguments: unknown; // parsed when it is JSON, else the text; null when withheld
  result: unknown; // in the same form as `arguments`
  isError: boolean | null;
  startNs: bigint;
  endNs: bigint | null;
  resultNs?: bigint; // when the agent got the result; only set when the call's end is unknown
  turnIndex: number | null;
  spanId: string;
};

export type CallError = { type: string | null; message: string | null };

/** An answer that the agent began but the user did not hear. */
export type UnspokenTurn = {
  outcome: "failed" | "discarded";
  text: string | null;
  agentName: string | null;
  error: CallError | null;
  startNs: bigint;
  endNs: bigint | null;
  spanIds: string[];
};

export type SpeechPeriod = { startNs: bigint; endNs: bigint; turnIndex: number | null; spanId: string };

/** A request to a language model, with all its attempts. */
export type ModelCall = {
  model: string | null;
  provider: string | null;
  startNs: bigint;
  endNs: bigint | null;
  timeToFirstTokenMs: number | null;
  inputTokens: number | null; // includes cached tokens
  cachedInputTokens: number | null;
  outputTokens: number | null;
  isError: boolean | null;
  error: CallError | null; // of the last attempt
  retries: number | null;
  turnIndex: number | null;
  spanId: string;
};

/** A request to speech synthesis, or the recognition of one user turn. */
export type SpeechCall = {
  kind: "tts" | "stt";
  model: string | null;
  provider: string | null;
  startNs: bigint;
  endNs: bigint | null;
  timeToFirstByteMs: number | null;
  characters: number | null;
  audioMs: number | null;
  isError: boolean | null;
  error: CallError | null;
  turnIndex: number | null;
  spanId: string;
};

export type TurnReport = {
  turnIndex: number | null;
  responseLatencyMs: number | null; // of an agent turn: from the end of the user's speech to the agent's first audio
  textResponseMs: number | null; // of an agent turn: from the user's typed message to the whole answer
  interruptedBy: "user" | "program" | null;
  endOfUtteranceDelayMs: number | null; // of a user turn: from the end of the speech to the decision that the turn is over
  transcriptionDelayMs: number | null;
};

/** Unit of an attribute whose name does not contain the unit. `by` is the fact from which the unit was inferred. */
export type InferredUnit = {
  attribute: string;
  unit: "milliseconds" | "seconds";
  by: "span_times" | "names" | "size";
};

export type SpanQuality = {
  language: "python" | "javascript" | null;
  unitsInferred: InferredUnit[];
  unmappedKeys: { key: string; count: number }[]; // keys of this sender family that the vocabulary does not know, with numbers of spans
  contentWithheld?: boolean; // reported by the platform
  credentialsRemoved?: number; // number of turns and tool calls from which a text with a credential was removed
  stalledTurns?: number; // number of turns whose end is unknown because the service stalled
};

/** Groups of the reasons for which a call ended. The reasons of each platform are mapped to these groups. */
export type CallEnding = "completed" | "taken_over" | "no_contact" | "dead_air" | "limit" | "fault";

export type CallReport = Omit<Wire.CallReport, "provenance"> & {
  /** Latencies of the platform that have the same definition as a measure, by the measure's name. */
  measures: Partial<Record<MeasureName, ReportedValues>>;
};

/** Raw values in milliseconds, and the platform's summary of them. Without raw values, the summary has their count. */
export type ReportedValues = { values: number[]; reported: Wire.CallReport["latencies"][number] };

export type TurnDraft = Omit<Turn, "index">;

/** An item with a reference to its turn's draft instead of the turn's index, which does not exist yet. */
export type DraftOf<Item> = Omit<Item, "turnIndex"> & { turn: TurnDraft | null };

export type ToolCallDraft = DraftOf<ToolCall>;

/** A conversation as a vocabulary reads it from spans. The lists are in any order. */
export type ConversationDraft = {
  generation: string | null;
  modality: "voice" | "text" | null; // `text` means typed and printed, without audio
  session: { startNs: bigint; endNs: bigint | null } | null;
  turns: TurnDraft[];
  unspokenTurns: UnspokenTurn[];
  toolCalls: ToolCallDraft[];
  userSpeech: DraftOf<SpeechPeriod>[];
  agentSpeech: DraftOf<SpeechPeriod>[];
  thirdPartySpeech: DraftOf<SpeechPeriod>[];
  modelCalls: DraftOf<ModelCall>[];
  speechCalls: DraftOf<SpeechCall>[];
  turnReports: DraftOf<TurnReport>[];
  quality: SpanQuality;
  timing?: "approximate"; // set when the times of speech are estimates
  callReport?: CallReport | undefined;
};

export type Vocabulary = {
  name: VocabularyName;
  /** Returns true when only this family of senders can have sent the span. */
  recognises(span: StoredSpan): boolean;
  /**
   * Derives the conversation from all its spans, which must be sorted by start and unique. The spans may include spans of other families.
   * Never throws, whatever the attributes contain.
   */
  read(spans: readonly StoredSpan[]): ConversationDraft;
};
