import type { Played } from "./play.ts";

/** What was said and done, as it is kept with the simulation. */
export type Transcript = Pick<Played, "turns" | "toolUses" | "startedMs" | "endedMs"> & {
  mockedTools: string[];
};
