import type { HeardCall } from "../call.ts";
import { createLevelMeter } from "./side-levels.ts";
import { heardParty } from "./speech-segments.ts";
import { turnTakingOf } from "./turn-taking.ts";

/** Measures a call while it lasts. */
export type CallHearing = {
  /**
   * Adds the sound of the same time of both sides. The caller's sound is its speech before surroundings are mixed in: noise
   * would hide the edges of its words.
   */
  push: (caller: Int16Array, agent: Int16Array) => void;
  /** Returns the measures of the sound so far. */
  finish: () => HeardCall;
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
    finish() {
      const durationMs = Math.round((length / rate) * 1_000);
      const [caller, agent] = [heardParty(callerMeter.finish()), heardParty(agentMeter.finish())];
      return { durationMs, caller, agent, ...turnTakingOf(caller.segments, agent.segments, durationMs) };
    },
  };
}

/** Number of seconds of sound between two pauses for other work: about 2 ms of computation. */
const SLICE_SECONDS = 2;

/** Returns the measures of a recording, and gives other work of the process a turn after each slice. */
export async function hearRecording(caller: Int16Array, agent: Int16Array, rate: number): Promise<HeardCall> {
  const hearing = createCallHearing(rate);
  const slice = rate * SLICE_SECONDS;
  const length = Math.max(caller.length, agent.length);
  for (let at = 0; at < length; at += slice) {
    const end = Math.min(length, at + slice);
    hearing.push(part(caller, at, end), part(agent, at, end));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return hearing.finish();
}

/** Returns a part of a side; a side that ends earlier than the other is silent there. */
function part(side: Int16Array, from: number, to: number): Int16Array {
  if (to <= side.length) return side.subarray(from, to);
  const padded = new Int16Array(to - from);
  padded.set(side.subarray(from));
  return padded;
}
