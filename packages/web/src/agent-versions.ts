import type { Answer, Operations } from "@svc/sdk";
import { queryOptions } from "@tanstack/react-query";
import type { ProjectPlace } from "./shell/place.ts";
import type { PlotMark } from "./ui/plot-drawing.ts";

export type AgentVersion = Answer<Operations["agentVersions"]["list"]>["agentVersions"][number];

const LIVE_MS = 60_000;

export const agentVersionsQuery = ({ client, organizationId, projectId }: ProjectPlace, agent: string | undefined) =>
  queryOptions({
    queryKey: [organizationId, projectId, "agentVersions.list", agent],
    queryFn: ({ signal }) => client.agentVersions.list({ projectId, agent }, { signal }),
    refetchInterval: LIVE_MS,
    placeholderData: (before) => before,
  });

/** More marks would hide the lines of the plot. */
const MARKS_MAX = 12;

export const marksOf = (versions: readonly AgentVersion[], fromMs: number, toMs: number): PlotMark[] =>
  versions
    .map((version) => ({ ...version, atMs: Date.parse(version.firstSeenAt) }))
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .slice(0, MARKS_MAX)
    .map(({ agentName, version, atMs }) => ({
      atMs,
      label: version,
      words: `First seen: version ${version} of ${agentName}`,
    }))
    .toSorted((one, other) => one.atMs - other.atMs);
