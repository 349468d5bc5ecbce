import type { FailureGroup } from "@svc/contract";
import { GROUP_STATES, type GroupState } from "@svc/contract/constants";
import { formatPlural } from "../ui/format.ts";

export const STATES = Object.keys(GROUP_STATES) as GroupState[];
export const SOURCES = ["production", "simulation"] as const;
export const SORTS = ["last_seen", "size"] as const;

export type GroupsSearch = {
  state?: GroupState | undefined;
  agent?: string | undefined;
  source?: (typeof SOURCES)[number] | undefined;
  sort?: (typeof SORTS)[number] | undefined;
};

export const titleOf = ({ title, whatText }: Pick<FailureGroup, "title" | "whatText">): string => title ?? whatText;

export const agentsWords = ({ agentNames }: Pick<FailureGroup, "agentNames">): string =>
  agentNames.map((name) => name ?? "An agent without a name").join(", ");

export const byMeaningWords = ({ joinedByMeaning, size }: Pick<FailureGroup, "joinedByMeaning" | "size">): string =>
  `${joinedByMeaning} of ${formatPlural(size, "failure")}: their words differ, but an embedding model found that they mean the same.`;

export function trendWords({ trend }: Pick<FailureGroup, "trend">): string {
  const sum = trend.reduce((total, { failures }) => total + failures, 0);
  return `${formatPlural(sum, "failure")} in the last ${trend.length} days`;
}
