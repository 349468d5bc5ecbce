/**
 * A turn of the conversation as the caller knows it. `text` is null when the caller heard that the agent spoke but could not recognize the
 * words.
 */
export type SpokenTurn = { role: "caller" | "agent"; text: string | null };

/**
 * What the caller does next. The caller hangs up with `heard_enough` when it has reached its goal, and with `gave_up` when it cannot reach
 * its goal.
 */
export type Move =
  | { kind: "say"; text: string; afterMs: number }
  | { kind: "hang_up"; why: "heard_enough" | "gave_up"; note: string | null };

export type SimulatedCaller = { next: (conversation: readonly SpokenTurn[], signal: AbortSignal) => Promise<Move> };

export const say = (text: string, afterMs = 0): Move => ({ kind: "say", text, afterMs });
export const hangUp = (why: "heard_enough" | "gave_up", note: string | null = null): Move => ({
  kind: "hang_up",
  why,
  note,
});
