import type { Trace, Turn } from "@svc/contract";
import type { Clock, Interval } from "./clock.ts";
import type { BarKind } from "./span-rows.ts";

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
