import type { ListedSimulation } from "@svc/contract";

/** Describes the state of a simulation that has not ended, with its position in the queue of the run. */
export const stateText = ({ status, queuePosition }: Pick<ListedSimulation, "status" | "queuePosition">): string =>
  queuePosition === null ? status : `${status}, place ${queuePosition}`;
