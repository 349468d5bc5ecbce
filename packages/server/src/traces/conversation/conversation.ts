import type { StoredSpan } from "../stored-span.ts";
import type { CallLine } from "@svc/contract";
import { callLineOf } from "../vocabulary/call-line.ts";
import { genAi } from "../vocabulary/gen-ai.ts";
import { type HeardSound, heardSoundOf } from "../vocabulary/heard.ts";
import { openInference } from "../vocabulary/openinference.ts";
import { pipecat } from "../vocabulary/pipecat.ts";
import { platformA } from "../vocabulary/platform-a.ts";
import { platformB } from "../vocabulary/platform-b.ts";
import { isRootOfCall, isSimulationAlone, isTypedSimulation } from "../vocabulary/simulation-names.ts";
import { simulation } from "../vocabulary/simulation.ts";
import type {
  ConversationDraft,
  DraftOf,
  Turn,
  TurnDraft,
  UnspokenTurn,
  Vocabulary,
  VocabularyName,
} from "../vocabulary/vocabulary.ts";
import { ATTEMPT_KEY } from "./identity-keys.ts";
import { inOrder, spanKeys } from "./span-tree.ts";

export type * from "../vocabulary/vocabulary.ts";
export type { HeardSound } from "../vocabulary/heard.ts";

/** The turns are sorted by start. An item that belongs to a turn has the index of the turn. */
export type Conversation = {
  vocabulary: VocabularyName | null;
  turns: Turn[];
  lostSpans?: number; // spans that cannot be read from the journal
  heard?: HeardSound;
  line?: CallLine;
  earlierAttemptSpans?: number; // spans of earlier attempts, when the service repeated the simulation
} & {
  [Key in Exclude<keyof ConversationDraft, "turns">]: ConversationDraft[Key] extends (infer Draft extends {
    turn: unknown;
  })[]
    ? WithTurnIndex<Draft>[]
    : ConversationDraft[Key];
};

type WithTurnIndex<Draft> = Omit<Draft, "turn"> & { turnIndex: number | null };

/**
 * A vocabulary maps the attribute names of one family of senders. Usually the first vocabulary in this list that recognises a span reads
 * the whole conversation. The order matters, because the spans of a family can also have attributes of families that come later in the
 * list.
 */
const VOCABULARIES: readonly Vocabulary[] = [simulation, platformA, platformB, pipecat, openInference, genAi];

const EMPTY_CONVERSATION: Conversation = {
  vocabulary: null,
  generation: null,
  modality: null,
  session: null,
  turns: [],
  unspokenTurns: [],
  toolCalls: [],
  userSpeech: [],
  agentSpeech: [],
  thirdPartySpeech: [],
  modelCalls: [],
  speechCalls: [],
  turnReports: [],
  quality: { language: null, unitsInferred: [], unmappedKeys: [] },
  timing: undefined,
  callReport: undefined,
};

/**
 * Derives the conversation from its spans. The order of the spans and copies of a span do not change the result. Never throws, whatever the
 * attributes contain.
 */
export function conversationOf(all: readonly StoredSpan[], lostSpans = 0): Conversation {
  const { last: spans, earlierSpans } = lastAttemptOf(all);
  const counts = {
    ...(lostSpans > 0 && { lostSpans }),
    ...(earlierSpans > 0 && { earlierAttemptSpans: earlierSpans }),
  };
  const uniqueSpans = deduplicated(spans);
  const sound = heardSoundOf(uniqueSpans);
  const line = callLineOf(uniqueSpans);
  const heard = { ...(sound !== null && { heard: sound }), ...(line !== null && { line }) };
  const reading = readingOf(spans, uniqueSpans);
  if (reading === null) return { ...EMPTY_CONVERSATION, ...counts, ...heard };
  const { vocabulary, draft } = reading;
  const turns = draft.turns.toSorted(byStartAndRole);
  const indexOf = new Map(turns.map((turn, index) => [turn, index]));
  const indexed = <Draft extends DraftOf<{ spanId: string; startNs: bigint }>>(drafts: readonly Draft[]) =>
    drafts.toSorted(byStartTime).map((draft) => withIndex(draft, indexOf));
  return {
    vocabulary: vocabulary.name,
    ...counts,
    ...heard,
    generation: draft.generation,
    modality: draft.modality ?? (isTypedSimulation(spans) ? "text" : sound === null ? null : "voice"),
    session: draft.session,
    turns: turns.map((turn, index) => ({ index, ...turn })),
    unspokenTurns: draft.unspokenTurns.toSorted(byStartAndSpan),
    toolCalls: indexed(draft.toolCalls),
    userSpeech: indexed(draft.userSpeech),
    agentSpeech: indexed(draft.agentSpeech),
    thirdPartySpeech: indexed(draft.thirdPartySpeech),
    modelCalls: indexed(draft.modelCalls),
    speechCalls: indexed(draft.speechCalls),
    turnReports: draft.turnReports
      .map((report) => withIndex(report, indexOf))
      .sort((a, b) => a.turnIndex! - b.turnIndex!),
    quality: draft.quality,
    timing: draft.timing,
    callReport: draft.callReport,
  };
}

/**
 * If all spans are from this service, reads them as a simulation. If the agent's worker also sent spans of a simulated call with sound,
 * reads the worker's spans instead, because they have the values that the worker measured.
 */
function readingOf(all: readonly StoredSpan[], spans: readonly StoredSpan[]) {
  const isRecognised = (vocabulary: Vocabulary) => all.some((span) => vocabulary.recognises(span));
  const first = VOCABULARIES.find(isRecognised) ?? (isSimulationAlone(all) ? simulation : undefined);
  if (first === undefined) return null;
  const others = first === simulation && spans.some(isRootOfCall) ? VOCABULARIES : [];
  for (const vocabulary of others) {
    if (vocabulary === first || !isRecognised(vocabulary)) continue;
    const draft = vocabulary.read(spans);
    if (draft.turns.length > 0) return { vocabulary, draft };
  }
  return { vocabulary: first, draft: first.read(spans) };
}

/** Returns a function that tells whether the vocabulary recognises a span. The agent sent the recognised spans. */
export const isRecognisedBy = (name: VocabularyName | null): ((span: StoredSpan) => boolean) => {
  const vocabulary = VOCABULARIES.find((one) => one.name === name);
  return (span) => vocabulary?.recognises(span) ?? false;
};

function withIndex<Draft extends { turn: TurnDraft | null }>(
  { turn, ...draft }: Draft,
  indexOf: Map<TurnDraft, number>,
) {
  return { ...draft, turnIndex: turn === null ? null : (indexOf.get(turn) ?? null) };
}

/** Returns one copy of each span: the copy with the latest end; at equal ends, the copy with the most attributes. */
function deduplicated(spans: readonly StoredSpan[]): readonly StoredSpan[] {
  const keyOf = spanKeys(spans);
  const bySpan = new Map<string, StoredSpan>();
  for (const span of spans) {
    const key = keyOf(span.traceId, span.spanId);
    const other = bySpan.get(key);
    if (other === undefined || isMoreComplete(span, other)) bySpan.set(key, span);
  }
  return inOrder([...bySpan.values()]);
}

function isMoreComplete(a: StoredSpan, b: StoredSpan): boolean {
  const [aEnd, bEnd] = [a.endNs ?? -1n, b.endNs ?? -1n];
  return aEnd === bEnd ? Object.keys(a.attributes).length > Object.keys(b.attributes).length : aEnd > bEnd;
}

const byStartAndSpan = (a: UnspokenTurn, b: UnspokenTurn): number =>
  compare(a.startNs, b.startNs) || compare(a.spanIds[0]!, b.spanIds[0]!);

/** Compares turns by start. At the same start, the user's turn comes first, because a typed message starts together with its answer. */
const byStartAndRole = (a: TurnDraft, b: TurnDraft): number =>
  compare(a.startNs, b.startNs) || compare(b.role, a.role) || compare(a.spanIds[0]!, b.spanIds[0]!);

/** Items with the same start keep the vocabulary's order, which is the order of the chat or transcript. */
const byStartTime = (a: { startNs: bigint }, b: { startNs: bigint }): number => compare(a.startNs, b.startNs);

const compare = <T extends bigint | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Leaves out the spans that the agent sent in earlier attempts: the service repeats a simulation that stalled or was stopped. Spans that
 * name no attempt count as spans of the last attempt.
 */
function lastAttemptOf(spans: readonly StoredSpan[]): { last: readonly StoredSpan[]; earlierSpans: number } {
  let newest = 0;
  let oldest = Infinity;
  for (const span of spans) {
    const attempt = attemptOf(span);
    newest = Math.max(newest, attempt ?? newest);
    oldest = Math.min(oldest, attempt ?? oldest);
  }
  if (oldest >= newest) return { last: spans, earlierSpans: 0 };
  const last = spans.filter((span) => (attemptOf(span) ?? newest) === newest);
  return { last, earlierSpans: spans.length - last.length };
}

function attemptOf({ attributes, resource }: StoredSpan): number | undefined {
  const value = attributes[ATTEMPT_KEY] ?? resource[ATTEMPT_KEY];
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const attempt = Number(value);
  return Number.isSafeInteger(attempt) && attempt > 0 ? attempt : undefined;
}
