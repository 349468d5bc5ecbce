import type { CallSummary, LineFacts } from "../../voice/calls/call.ts";
import type { PlayedConversation, PlayedTurn } from "./play.ts";

export type Transcript = Pick<PlayedConversation, "turns" | "toolUses" | "startedMs" | "endedMs"> & {
  mockedTools: string[];
  call?: CallSummary;
  /** Signalling and packet counts of a call, even of a call that was not established. */
  line?: LineFacts;
};

/**
 * Returns the response times by turn: the times from the caller's words to the agent's first turn after them. Omits turns during which the
 * service stalled.
 */
export const responseTimesOf = (turns: readonly PlayedTurn[]): Map<number, number> =>
  new Map(
    turns.flatMap(({ role, startedMs, endedMs, stalledMs }, index) =>
      role === "agent" && turns[index - 1]?.role === "caller" && stalledMs === undefined
        ? [[index, endedMs - startedMs]]
        : [],
    ),
  );
