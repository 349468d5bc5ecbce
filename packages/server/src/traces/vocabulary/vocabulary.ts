import type { MeasureName } from "@svc/contract";
import type { StoredSpan } from "../stored-span.ts";

export type VocabularyName = "simulation" | "platform_a" | "platform_b" | "pipecat" | "openinference" | "gen_ai";

export type Turn = {
  index: number;
  role: "user" | "agent";
  text: string | null; // null: not known or withheld; never empty
  startNs: bigint;
  endNs: bigint | null;
  interrupted: boolean | null;
  speechId: string | null;
  confidence: number | null;
  spanIds: string[]; // the spans that the turn was read from
};

export type ToolCall = {
  id: string | null;
  name: string | null;
  arguments: unknown; // parsed when it is JSON, else the text; null: withheld
  result: unknown;
  isError: boolean | null;
  startNs: bigint;
  endNs: bigint | null;
  turnIndex: number | null;
  spanId: string;
};

/** A stretch in which somebody speaks. */
export type Speaking = { startNs: bigint; endNs: bigint; turnIndex: number | null; spanId: string };

/** A request to a language model, with all its attempts. */
export type ModelCall = {
  model: string | null;
  provider: string | null;
  startNs: bigint;
  endNs: bigint | null;
  timeToFirstTokenMs: number | null;
  inputTokens: number | null; // cached ones among them
  cachedInputTokens: number | null;
  outputTokens: number | null;
  isError: boolean | null;
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
  turnIndex: number | null;
  spanId: string;
};

/** What the platform itself states on a turn. */
export type TurnReport = {
  turnIndex: number | null;
  responseLatencyMs: number | null; // an agent's turn: from the end of the user's speech to its first audio
  interruptedBy: "user" | "program" | null;
  endOfUtteranceDelayMs: number | null; // a user's turn: from the end of its speech to the decision that it has ended
  transcriptionDelayMs: number | null;
};

/** A time whose unit nothing stated, and by what it was told. */
export type UnitInferred = {
  attribute: string;
  unit: "milliseconds" | "seconds";
  by: "span_times" | "names" | "size";
};

/** How far the spans can be trusted. */
export type ReadingQuality = {
  language: "python" | "javascript" | null; // of the sender
  unitsInferred: UnitInferred[];
  unmappedKeys: { key: string; count: number }[]; // the family's keys that the vocabulary does not know
  contentWithheld?: boolean; // as the platform states it
};

/** How a call came to its end, whatever the platform calls it. */
export type CallEnding = "completed" | "taken_over" | "no_contact" | "dead_air" | "limit" | "fault";

/** What a hosted platform states of a whole call, and of no turn in it. */
export type CallReport = {
  status: string | null;
  ending: { reason: string; group: CallEnding | null } | null;
  verdicts: { name: string; value: unknown }[]; // the platform's own, by name
  tokens: number | null; // of all requests to the language model, input and output together
  costCents: number | null; // US cents
  latencies: Partial<Record<MeasureName, number[]>>; // raw values in milliseconds
};

/** A turn before its place in the conversation is known. */
export type TurnDraft = Omit<Turn, "index">;

/** What belongs to a turn, before the turn's place is known. */
export type OfTurn<Placed> = Omit<Placed, "turnIndex"> & { turn: TurnDraft | null };

export type ToolCallDraft = OfTurn<ToolCall>;

/** What a vocabulary makes of a conversation's spans, in any order. */
export type Reading = {
  generation: string | null;
  modality: "voice" | "text" | null; // text: typed and printed, no audio
  session: { startNs: bigint; endNs: bigint | null } | null;
  turns: TurnDraft[];
  toolCalls: ToolCallDraft[];
  userSpeech: OfTurn<Speaking>[];
  agentSpeech: OfTurn<Speaking>[];
  modelCalls: OfTurn<ModelCall>[];
  speechCalls: OfTurn<SpeechCall>[];
  turnReports: OfTurn<TurnReport>[];
  quality: ReadingQuality;
  timing?: "approximate"; // when words were spoken is only about known
  callReport?: CallReport;
};

/** The names that one family of senders gives to spans and attributes, and how a conversation is read from them. */
export type Vocabulary = {
  name: VocabularyName;
  /** The span can only come from this family. */
  recognises(span: StoredSpan): boolean;
  /** Takes every span of the conversation once, by start, other families' among them; must not throw whatever the attributes hold. */
  read(spans: readonly StoredSpan[]): Reading;
};
