import type { Measure, Trace, Turn } from "@svc/contract";
import { SILENCE_MS } from "@svc/contract/constants";
import { samplesByTurn } from "./answers.ts";
import type { Clock, Interval } from "./axis.ts";
import type { BarKind } from "./spans.ts";

/** A bar of the waterfall. */
export type Bar = Interval & { kind: BarKind; label: string };

/** Returns a turn's speech; for a turn of unknown speech, the time in which the party worked on it. */
export function voiceOf(turn: Turn, speech: Trace["speech"], clock: Clock, isPlain: boolean): Bar[] {
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

/** Returns the bars of the calls to models, voices and tools, each with its turn. */
export function callBars(trace: Trace, clock: Clock): (Bar & { turnIndex: number | null })[] {
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

/** A gap without speech, and whether speech comes before and after it. */
export type Silence = Interval & { isFirst: boolean; isLast: boolean };

/** A part of the conversation in which someone speaks, or a turn without known speech. */
type Voice = Pick<Trace["speech"][number], "startedAt" | "endedAt">;

/**
 * Returns the gaps of at least `SILENCE_MS` between all speech, with those before the first word and after the last one. Without
 * the speech of both parties, whether anyone spoke is unknown.
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

/** Returns the speech and the turns whose speech is unknown, by start. */
function voicesOf({ speech, turns }: Pick<Trace, "speech" | "turns">): Voice[] {
  const heard = new Set(speech.map(({ turnIndex }) => turnIndex));
  const others = turns.flatMap(({ index, startedAt, endedAt }) =>
    heard.has(index) ? [] : [{ startedAt, endedAt: endedAt ?? startedAt }],
  );
  return others.length === 0
    ? speech
    : [...speech, ...others].sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
}

/** An interruption of the agent by the caller. */
export type Cut = { atMs: number; wentOnMs: number | null };

/** An interruption with its turns and the period in which both speak. */
type CutOfTurn = Cut & { turn: number; by: number | null; band: Interval | null };

/** Returns the agent turns that the caller cut short, with the turn that did it. */
export function cutsOf(trace: Trace, clock: Clock): CutOfTurn[] {
  const yields = samplesByTurn(trace, "yield_latency");
  const isCut = new Map(
    [...samplesByTurn(trace, "user_interruptions")].map(([turn, { value }]) => [turn, value > 0] as const),
  );
  return trace.turns.flatMap((turn): CutOfTurn[] => {
    const { index, role, endedAt, startedAt } = turn;
    if (role !== "agent" || !(isCut.get(index) ?? turn.interrupted === true)) return [];
    const sample: Measure["samples"][number] | undefined = yields.get(index);
    const by = trace.turns.find((other) => other.index > index && other.role === "user")?.index ?? null;
    if (sample === undefined)
      return [{ turn: index, by, band: null, atMs: clock.ms(endedAt ?? startedAt), wentOnMs: null }];
    const atMs = clock.ms(sample.at);
    return [{ turn: index, by, atMs, wentOnMs: sample.value, band: { fromMs: atMs, untilMs: atMs + sample.value } }];
  });
}
