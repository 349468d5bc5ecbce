/** Days count from 1970-01-01 UTC. A span belongs to the day on which its body was received. */
export const DAY_MS = 86_400_000;

export const dayOf = (timeMs: number) => Math.floor(timeMs / DAY_MS);
