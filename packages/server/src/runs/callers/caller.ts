/** The words of one turn in a simulation; null when the caller heard the agent speak but not its words. */
export type SpokenTurn = { role: "caller" | "agent"; text: string | null };

/** The caller's next step. `heard_enough`: the caller has what it called for; `gave_up`: it cannot get it. */
export type Move =
  | { kind: "say"; text: string; afterMs: number }
  | { kind: "hang_up"; why: "heard_enough" | "gave_up"; note: string | null };

/** The simulated person: decides each move from the conversation so far. */
export type SimulatedCaller = { next: (conversation: readonly SpokenTurn[], signal: AbortSignal) => Promise<Move> };

export const say = (text: string, afterMs = 0): Move => ({ kind: "say", text, afterMs });
export const hangUp = (why: "heard_enough" | "gave_up", note: string | null = null): Move => ({
  kind: "hang_up",
  why,
  note,
});
