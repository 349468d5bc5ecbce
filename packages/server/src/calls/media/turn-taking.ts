import type { VoiceEdge } from "../../audio/voice-activity.ts";
import type { CallEvent, TurnTaking } from "../call.ts";

type TurnEvent = Extract<CallEvent, { kind: "agent_started" | "may_interrupt" | "patience_ended" }>;

/** Decides, frame by frame, when the caller may interrupt and when its patience ends. */
export type TurnTaker = {
  /** Returns the events at a time of the call. `edge` is an edge of the agent's speech, discovered now. */
  next: (nowMs: number, edge: VoiceEdge | null, isCallerSpeaking: boolean) => TurnEvent[];
};

export function createTurnTaker({ patienceMs, interruptAfterMs }: Omit<TurnTaking, "endOfTurnMs">): TurnTaker {
  let agentTurns = 0;
  let agentStartedMs: number | null = null;
  let mayInterrupt = false;
  let quietSinceMs = 0;

  function interruption(startedMs: number, nowMs: number): TurnEvent | undefined {
    const afterMs = interruptAfterMs[(agentTurns - 1) % Math.max(1, interruptAfterMs.length)] ?? null;
    if (!mayInterrupt || afterMs === null || nowMs - startedMs < afterMs) return undefined;
    mayInterrupt = false;
    return { kind: "may_interrupt", startedMs, atMs: nowMs };
  }

  return {
    next(nowMs, edge, isCallerSpeaking) {
      const events: TurnEvent[] = [];
      if (edge?.kind === "started") {
        agentTurns++;
        agentStartedMs = edge.atMs;
        mayInterrupt = true;
        events.push({ kind: "agent_started", atMs: edge.atMs });
      }
      if (edge?.kind === "stopped") {
        agentStartedMs = null;
        quietSinceMs = Math.max(quietSinceMs, edge.atMs);
      }
      if (isCallerSpeaking) {
        quietSinceMs = nowMs;
        return events;
      }
      if (agentStartedMs !== null) {
        const event = interruption(agentStartedMs, nowMs);
        if (event) events.push(event);
      } else if (nowMs - quietSinceMs >= patienceMs) {
        quietSinceMs = nowMs;
        events.push({ kind: "patience_ended", atMs: nowMs });
      }
      return events;
    },
  };
}
