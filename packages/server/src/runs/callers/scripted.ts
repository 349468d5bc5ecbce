import { type Caller, hangUp, lastHeard, say, type Said } from "./caller.ts";
import type { Step } from "./script.ts";

/** What a person says who waits for something that has not come yet. */
const FILLERS = ["Mm-hm.", "Okay.", "Go on, please."];

/** Speaks a script's lines in their order; a line that waits holds the caller for a few turns, then it gives up. */
export function scriptedCaller(steps: readonly Step[], matches: (step: Step, text: string) => boolean): Caller {
  let at = 0;
  let waited = 0;
  return {
    async next(said: readonly Said[]) {
      let silenceMs = 0;
      for (; at < steps.length; at++) {
        const step = steps[at]!;
        if (step.waitFor !== null && !matches(step, lastHeard(said))) {
          if (waited === FILLERS.length) return hangUp("gave_up", `The agent never said /${step.waitFor}/.`);
          return say(FILLERS[waited++]!, silenceMs);
        }
        waited = 0;
        silenceMs += step.silenceMs;
        if (step.hangUp) return hangUp("heard_enough");
        if (step.text !== null) {
          at++;
          return say(step.text, silenceMs);
        }
      }
      return hangUp("heard_enough");
    },
  };
}
