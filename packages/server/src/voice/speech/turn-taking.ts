import type { PersonaTraits } from "@svc/contract";
import type { z } from "zod";
import type { SurroundingsKind } from "../audio/surroundings/surroundings.ts";
import { seeded } from "../../base/seeded.ts";

type Traits = z.output<typeof PersonaTraits>;

/** Background noise of a persona. `snrDb` is how many decibels louder than the noise the persona speaks. */
export type PersonaSurroundings = { kind: SurroundingsKind; snrDb: number };

const SNR_DB = { low: 20, medium: 10, high: 5 } as const;
const PATIENCE_MS = { low: 4_000, medium: 8_000, high: 15_000 } as const;

const INTERRUPTED_SHARE = { never: 0, sometimes: 0.25, often: 0.65 } as const;
/** The range of times for which the agent speaks before a persona interrupts. */
const INTERRUPTS_AFTER_MS = { least: 700, most: 2_500 } as const;
const TURNS = 32;

export function surroundingsOf({ backgroundNoise }: Traits): PersonaSurroundings | null {
  if (backgroundNoise === undefined) return null;
  const { kind, level = "medium" } = backgroundNoise;
  return { kind, snrDb: SNR_DB[level] };
}

export const patienceMsOf = ({ patience = "medium" }: Traits): number => PATIENCE_MS[patience];

/**
 * Returns when a persona interrupts, for each turn of the agent. The same seed gives the same result. A persona that interrupts does so in
 * at least one of the first four turns.
 */
export function interruptionsOf({ interruptionStyle = "never" }: Traits, seed: string): (number | null)[] {
  const share = INTERRUPTED_SHARE[interruptionStyle];
  if (share === 0) return [null];
  const random = seeded(`${seed} interruptions`);
  const { least, most } = INTERRUPTS_AFTER_MS;
  const afterMs = () => Math.round(least + random() * (most - least));
  const turns = Array.from({ length: TURNS }, () => (random() < share ? afterMs() : null));
  if (turns.slice(0, 4).every((turn) => turn === null)) turns[Math.floor(random() * 4)] = afterMs();
  return turns;
}
