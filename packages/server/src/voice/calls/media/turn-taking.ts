import { CALL_RATE, FRAME_MS, FRAME_SAMPLES, joined } from "../../audio/audio.ts";
import { createSoundKinds } from "../../audio/sound-kinds.ts";
import { createVoiceActivity, type VoiceEdge } from "../../audio/voice-activity.ts";
import type { AgentStopped, CallEvent, TurnTaking } from "../call.ts";

/** Number of frames before the detected start that belong to a turn, because a soft start is detected late. */
const LEAD_IN_FRAMES = 260 / FRAME_MS;
/** Largest number of frames of one turn that a recognizer receives. */
const TURN_FRAMES_MAX = 120_000 / FRAME_MS;

type TurnSound = {
  add: (frame: Int16Array, isSpeaking: boolean) => void;
  take: () => Int16Array;
};

function createTurnSound(): TurnSound {
  let frames: Int16Array[] = [];
  return {
    add(frame, isSpeaking) {
      if (!isSpeaking && frames.length >= LEAD_IN_FRAMES) frames.shift();
      if (frames.length < TURN_FRAMES_MAX) frames.push(frame);
    },
    take() {
      const sound = joined(frames);
      frames = [];
      return sound;
    },
  };
}

/** Sound that is shorter than this is not speech. */
const SPEECH_MIN_MS = 60;
const SILENCE = new Int16Array(FRAME_SAMPLES);

type TurnEvent = Extract<CallEvent, { kind: "agent_started" | "agent_stopped" | "may_interrupt" | "patience_ended" }>;

type TurnTaker = {
  /** `isEcho`: the frame is an echo of the caller. */
  next: (agent: Int16Array, isCallerSpeaking: boolean, isEcho: boolean) => TurnEvent[];
  /** Returns the agent's speech that the end of the call cuts off; null when the agent is not speaking. */
  finish: () => AgentStopped | null;
};

export function createTurnTaker(
  { endOfTurnMs, patienceMs, interruptAfterMs }: TurnTaking,
  sendsAgentSound: boolean,
): TurnTaker {
  const kinds = createSoundKinds();
  const activity = createVoiceActivity({ rate: CALL_RATE, onMs: SPEECH_MIN_MS, offMs: endOfTurnMs, kinds });
  const turnSound = sendsAgentSound ? createTurnSound() : null;
  let nowMs = 0;
  let agentTurns = 0;
  let startedMs = 0;
  let interruptAtMs: number | null = null;
  let quietSinceMs = 0;

  function stopped({ atMs }: VoiceEdge): AgentStopped {
    interruptAtMs = null;
    quietSinceMs = Math.max(quietSinceMs, atMs);
    return { startedMs, atMs, sound: turnSound && turnSound.take() };
  }

  function eventOf(edge: VoiceEdge): TurnEvent {
    if (edge.kind === "stopped") return { kind: "agent_stopped", ...stopped(edge) };
    const afterMs = interruptAfterMs[agentTurns % Math.max(1, interruptAfterMs.length)] ?? null;
    agentTurns++;
    startedMs = edge.atMs;
    interruptAtMs = afterMs === null ? null : startedMs + afterMs;
    return { kind: "agent_started", atMs: startedMs };
  }

  return {
    next(agent, isCallerSpeaking, isEcho) {
      const edge = activity.push(agent, isEcho);
      turnSound?.add(agent, activity.isSpeaking);
      nowMs += FRAME_MS;
      const events = edge ? [eventOf(edge)] : [];
      if (interruptAtMs !== null && nowMs >= interruptAtMs && !isCallerSpeaking) {
        interruptAtMs = null;
        events.push({ kind: "may_interrupt", atMs: nowMs });
      }
      if (activity.isSpeaking || isCallerSpeaking) quietSinceMs = nowMs;
      if (nowMs - quietSinceMs >= patienceMs) {
        quietSinceMs = nowMs;
        events.push({ kind: "patience_ended", atMs: nowMs });
      }
      return events;
    },

    finish() {
      // The detector finds the end of the speech only when silence follows.
      for (let ms = 0; activity.isSpeaking && ms <= endOfTurnMs; ms += FRAME_MS) {
        const edge = activity.push(SILENCE);
        if (edge) return stopped(edge);
      }
      return null;
    },
  };
}
