/** One thing that was said in a simulation. */
export type Said = { role: "caller" | "agent"; text: string };

/** What the caller does next. `heard_enough`: the caller has what it called for; `gave_up`: it will not get there. */
export type Move =
  | { kind: "say"; text: string; afterMs: number }
  | { kind: "hang_up"; why: "heard_enough" | "gave_up"; note: string | null };

/** The simulated person: decides each move from what was said so far. */
export type Caller = { next: (said: readonly Said[], signal: AbortSignal) => Promise<Move> };

export const say = (text: string, afterMs = 0): Move => ({ kind: "say", text, afterMs });
export const hangUp = (why: "heard_enough" | "gave_up", note: string | null = null): Move => ({
  kind: "hang_up",
  why,
  note,
});

/** What the agent said since the caller last spoke. */
export function lastHeard(said: readonly Said[]): string {
  const from = said.findLastIndex(({ role }) => role === "caller") + 1;
  return said
    .slice(from)
    .map(({ text }) => text)
    .join("\n");
}
