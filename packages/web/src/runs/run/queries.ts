import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { ProjectPlace } from "../../frame/place.ts";

const FALLBACK_MS = 10_000;

/** One run. While it goes on it is asked for again, also when its events do not arrive. */
export const runQuery = ({ client, organizationId, projectId }: ProjectPlace, runId: string) =>
  queryOptions({
    queryKey: [organizationId, projectId, "runs.get", runId],
    queryFn: async ({ signal }) => (await client.runs.get({ runId }, { signal })).run,
    refetchInterval: ({ state }) => (state.data?.gradingSettled === true ? false : FALLBACK_MS),
  });

/** Every simulation of a run, by test and persona. */
export const gridQuery = ({ client, organizationId, projectId }: ProjectPlace, runId: string) =>
  queryOptions({
    queryKey: [organizationId, projectId, "runs.grid", runId],
    queryFn: async ({ signal }) => (await client.runs.grid({ runId }, { signal })).grid,
  });

/** The behaviors of a run that did not pass everywhere; `graded` is the number of verdicts so far. */
export const behaviorsQuery = ({ client, organizationId, projectId }: ProjectPlace, runId: string, graded: number) =>
  queryOptions({
    queryKey: [organizationId, projectId, "runs.behaviors", runId, graded],
    queryFn: ({ signal }) => client.runs.behaviors({ runId }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
