import type { HeardCall } from "../call.ts";
import { createLevelMeter } from "./side-levels.ts";
import { heardParty } from "./speech-segments.ts";
import { turnTakingOf } from "./turn-taking.ts";

/** Measures a call while it lasts. */
type CallHearing = {
  /**
   * Adds the sound of the same time of both sides. The caller's sound is its speech before surroundings are mixed in: noise
   * would hide the edges of its words.
   */
  push: (caller: Int16Array, agent: Int16Array) => void;
  /** Returns the measures of the sound so far, without holding up other work of the process for long. */
  finish: () => Promise<HeardCall>;
};

export function createCallHearing(rate: number): CallHearing {
  const [callerMeter, agentMeter] = [createLevelMeter(rate), createLevelMeter(rate)];
  let length = 0;
  return {
    push(caller, agent) {
      callerMeter.push(caller);
      agentMeter.push(agent);
      length += Math.max(caller.length, agent.length);
    },
    async finish() {
      const durationMs = Math.round((length / rate) * 1_000);
      const [caller, agent] = [await heardParty(callerMeter.finish()), await heardParty(agentMeter.finish())];
      return { durationMs, caller, agent, ...turnTakingOf(caller.segments, agent.segments, durationMs) };
    },
  };
}
