import type { Answer, Operations } from "@svc/sdk";

type Series = Pick<
  Answer<Operations["metrics"]["conversations"]>["series"][number],
  "agentName" | "conversations" | "errors"
>;

/** Returns the agent names of conversations that no agent has, most conversations first. */
export const unregisteredOf = (series: readonly Series[], agents: readonly { name: string }[]): Series[] =>
  series
    .filter(({ agentName }) => agentName !== null && !agents.some(({ name }) => name === agentName))
    .toSorted((a, b) => b.conversations - a.conversations);
