import type { PlayedConversation } from "./play.ts";

/** The conversation in the form in which the simulation's row stores it, as JSON. */
export type Transcript = Pick<PlayedConversation, "turns" | "toolUses" | "startedMs" | "endedMs"> & {
  mockedTools: string[];
};
