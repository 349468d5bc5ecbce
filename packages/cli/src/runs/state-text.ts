import type { ListedSimulation } from "@svc/contract";

export const stateText = ({ status, queuePosition }: Pick<ListedSimulation, "status" | "queuePosition">): string =>
  queuePosition === null ? status : `${status}, place ${queuePosition}`;
