import type { MeasureName } from "@svc/contract";
import type * as Wire from "@svc/contract";
import type { StoredSpan } from "../stored-span.ts";

export type VocabularyName = "simulation" | "platform_a" | "platform_b" | "pipecat" | "openinference" | "gen_ai";

export type Turn = {
  index: number;
  role: "user" | "agent" | "third_party";
  text: string | null; // the whole text; null: unknown or withheld; never empty
  heardText: string | null; // the played part, if cut short; null: not cut short, or unknown
  agentName: string | null; // if there are several agents, the one that takes this turn
  startNs: bigint;
  endNs: bigint | null;
  interrupted: boolean | null;
  speechId: string | null;
  confidence: number | null;
  spanIds: string[]; // the spans that the turn was derived from
};

export type ToolCall = {
  id: string | null;
  name: string | null;
  arguments: unknown; // the parsed value if it is JSON, else the text; null: withheld
  result: unknown; // in the same form as `arguments`
  isError: boolean | null;
  startNs: bigint;
  endNs: bigint | null;
  resultNs?: bigint; // when the agent had the result, if the call's end is unknown
  turnIndex: number | null;
  spanId: string;
};

/** The error of a failed call. */
export type CallError = { type: string | null; message: string | null };

/** An answer that the agent began and that the user did not hear. */
export type UnspokenTurn = {
  outcome: "failed" | "discarded";
  text: string | null;
  agentName: string | null;
  error: CallError | null;
  startNs: bigint;
  endNs: bigint | null;
  spanIds: string[];
};

/** A period in which one party speaks. */
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
  error: CallError | null; // the last attempt's
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

/** Values that the platform reports for one turn. */
export type TurnReport = {
  turnIndex: number | null;
  responseLatencyMs: number | null; // agent turn: from the end of the user's speech to the agent's first audio
  textResponseMs: number | null; // agent turn: from the user's typed message to the whole answer
  interruptedBy: "user" | "program" | null;
  endOfUtteranceDelayMs: number | null; // user turn: from the end of the speech to the decision that the turn is over
  transcriptionDelayMs: number | null;
};

/** A unit that no attribute states, and the fact from which it was inferred. */
export type InferredUnit = {
  attribute: string;
  unit: "milliseconds" | "seconds";
  by: "span_times" | "names" | "size";
};

/** Facts about the spans that show how far the reading can be trusted. */
export type SpanQuality = {
  language: "python" | "javascript" | null; // the language of the sender
  unitsInferred: InferredUnit[];
  unmappedKeys: { key: string; count: number }[]; // keys of this sender family that the vocabulary does not know
  contentWithheld?: boolean; // reported by the platform
  credentialsRemoved?: number; // turns and tool calls from which a text with a credential was removed
  stalledTurns?: number; // turns whose end is unknown because the service stalled
};

/** The groups of reasons why a call ends. The reasons of each platform are mapped to these groups. */
export type CallEnding = "completed" | "taken_over" | "no_contact" | "dead_air" | "limit" | "fault";

/** Values that a hosted platform reports for a whole call. */
export type CallReport = Omit<Wire.CallReport, "provenance"> & {
  /** The platform's latencies that are defined like one of the measures, by the measure's name. */
  measures: Partial<Record<MeasureName, ReportedValues>>;
};

/** Raw values in milliseconds, and the platform's summary of them. If there are no raw values, the summary has their count. */
export type ReportedValues = { values: number[]; reported: Wire.CallReport["latencies"][number] };

/** A turn without its position in the conversation. */
export type TurnDraft = Omit<Turn, "index">;

/** An item that refers to its turn by the draft, because turns have no index yet. */
export type DraftOf<Item> = Omit<Item, "turnIndex"> & { turn: TurnDraft | null };

export type ToolCallDraft = DraftOf<ToolCall>;

/** The conversation that a vocabulary derives from spans. The lists are in any order. */
export type ConversationDraft = {
  generation: string | null;
  modality: "voice" | "text" | null; // text: typed and printed, no audio
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
  timing?: "approximate"; // the times of speech are estimates
  callReport?: CallReport | undefined;
};

/** Maps the spans and attributes of one family of senders to a conversation. */
export type Vocabulary = {
  name: VocabularyName;
  /** Returns true if only this family can have sent the span. */
  recognises(span: StoredSpan): boolean;
  /**
   * Derives the conversation from all its spans. They must be sorted by start and unique. They may include spans of other
   * families. Never throws, whatever the attributes contain.
   */
  read(spans: readonly StoredSpan[]): ConversationDraft;
};
