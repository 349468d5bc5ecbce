import type { Measure, Trace } from "@svc/contract";
import { samplesByTurn } from "./answers.ts";
import type { Clock, Interval } from "./clock.ts";

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
