import type { ListedSimulation } from "@svc/contract";

/** Returns the state of a simulation that has not ended, with its position in the run's queue. */
export const stateText = ({ status, queuePosition }: Pick<ListedSimulation, "status" | "queuePosition">): string =>
  queuePosition === null ? status : `${status}, place ${queuePosition}`;
