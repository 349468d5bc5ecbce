import type { CallSummary, HeardCall } from "../../../packages/server/src/voice/calls/call.ts";
import type { Transcript } from "../../../packages/server/src/runs/play/transcript.ts";

const PARTY = { segments: [], isUnclear: false, speechDbfs: null, floorDbfs: -90, clippedSamples: 0 };

/** Returns the sound of a call of 20 s in which the agent greets, answers twice and is interrupted once. */
export function heardCall(changes: Partial<HeardCall> = {}): HeardCall {
  return {
    durationMs: 20_000,
    caller: {
      ...PARTY,
      speechDbfs: -21.04,
      segments: [
        { startMs: 3_000, endMs: 5_000 },
        { startMs: 8_000, endMs: 9_500 },
      ],
    },
    agent: {
      ...PARTY,
      speechDbfs: -24.26,
      floorDbfs: -71,
      clippedSamples: 12,
      segments: [
        { startMs: 600, endMs: 2_400 },
        { startMs: 6_240, endMs: 8_350 },
        { startMs: 12_000, endMs: 16_000 },
      ],
    },
    firstSoundMs: 600,
    answers: [
      { callerEndMs: 5_000, agentStartMs: 6_240, responseMs: 1_240 },
      { callerEndMs: 9_500, agentStartMs: 12_000, responseMs: 2_500 },
    ],
    interruptions: [{ atMs: 8_000, yieldMs: 350, keptSpeakingMs: 350 }],
    overlapMs: 350,
    deadAir: [{ startMs: 9_500, endMs: 12_000 }],
    ...changes,
  };
}

/** The start of the call, in Unix milliseconds. */
export const CALL_START_MS = 1_795_251_153_000;

export const callSummary = (changes: Partial<CallSummary> = {}): CallSummary => ({
  startedAtMs: CALL_START_MS,
  durationMs: 20_000,
  frameGapMaxMs: 14,
  isTimingReliable: true,
  heard: heardCall(),
  ...changes,
});

/** Returns the transcript of the call; without words where the agent's words are unknown. */
export function callTranscript(call: CallSummary | null = callSummary()): Transcript {
  const turn = (role: "caller" | "agent", text: string | null, startMs: number, endMs: number) => ({
    role,
    text,
    startedMs: CALL_START_MS + startMs,
    endedMs: CALL_START_MS + endMs,
  });
  return {
    turns: [
      turn("agent", null, 600, 2_400),
      turn("caller", "I would like a table for two, please.", 3_000, 5_000),
      turn("agent", "For which day?", 6_240, 8_350),
      turn("caller", "For Friday at eight.", 8_000, 9_500),
      turn("agent", "It is booked.", 12_000, 16_000),
    ],
    toolUses: [],
    mockedTools: [],
    startedMs: CALL_START_MS - 400,
    endedMs: CALL_START_MS + 20_300,
    ...(call && { call }),
  };
}
