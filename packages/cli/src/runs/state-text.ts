import type { ListedSimulation } from "@svc/contract";

/** Returns the state of a simulation that has not ended, with its place in the queue of its run. */
export const stateText = ({ status, queuePosition }: Pick<ListedSimulation, "status" | "queuePosition">): string =>
  queuePosition === null ? status : `${status}, place ${queuePosition}`;
