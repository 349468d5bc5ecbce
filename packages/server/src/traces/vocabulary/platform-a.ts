import type { StoredSpan } from "../stored-span.ts";
import { contentOf, flagOf, listOf, numberOf, structureOf, textOf } from "./attribute-values.ts";
import { countKeys } from "./count-keys.ts";
import { EMPTY_TURN } from "./empty-turn.ts";
import { callReport } from "./platform-a/call-report.ts";
import { KEY, ORDER_ONLY, PREFIX, SCOPE, SPAN } from "./platform-a/names.ts";
import { sessionOf } from "./sessions.ts";
import type { ConversationDraft, DraftOf, SpeechPeriod, ToolCallDraft, TurnDraft, Vocabulary } from "./vocabulary.ts";

const ROLE_OF: Record<string, TurnDraft["role"]> = {
  [SPAN.userTurn]: "user",
  [SPAN.agentTurn]: "agent",
  [SPAN.thirdPartyTurn]: "third_party",
};
const KNOWN_KEYS = new Set<string>(Object.values(KEY));
const KNOWN_PREFIXES = Object.values(PREFIX);

/** Maps the spans that this service writes for the calls that it imports from Retell. */
export const platformA: Vocabulary = {
  name: "platform_a",

  recognises: ({ scopeName }) => scopeName === SCOPE,

  read(all) {
    const spans = all.filter((span) => platformA.recognises(span));
    const inOrder = spans.toSorted((a, b) => positionOf(a) - positionOf(b));
    const turnOf = new Map(inOrder.flatMap((span) => (Object.hasOwn(ROLE_OF, span.name) ? [[span, turn(span)]] : [])));
    const call = spans.find(({ name }) => name === SPAN.call);
    const periods =
      call === undefined ? [] : [...turnOf].flatMap(([span, turn]) => speechPeriodsOf(span, turn, call.startNs));
    return {
      generation: call?.scopeVersion ?? null,
      modality: "voice",
      session: sessionOf(call),
      turns: [...turnOf.values()],
      unspokenTurns: [],
      toolCalls: toolCalls(inOrder, turnOf),
      userSpeech: periods.filter(({ turn }) => turn!.role === "user"),
      agentSpeech: periods.filter(({ turn }) => turn!.role === "agent"),
      thirdPartySpeech: periods.filter(({ turn }) => turn!.role === "third_party"),
      modelCalls: [],
      speechCalls: [],
      turnReports: [],
      quality: qualityOf(spans, call),
      timing: "approximate",
      callReport: callReport(spans),
    };
  },
};

/** A span without a position sorts last. */
const positionOf = ({ attributes }: StoredSpan): number => numberOf(attributes[KEY.index]) ?? Infinity;

function turn({ name, attributes, startNs, endNs, spanId }: StoredSpan): TurnDraft {
  return {
    role: ROLE_OF[name]!,
    text: textOf(attributes[KEY.content]),
    startNs,
    endNs: attributes[KEY.timing] === ORDER_ONLY ? null : endNs,
    ...EMPTY_TURN,
    spanIds: [spanId],
  };
}

function qualityOf(spans: readonly StoredSpan[], call: StoredSpan | undefined): ConversationDraft["quality"] {
  const withheld = flagOf(call?.attributes[KEY.contentWithheld]);
  const removed = spans.filter(({ attributes }) => flagOf(attributes[KEY.credentialRemoved]) === true).length;
  return {
    language: null,
    unitsInferred: [],
    unmappedKeys: countKeys(
      spans,
      (key) =>
        key.startsWith("platform_a.") &&
        !KNOWN_KEYS.has(key) &&
        !KNOWN_PREFIXES.some((prefix) => key.startsWith(prefix)),
    ),
    ...(withheld !== null && { contentWithheld: withheld }),
    ...(removed > 0 && { credentialsRemoved: removed }),
  };
}

/** Longest pause between two words of one period of speech. */
const PAUSE_SECONDS = 1;
const LONGEST_SECONDS = 24 * 3600;

/** Words without times are ignored. */
function speechPeriodsOf(span: StoredSpan, turn: TurnDraft, callStartNs: bigint): DraftOf<SpeechPeriod>[] {
  const periods: { start: number; end: number }[] = [];
  const times = listOf(structureOf(span.attributes[KEY.words])).map(timesOf);
  for (const { start, end } of times.filter((word) => word !== null).sort((a, b) => a.start - b.start)) {
    const last = periods.at(-1);
    if (last === undefined || start - last.end > PAUSE_SECONDS) periods.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  const atNs = (seconds: number) => callStartNs + BigInt(Math.round(seconds * 1e6)) * 1000n;
  return periods.map(({ start, end }) => ({
    startNs: atNs(start),
    endNs: atNs(end),
    turn,
    spanId: span.spanId,
  }));
}

function timesOf(word: unknown): { start: number; end: number } | null {
  const [, start, end] = listOf(word);
  return isTime(start) && isTime(end) && start <= end ? { start, end } : null;
}

const isTime = (seconds: unknown): seconds is number =>
  typeof seconds === "number" && seconds >= 0 && seconds <= LONGEST_SECONDS;

/**
 * Returns the tool calls in the order of the transcript, which contains no durations. A call belongs to the agent's latest turn after the
 * user's last turn, or to the agent's next turn when there is none.
 */
function toolCalls(inOrder: readonly StoredSpan[], turnOf: Map<StoredSpan, TurnDraft>): ToolCallDraft[] {
  const calls: ToolCallDraft[] = [];
  let waiting: ToolCallDraft[] = [];
  let agent: TurnDraft | null = null;
  for (const span of inOrder) {
    const turn = turnOf.get(span);
    if (turn?.role === "user") {
      agent = null;
      waiting = [];
    } else if (turn?.role === "agent") {
      agent = turn;
      for (const call of waiting.splice(0)) call.turn = turn;
    } else if (span.name === SPAN.toolCall) {
      const call = toolCall(span, agent);
      calls.push(call);
      if (agent === null) waiting.push(call);
    }
  }
  return calls;
}

function toolCall({ attributes, startNs, spanId }: StoredSpan, turn: TurnDraft | null): ToolCallDraft {
  const resultTime = textOf(attributes[KEY.resultTime]) ?? "";
  const successful = flagOf(attributes[KEY.successful]);
  return {
    id: textOf(attributes[KEY.toolCallId]),
    name: textOf(attributes[KEY.toolName]),
    arguments: contentOf(attributes[KEY.arguments]),
    result: contentOf(attributes[KEY.result]),
    isError: successful === null ? null : !successful,
    startNs,
    endNs: null,
    ...(/^\d{1,19}$/.test(resultTime) && { resultNs: BigInt(resultTime) }),
    turn,
    spanId,
  };
}
