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

/** A reading with its turns in order, and what belongs to a turn with the turn's place, by start. */
export type Conversation = {
  vocabulary: VocabularyName | null;
  turns: Turn[];
} & {
  [Part in Exclude<keyof Reading, "turns">]: Reading[Part] extends (infer Draft)[] ? Placed<Draft>[] : Reading[Part];
};

type Placed<Draft> = Omit<Draft, "turn"> & { turnIndex: number | null };

/** The first that recognises a span reads them all: the ones before speak of the ones behind in their own spans. */
const VOCABULARIES: readonly Vocabulary[] = [simulation, platformA, platformB, pipecat, openInference, genAi];

const NOTHING: Conversation = {
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
 * What was said and done, read from the spans that are there: the same whatever their order and however often each was
 * sent. Never throws, whatever the attributes hold.
 */
export function conversationOf(spans: readonly StoredSpan[]): Conversation {
  const vocabulary = VOCABULARIES.find((candidate) => spans.some((span) => candidate.recognises(span)));
  if (vocabulary === undefined) return NOTHING;
  const reading = vocabulary.read(onceEach(spans));
  const turns = reading.turns.toSorted(inTurn);
  const indexOf = new Map(turns.map((turn, index) => [turn, index]));
  const placed = <Draft extends OfTurn<{ spanId: string; startNs: bigint }>>(drafts: readonly Draft[]) =>
    drafts.toSorted(byStartAndId).map((draft) => withIndex(draft, indexOf));
  return {
    vocabulary: vocabulary.name,
    generation: reading.generation,
    modality: reading.modality,
    session: reading.session,
    turns: turns.map((turn, index) => ({ index, ...turn })),
    toolCalls: placed(reading.toolCalls),
    userSpeech: placed(reading.userSpeech),
    agentSpeech: placed(reading.agentSpeech),
    modelCalls: placed(reading.modelCalls),
    speechCalls: placed(reading.speechCalls),
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

/** By start, each once; of two reports of a span, the one that knows more of its end, then of the rest. */
function onceEach(spans: readonly StoredSpan[]): StoredSpan[] {
  const bySpan = new Map<string, StoredSpan>();
  for (const span of spans) {
    const other = bySpan.get(spanKey(span));
    if (other === undefined || knowsMore(span, other)) bySpan.set(spanKey(span), span);
  }
  return [...bySpan.values()].sort(byStart);
}

function knowsMore(a: StoredSpan, b: StoredSpan): boolean {
  const [aEnd, bEnd] = [a.endNs ?? -1n, b.endNs ?? -1n];
  return aEnd === bEnd ? Object.keys(a.attributes).length > Object.keys(b.attributes).length : aEnd > bEnd;
}

/** The user first when both start at once: what is typed starts with its answer. */
const inTurn = (a: TurnDraft, b: TurnDraft): number =>
  compare(a.startNs, b.startNs) || compare(b.role, a.role) || compare(a.spanIds[0]!, b.spanIds[0]!);

const byStartAndId = (a: { startNs: bigint; spanId: string }, b: { startNs: bigint; spanId: string }): number =>
  compare(a.startNs, b.startNs) || compare(a.spanId, b.spanId);

const compare = <T extends bigint | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
