import type { CallSummary, LineFacts } from "../../voice/calls/call.ts";
import type { PlayedConversation, PlayedTurn } from "./play.ts";

/** The conversation in the form in which the simulation's row stores it, as JSON. */
export type Transcript = Pick<PlayedConversation, "turns" | "toolUses" | "startedMs" | "endedMs"> & {
  mockedTools: string[];
  /** The facts of a call with sound. */
  call?: CallSummary;
  /** The facts of the signalling and the packets, also of a call that did not come about. */
  line?: LineFacts;
};

/**
 * Returns the milliseconds from the caller's words to the agent's first answer to them, by the index of the answer; leaves out
 * answers during which the service stalled.
 */
export const responseTimesOf = (turns: readonly PlayedTurn[]): Map<number, number> =>
  new Map(
    turns.flatMap(({ role, startedMs, endedMs, stalledMs }, index) =>
      role === "agent" && turns[index - 1]?.role === "caller" && stalledMs === undefined
        ? [[index, endedMs - startedMs]]
        : [],
    ),
  );
