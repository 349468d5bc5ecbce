import { byStart, spanKey } from "./span-tree.ts";
import type { StoredSpan } from "./stored-span.ts";
import { genAi } from "./vocabulary/gen-ai.ts";
import { openInference } from "./vocabulary/openinference.ts";
import { pipecat } from "./vocabulary/pipecat.ts";
import { platformA } from "./vocabulary/platform-a.ts";
import { platformB } from "./vocabulary/platform-b.ts";
import { simulation } from "./vocabulary/simulation.ts";
import type { OfTurn, Reading, Turn, TurnDraft, Vocabulary, VocabularyName } from "./vocabulary/vocabulary.ts";

export type * from "./vocabulary/vocabulary.ts";

/** A reading with its turns in order, and its other parts by start, each with the index of its turn. */
export type Conversation = {
  vocabulary: VocabularyName | null;
  turns: Turn[];
} & {
  [Part in Exclude<keyof Reading, "turns">]: Reading[Part] extends (infer Draft)[] ? WithIndex<Draft>[] : Reading[Part];
};

type WithIndex<Draft> = Omit<Draft, "turn"> & { turnIndex: number | null };

/** The first vocabulary that recognises a span reads all spans; later ones also occur within spans of earlier ones. */
const VOCABULARIES: readonly Vocabulary[] = [simulation, platformA, platformB, pipecat, openInference, genAi];

const EMPTY: Conversation = {
  vocabulary: null,
  generation: null,
  modality: null,
  session: null,
  turns: [],
  toolCalls: [],
  userSpeech: [],
  agentSpeech: [],
  modelCalls: [],
  speechCalls: [],
  turnReports: [],
  quality: { language: null, unitsInferred: [], unmappedKeys: [] },
  timing: undefined,
  callReport: undefined,
};

/**
 * Reads a conversation from its spans. The result depends neither on the order of the spans nor on resent ones. Never throws,
 * whatever the attributes hold.
 */
export function conversationOf(spans: readonly StoredSpan[]): Conversation {
  const vocabulary = VOCABULARIES.find((candidate) => spans.some((span) => candidate.recognises(span)));
  if (vocabulary === undefined) return EMPTY;
  const reading = vocabulary.read(withoutResent(spans));
  const turns = reading.turns.toSorted(byTurnStart);
  const indexOf = new Map(turns.map((turn, index) => [turn, index]));
  const indexed = <Draft extends OfTurn<{ spanId: string; startNs: bigint }>>(drafts: readonly Draft[]) =>
    drafts.toSorted(byStartAndId).map((draft) => withIndex(draft, indexOf));
  return {
    vocabulary: vocabulary.name,
    generation: reading.generation,
    modality: reading.modality,
    session: reading.session,
    turns: turns.map((turn, index) => ({ index, ...turn })),
    toolCalls: indexed(reading.toolCalls),
    userSpeech: indexed(reading.userSpeech),
    agentSpeech: indexed(reading.agentSpeech),
    modelCalls: indexed(reading.modelCalls),
    speechCalls: indexed(reading.speechCalls),
    turnReports: reading.turnReports
      .map((report) => withIndex(report, indexOf))
      .sort((a, b) => a.turnIndex! - b.turnIndex!),
    quality: reading.quality,
    timing: reading.timing,
    callReport: reading.callReport,
  };
}

function withIndex<Draft extends { turn: TurnDraft | null }>(
  { turn, ...draft }: Draft,
  indexOf: Map<TurnDraft, number>,
) {
  return { ...draft, turnIndex: turn === null ? null : (indexOf.get(turn) ?? null) };
}

/** Returns each span once, by start. Of two reports of a span it keeps the later end, then more attributes. */
function withoutResent(spans: readonly StoredSpan[]): StoredSpan[] {
  const bySpan = new Map<string, StoredSpan>();
  for (const span of spans) {
    const other = bySpan.get(spanKey(span));
    if (other === undefined || isFuller(span, other)) bySpan.set(spanKey(span), span);
  }
  return [...bySpan.values()].sort(byStart);
}

function isFuller(a: StoredSpan, b: StoredSpan): boolean {
  const [aEnd, bEnd] = [a.endNs ?? -1n, b.endNs ?? -1n];
  return aEnd === bEnd ? Object.keys(a.attributes).length > Object.keys(b.attributes).length : aEnd > bEnd;
}

/** Compares turns by start; the user comes first when both start at once, as a typed message and its answer do. */
const byTurnStart = (a: TurnDraft, b: TurnDraft): number =>
  compare(a.startNs, b.startNs) || compare(b.role, a.role) || compare(a.spanIds[0]!, b.spanIds[0]!);

const byStartAndId = (a: { startNs: bigint; spanId: string }, b: { startNs: bigint; spanId: string }): number =>
  compare(a.startNs, b.startNs) || compare(a.spanId, b.spanId);

const compare = <T extends bigint | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
