import type { Calls } from "../../calls/open.ts";
import type { PersonaStore } from "../../personas/store.ts";
import type { Recordings } from "../../recordings/open.ts";
import type { Speech } from "../../speech/open.ts";
import type { Telephone } from "../lines/call-line.ts";
import type { RunRow, SimulationRow } from "../rules.ts";
import { createTelephone, type TelephoneManner } from "./telephone.ts";

export type TelephoneOf = (simulation: SimulationRow, run: RunRow) => Promise<Telephone>;

type Needs = {
  calls: Calls;
  speech: Speech;
  recordings: Recordings;
  personas: PersonaStore;
  organizationOf: (projectId: string) => Promise<string>;
};

/** Returns a function that makes the telephone of a simulation, with the voice and the manner of its persona. */
export function createTelephones({ calls, speech, recordings, organizationOf }: Needs): TelephoneOf {
  return async (simulation, run) => {
    const speak = speech.synthesizerOf(await organizationOf(run.project_id));
    const needs = { calls, recordings, speak, recognize: null };
    return createTelephone(needs, MANNER, `${simulation.id}_${simulation.attempt}`);
  };
}

const MANNER: TelephoneManner = {
  voice: {
    provider: "built_in",
    model: "flite",
    voiceId: null,
    language: null,
    accent: null,
    emotion: null,
    speed: 1,
    volume: 1,
  },
  surroundings: null,
  patienceMs: 8_000,
  interruptAfterMs: [null],
};
