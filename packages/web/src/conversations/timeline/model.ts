import type { Measure, Span, ToolCall, Trace, Turn, UnspokenTurn } from "@svc/contract";
import { SILENCE_MS } from "@svc/contract/constants";
import { type Answer, answersOf, samplesByTurn, samplesOf, spokenAnswerTimes } from "./answers.ts";
import { type Clock, createClock, endOf, type Interval } from "./axis.ts";
import { type BarKind, barKinds, type SpanRow, spanRowsOf, spansByTurn } from "./spans.ts";

export type TurnRow = {
  type: "turn";
  turn: Turn;
  atMs: number;
  /** Periods of speech; one bar for the whole turn if no period is known. */
  voice: readonly Bar[];
  /** Bars of the calls to models and tools, and of the wait for the end of the turn. */
  calls: readonly Bar[];
  answer: Answer | null;
  isSlowest: boolean;
  /** Time to the answer as the caller heard it. Null if the agent does not report a time. */
  heardAnswerMs: number | null;
  greetingMs: number | null;
  endOfTurnMs: number | null;
  /** Interruptions of the agent by the caller in this turn. */
  cuts: readonly Cut[];
  /** Periods in which both parties speak because of an interruption. The page draws these periods across the rows of both turns. */
  bands: readonly Interval[];
  tools: readonly { call: ToolCall; index: number }[];
  spanCount: number;
};

export type TimelineRow =
  | TurnRow
  | { type: "silence"; silence: Silence }
  | { type: "unspoken"; unspoken: UnspokenTurn; index: number; atMs: number; untilMs: number }
  | { type: "loose"; period: Trace["speech"][number]; fromMs: number; untilMs: number };

export type TimelineModel = {
  trace: Trace;
  clock: Clock;
  endMs: number;
  rows: readonly TimelineRow[];
  turnRows: readonly TurnRow[];
  answers: ReadonlyMap<number, Answer>;
  slowestMs: number;
  /** Whether no time of speech is known: the caller types, or the spans do not contain the times. */
  isPlain: boolean;
  /** Whether the caller is known to type. */
  isTyped: boolean;
  hasSeveralAgents: boolean;
  isApproximate: boolean;
  /** Whether enough answers are known to offer the axis that starts at the caller's last word. */
  hasAnswerAxis: boolean;
  /** Number of spans that belong to no turn. */
  restCount: number;
  spanRows(turn: number | null): readonly SpanRow[];
};

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
      cuts: cuts.filter(({ turn: of }) => of === index),
      bands: cuts.flatMap(({ turn: of, by, band }) => (band !== null && (of === index || by === index) ? [band] : [])),
      tools: tools.get(index) ?? [],
      spanCount: spans.get(index)?.length ?? 0,
    };
  });
}

/** Silences, unheard answers and speech without a turn are rows between the turns. */
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

export type Bar = Interval & { kind: BarKind; label: string };

function voiceOf(turn: Turn, speech: Trace["speech"], clock: Clock, isPlain: boolean): Bar[] {
  const kind = turn.role === "user" ? "caller" : turn.role;
  const label = { user: "Caller speaks", agent: "Agent speaks", third_party: "Third party speaks" }[turn.role];
  if (speech.length > 0)
    return speech.map(({ startedAt, endedAt }) => ({
      kind,
      label,
      fromMs: clock.ms(startedAt),
      untilMs: clock.ms(endedAt),
    }));
  const fromMs = clock.ms(turn.startedAt);
  const untilMs = turn.endedAt === null ? fromMs : clock.ms(turn.endedAt);
  return [
    {
      kind: turn.role === "agent" && !isPlain ? "work" : kind,
      label: turn.role === "agent" ? "Agent answers" : label,
      fromMs,
      untilMs,
    },
  ];
}

function callBars(trace: Trace, clock: Clock): (Bar & { turnIndex: number | null })[] {
  const intervalOf = ({ startedAt, endedAt }: { startedAt: string; endedAt: string | null }) => ({
    fromMs: clock.ms(startedAt),
    untilMs: clock.ms(endedAt ?? startedAt),
  });
  return [
    ...trace.modelCalls.map((call) => ({
      kind: call.isError === true ? ("failed" as const) : ("model" as const),
      label: `Language model${call.model === null ? "" : ` ${call.model}`}`,
      turnIndex: call.turnIndex,
      ...intervalOf(call),
    })),
    ...trace.speechCalls.flatMap((call) =>
      call.kind === "tts"
        ? [
            {
              kind: call.isError === true ? ("failed" as const) : ("speech" as const),
              label: "Speech synthesis",
              turnIndex: call.turnIndex,
              ...intervalOf(call),
            },
          ]
        : [],
    ),
    ...trace.toolCalls.map((call) => ({
      kind: call.isError === true ? ("failed" as const) : ("tool" as const),
      label: `Tool ${call.name ?? ""}`,
      turnIndex: call.turnIndex,
      ...intervalOf(call),
    })),
  ];
}

/** `isFirst`: no speech precedes the silence. `isLast`: no speech follows the silence. */
export type Silence = Interval & { isFirst: boolean; isLast: boolean };

/** A period in which someone speaks, or a turn whose speech is unknown. */
type Voice = Pick<Trace["speech"][number], "startedAt" | "endedAt">;

/**
 * Returns the gaps in the speech of at least `SILENCE_MS`, including the gaps before the first word and after the last word.
 * Returns an empty list if no speech of one party is known, because that party may have spoken.
 */
export function silencesOf(trace: Pick<Trace, "speech" | "turns">, endMs: number, clock: Clock): Silence[] {
  const { speech } = trace;
  const spoke = (role: "user" | "agent") => speech.some((period) => period.role === role);
  if (!spoke("user") || !spoke("agent")) return [];
  const silences: Silence[] = [];
  let heardMs = 0;
  for (const [index, { startedAt, endedAt }] of voicesOf(trace).entries()) {
    const fromMs = clock.ms(startedAt);
    if (fromMs - heardMs >= SILENCE_MS)
      silences.push({ fromMs: heardMs, untilMs: fromMs, isFirst: index === 0, isLast: false });
    heardMs = Math.max(heardMs, clock.ms(endedAt));
  }
  if (endMs - heardMs >= SILENCE_MS) silences.push({ fromMs: heardMs, untilMs: endMs, isFirst: false, isLast: true });
  return silences;
}

function voicesOf({ speech, turns }: Pick<Trace, "speech" | "turns">): Voice[] {
  const heard = new Set(speech.map(({ turnIndex }) => turnIndex));
  const others = turns.flatMap(({ index, startedAt, endedAt }) =>
    heard.has(index) ? [] : [{ startedAt, endedAt: endedAt ?? startedAt }],
  );
  return others.length === 0
    ? speech
    : [...speech, ...others].sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
}

export type Cut = {
  /** The index of the agent turn that was interrupted. */
  turn: number;
  atMs: number;
  /**
   * How long the agent continued to speak, in milliseconds. Measured in the sound if possible, else taken from the spans. Null if unknown.
   */
  wentOnMs: number | null;
  provenance: Measure["provenance"];
  /** Value of `wentOnMs` according to the spans, if `wentOnMs` was measured in the sound; otherwise null. */
  reportedMs: number | null;
};

/** Interruption with the turn of the caller that caused it, and the period in which both parties speak. */
type CutOfTurn = Cut & { by: number | null; band: Interval | null };

type Sample = Measure["samples"][number];

function cutsOf(trace: Trace, clock: Clock): CutOfTurn[] {
  const heard = Map.groupBy(samplesOf(trace, "heard_yield_latency"), (sample) => cutTurn(trace, sample));
  const reported = Map.groupBy(samplesOf(trace, "yield_latency"), (sample) => cutTurn(trace, sample));
  const isCut = new Map(
    [...samplesByTurn(trace, "user_interruptions")].map(([turn, { value }]) => [turn, value > 0] as const),
  );
  return trace.turns.flatMap((turn): CutOfTurn[] => {
    const { index, role, endedAt, startedAt } = turn;
    if (role !== "agent") return [];
    const [asHeard, asReported] = [heard.get(index) ?? [], reported.get(index) ?? []];
    const known = asHeard.length > 0 ? asHeard : asReported;
    if (known.length === 0 && (isCut.get(index) ?? turn.interrupted === true)) {
      const atMs = clock.ms(endedAt ?? startedAt);
      const by = trace.turns.find((other) => other.index > index && other.role === "user")?.index ?? null;
      return [{ turn: index, by, band: null, atMs, wentOnMs: null, provenance: "unavailable", reportedMs: null }];
    }
    return known.map(({ at, value, provenance }) => {
      const atMs = clock.ms(at);
      return {
        turn: index,
        by: interrupterOf(trace, clock, atMs, index),
        atMs,
        wentOnMs: value,
        provenance,
        // A reported value cannot be assigned if the turn has several interruptions.
        reportedMs: asHeard.length === 1 && asReported.length === 1 ? asReported[0]!.value : null,
        band: { fromMs: atMs, untilMs: atMs + value },
      };
    });
  });
}

const cutTurn = ({ turns }: Trace, { turnIndex, at }: Sample): number | undefined =>
  turnIndex ?? turns.findLast(({ role, startedAt }) => role === "agent" && startedAt <= at)?.index;

/** If the caller speaks in no turn at this time, returns the caller's first turn after the interrupted turn. */
function interrupterOf(trace: Trace, clock: Clock, atMs: number, cut: number): number | null {
  const spoken = trace.speech.find(
    ({ role, startedAt, endedAt }) => role === "user" && clock.ms(startedAt) <= atMs && clock.ms(endedAt) > atMs,
  );
  return spoken?.turnIndex ?? trace.turns.find(({ index, role }) => index > cut && role === "user")?.index ?? null;
}
