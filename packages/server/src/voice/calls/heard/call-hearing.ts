import type { HeardCall } from "../call.ts";
import { CALL_RATE } from "../../audio/audio.ts";
import { mayBeEcho, withoutEcho } from "./echo-gate.ts";
import { createEchoFinder } from "./echo-path.ts";
import { createLevelMeter, WINDOW_MS } from "./side-levels.ts";
import { heardParty } from "./speech-segments.ts";
import { turnTakingOf } from "./turn-taking.ts";

type CallSound = {
  /** The caller's speech without background noise, because noise would hide where words begin and end. */
  clean: Int16Array;
  sent: Int16Array;
  agent: Int16Array;
};

type CallHearing = {
  push: (sound: CallSound) => void;
  /**
   * Whether the newest sound on the agent's side may be an echo of the caller, judged by the echo's delay and gain that were found so far.
   */
  readonly isEcho: boolean;
  /** Returns the measures of all sound so far, without blocking other work of the process for long. */
  finish: () => Promise<HeardCall>;
};

export function createCallHearing(): CallHearing {
  const [cleanMeter, sentMeter, agentMeter] = [createLevelMeter(), createLevelMeter(), createLevelMeter()];
  const echo = createEchoFinder();
  let length = 0;
  let newFrom = 0;
  let spokenWindows = 0;
  return {
    push({ clean, sent, agent }) {
      newFrom = agentMeter.levels().dbfs.length;
      cleanMeter.push(clean);
      sentMeter.push(sent);
      agentMeter.push(agent);
      echo.push(sent, agent);
      length += agent.length;
      for (const dbfs of cleanMeter.levels().dbfs.subarray(newFrom)) if (dbfs > SPOKEN_DBFS) spokenWindows++;
    },
    get isEcho() {
      const { path } = echo;
      if (path === null && spokenWindows > WINDOWS_TO_FIND) return false;
      const [sent, agent] = [sentMeter.levels(), agentMeter.levels()];
      return agent.dbfs.subarray(newFrom).every((dbfs, at) => mayBeEcho(dbfs, sent.dbfs, newFrom + at, path));
    },
    async finish() {
      const durationMs = Math.round((length / CALL_RATE) * 1_000);
      const heard = agentMeter.levels();
      const own = { ...heard, dbfs: withoutEcho(heard.dbfs, sentMeter.levels().dbfs, echo.stretches()) };
      const caller = await heardParty(cleanMeter.levels(), cleanMeter.clippedSamples());
      const agent = await heardParty(own, agentMeter.clippedSamples());
      const isUnclear = caller.isUnclear || agent.isUnclear;
      const turnTaking = isUnclear ? NOTHING_KNOWN : turnTakingOf(caller.segments, agent.segments, durationMs);
      return { durationMs, caller, agent, ...turnTaking };
    },
  };
}

/** If no echo was found in this many windows of the caller's speech, the call counts as free of echo. */
const WINDOWS_TO_FIND = 12_000 / WINDOW_MS;
const SPOKEN_DBFS = -45;

/** Values of the turn-taking when noise may hide the speech of one side. */
const NOTHING_KNOWN = { firstSoundMs: null, answers: [], interruptions: [], overlapMs: 0, deadAir: [] };
