import type { Span, ToolCall, Trace, Turn, UnspokenTurn } from "@svc/contract";
import { type Answer, answersOf, samplesByTurn, spokenAnswerTimes } from "./answers.ts";
import { type Clock, createClock, endOf, type Interval } from "./axis.ts";
import { type Bar, callBars, type Cut, cutsOf, type Silence, silencesOf, voiceOf } from "./intervals.ts";
import { barKinds, type SpanRow, spanRowsOf, spansByTurn } from "./spans.ts";

/** The row of one turn. */
export type TurnRow = {
  type: "turn";
  turn: Turn;
  atMs: number;
  /** Periods of speech; without a known one the whole turn as `work`. */
  voice: readonly Bar[];
  /** Calls to models and tools, and the wait for the turn's end. */
  calls: readonly Bar[];
  answer: Answer | null;
  isSlowest: boolean;
  /** The time to the answer as the caller heard it, beside a reported one. */
  heardAnswerMs: number | null;
  greetingMs: number | null;
  endOfTurnMs: number | null;
  cut: Cut | null;
  /** Periods in which both speak because of an interruption; they cross the rows of both turns. */
  bands: readonly Interval[];
  tools: readonly { call: ToolCall; index: number }[];
  spanCount: number;
};

export type TimelineRow =
  | TurnRow
  | { type: "silence"; silence: Silence }
  | { type: "unspoken"; unspoken: UnspokenTurn; index: number; atMs: number; untilMs: number }
  | { type: "loose"; period: Trace["speech"][number]; fromMs: number; untilMs: number };

/** A conversation as the timeline draws it. */
export type TimelineModel = {
  trace: Trace;
  clock: Clock;
  endMs: number;
  rows: readonly TimelineRow[];
  /** The rows of the turns, by index. */
  turnRows: readonly TurnRow[];
  answers: ReadonlyMap<number, Answer>;
  slowestMs: number;
  /** Whether no time of speech is known: the caller types, or the spans do not show it. */
  isPlain: boolean;
  /** Whether the caller is known to type. */
  isTyped: boolean;
  hasSeveralAgents: boolean;
  isApproximate: boolean;
  /** Whether answers are known well enough for the axis from the caller's last word. */
  hasAnswerAxis: boolean;
  /** Number of spans that belong to no turn. */
  restCount: number;
  spanRows(turn: number | null): readonly SpanRow[];
};

/** Returns the rows of a conversation, and what they share. */
export function timelineOf(trace: Trace): TimelineModel {
  const clock = createClock(trace);
  const endMs = endOf(trace);
  const answers = answersOf(trace, clock);
  const slowestMs = [...answers.values()].reduce((slowest, { ms }) => Math.max(slowest, ms), 0);
  const spans = spansByTurn(trace);
  const kinds = barKinds(trace);
  const cached = new Map<number | null, readonly SpanRow[]>();
  const isPlain = trace.speech.length === 0 && spokenAnswerTimes(trace).size === 0;
  const isTyped = isPlain && samplesByTurn(trace, "text_response_time").size > 0;
  const turnRows = turnRowsOf(trace, { clock, answers, slowestMs, spans, isPlain });
  return {
    trace,
    clock,
    endMs,
    rows: inOrder(turnRows, trace, clock, endMs),
    turnRows,
    answers,
    slowestMs,
    isPlain,
    isTyped,
    hasSeveralAgents: new Set(trace.turns.flatMap(({ agentName }) => agentName ?? [])).size > 1,
    isApproximate: trace.speech.some(({ provenance }) => provenance === "approximate"),
    hasAnswerAxis: !isPlain && answers.size > 0,
    restCount: spans.get(null)?.length ?? 0,
    spanRows(turn) {
      const known = cached.get(turn);
      if (known !== undefined) return known;
      const rows = spanRowsOf(spans.get(turn) ?? [], kinds);
      cached.set(turn, rows);
      return rows;
    },
  };
}

type Shared = {
  clock: Clock;
  answers: ReadonlyMap<number, Answer>;
  slowestMs: number;
  isPlain: boolean;
  spans: ReadonlyMap<number | null, readonly Span[]>;
};

function turnRowsOf(trace: Trace, { clock, answers, slowestMs, spans, isPlain }: Shared): TurnRow[] {
  const speech = Map.groupBy(trace.speech, ({ turnIndex }) => turnIndex);
  const calls = Map.groupBy(callBars(trace, clock), ({ turnIndex }) => turnIndex);
  const tools = Map.groupBy(
    trace.toolCalls.map((call, index) => ({ call, index })),
    ({ call }) => call.turnIndex,
  );
  const greetings = samplesByTurn(trace, "greeting_latency");
  const waits = samplesByTurn(trace, "end_of_utterance_delay");
  const heardAnswers = samplesByTurn(trace, "heard_response_latency");
  const cuts = cutsOf(trace, clock);
  return trace.turns.map((turn): TurnRow => {
    const { index, role } = turn;
    const voice = voiceOf(turn, speech.get(index) ?? [], clock, isPlain);
    const answer = answers.get(index) ?? null;
    const ownCalls: Bar[] = calls.get(index) ?? [];
    const wait = waits.get(index)?.value ?? null;
    const lastWord = voice.at(-1)?.untilMs;
    if (role === "user" && wait !== null && lastWord !== undefined && (speech.get(index)?.length ?? 0) > 0)
      ownCalls.push({ kind: "wait", fromMs: lastWord, untilMs: lastWord + wait, label: "Waiting for the turn’s end" });
    const cut = cuts.find(({ turn: of }) => of === index) ?? null;
    return {
      type: "turn",
      turn,
      atMs: voice[0]?.fromMs ?? clock.ms(turn.startedAt),
      voice,
      calls: ownCalls,
      answer,
      heardAnswerMs: answer === null || answer.provenance === "heard" ? null : (heardAnswers.get(index)?.value ?? null),
      isSlowest: answer !== null && answer.ms === slowestMs && answers.size > 1,
      greetingMs: greetings.get(index)?.value ?? null,
      endOfTurnMs: wait,
      cut,
      bands: cuts.flatMap(({ turn: of, by, band }) => (band !== null && (of === index || by === index) ? [band] : [])),
      tools: tools.get(index) ?? [],
      spanCount: spans.get(index)?.length ?? 0,
    };
  });
}

/** Returns the turns with the silences, unspoken answers and speech without words between them, in order of time. */
function inOrder(turns: readonly TurnRow[], trace: Trace, clock: Clock, endMs: number): TimelineRow[] {
  const others: { atMs: number; row: TimelineRow }[] = [
    ...silencesOf(trace, endMs, clock).map((silence) => ({
      atMs: silence.fromMs,
      row: { type: "silence", silence } as const,
    })),
    ...trace.unspokenTurns.map((unspoken, index) => {
      const atMs = clock.ms(unspoken.startedAt);
      const untilMs = clock.ms(unspoken.endedAt ?? unspoken.startedAt);
      return { atMs, row: { type: "unspoken", unspoken, index, atMs, untilMs } as const };
    }),
    ...trace.speech.flatMap((period) => {
      if (period.turnIndex !== null) return [];
      const [fromMs, untilMs] = [clock.ms(period.startedAt), clock.ms(period.endedAt)];
      return [{ atMs: fromMs, row: { type: "loose", period, fromMs, untilMs } as const }];
    }),
  ].sort((a, b) => a.atMs - b.atMs);
  const rows: TimelineRow[] = [];
  let next = 0;
  for (const turn of turns) {
    while (next < others.length && others[next]!.atMs < turn.atMs) rows.push(others[next++]!.row);
    rows.push(turn);
  }
  for (; next < others.length; next++) rows.push(others[next]!.row);
  return rows;
}
