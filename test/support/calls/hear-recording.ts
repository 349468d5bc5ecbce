import { FRAME_SAMPLES } from "../../../packages/server/src/voice/audio/audio.ts";
import type { HeardCall } from "../../../packages/server/src/voice/calls/call.ts";
import { createCallHearing } from "../../../packages/server/src/voice/calls/heard/call-hearing.ts";
import { framesOf } from "../audio/tones.ts";

/** Measures a recording at `CALL_RATE` frame by frame, as the service does during a call. */
export function hearRecording(caller: Int16Array, agent: Int16Array): Promise<HeardCall> {
  const hearing = createCallHearing();
  const length = Math.max(caller.length, agent.length);
  const [callerFrames, agentFrames] = [caller, agent].map((side) => {
    const whole = new Int16Array(length);
    whole.set(side);
    return framesOf(whole, FRAME_SAMPLES);
  });
  for (const [at, frame] of callerFrames!.entries()) {
    hearing.push({ clean: frame, sent: frame, agent: agentFrames![at]! });
  }
  return hearing.finish();
}
