import { hangUp, lastHeard, say, type SimulatedCaller } from "./caller.ts";
import type { ScriptLine } from "./script.ts";

/** Said while the script waits for words that the agent has not said yet. */
const FILLERS = ["Mm-hm.", "Okay.", "Go on, please."];

/** Returns a caller that speaks a script's lines in order; it gives up when a line waits longer than a few turns. */
export function scriptedCaller(
  lines: readonly ScriptLine[],
  matches: (line: ScriptLine, text: string) => boolean,
): SimulatedCaller {
  let at = 0;
  let waited = 0;
  return {
    async next(conversation) {
      let silenceMs = 0;
      for (; at < lines.length; at++) {
        const line = lines[at]!;
        if (line.waitFor !== null && !matches(line, lastHeard(conversation))) {
          if (waited === FILLERS.length) return hangUp("gave_up", `The agent never said /${line.waitFor}/.`);
          return say(FILLERS[waited++]!, silenceMs);
        }
        waited = 0;
        silenceMs += line.silenceMs;
        if (line.hangUp) return hangUp("heard_enough");
        if (line.text !== null) {
          at++;
          return say(line.text, silenceMs);
        }
      }
      return hangUp("heard_enough");
    },
  };
}
