import { CALL_RATE, FRAME_MS } from "../../audio/audio.ts";
import { createVoiceActivity, type VoiceEdge } from "../../audio/voice-activity.ts";
import type { CallEvent, TurnTaking } from "../call.ts";

/** Sound of the agent that is shorter than this is a click. */
const SPEECH_MS = 60;

type TurnEvent = Extract<CallEvent, { kind: "agent_started" | "agent_stopped" | "may_interrupt" | "patience_ended" }>;

/** Decides from the frames of a call whose turn it is. */
export type TurnTaker = {
  /** Takes the agent's next frame, and whether the caller speaks in it; returns the events that it causes. */
  push: (agent: Int16Array, isCallerSpeaking: boolean) => TurnEvent[];
  /** The caller has spoken and waits for an answer from now on. */
  waitForAgent: () => void;
  /** Returns the end of the agent's speech that the end of the call cut off; undefined when the agent was silent. */
  finish: () => TurnEvent | undefined;
};

/** Creates the turn-taking of a call; the caller waits for a greeting at first. */
export function createTurnTaker({ endOfTurnMs, patienceMs, interruptAfterMs }: TurnTaking): TurnTaker {
  const activity = createVoiceActivity({ rate: CALL_RATE, onMs: SPEECH_MS, offMs: endOfTurnMs });
  let nowMs = 0;
  let startedMs = 0;
  let turns = 0;
  let mayInterruptAtMs: number | null = null;
  /** The time from which the caller waits for the agent; null while the caller does not. */
  let waitingSinceMs: number | null = 0;

  function began(atMs: number): TurnEvent {
    const afterMs = interruptAfterMs[turns % Math.max(1, interruptAfterMs.length)] ?? null;
    turns++;
    startedMs = atMs;
    mayInterruptAtMs = afterMs === null ? null : atMs + afterMs;
    waitingSinceMs = null;
    return { kind: "agent_started", atMs };
  }

  function stopped(edge: Extract<VoiceEdge, { kind: "stopped" }>): TurnEvent {
    mayInterruptAtMs = null;
    return { kind: "agent_stopped", startedMs: edge.startedMs, atMs: edge.atMs, sound: null };
  }

  return {
    push(agent, isCallerSpeaking) {
      const events: TurnEvent[] = [];
      const edge = activity.push(agent);
      nowMs += FRAME_MS;
      if (edge) events.push(edge.kind === "started" ? began(edge.atMs) : stopped(edge));
      if (mayInterruptAtMs !== null && nowMs >= mayInterruptAtMs) {
        mayInterruptAtMs = null;
        if (!isCallerSpeaking) events.push({ kind: "may_interrupt", startedMs, atMs: nowMs });
      }
      if (waitingSinceMs !== null && nowMs - waitingSinceMs >= patienceMs) {
        waitingSinceMs = null;
        events.push({ kind: "patience_ended", atMs: nowMs });
      }
      return events;
    },

    waitForAgent() {
      waitingSinceMs = activity.isSpeaking ? null : nowMs;
    },

    finish: () =>
      activity.isSpeaking ? { kind: "agent_stopped", startedMs, atMs: nowMs, sound: null } : undefined,
  };
}
