import type { Simulation } from "@svc/contract";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import type { ProjectPlace } from "../shell/place.ts";
import type { ListSearch, NewRunInput } from "./run-search.ts";
import { isUnderWay } from "./run-words.ts";

const LIVE_MS = 10_000;
const UNDER_WAY_MS = 2_000;
const PAGE_SIZE = 50;

const key = ({ organizationId, projectId }: ProjectPlace, operation: string) =>
  [organizationId, projectId, operation] as const;

export const runPages = (place: ProjectPlace, search: ListSearch) =>
  infiniteQueryOptions({
    queryKey: [...key(place, "runs.list"), "pages", search],
    queryFn: ({ signal, pageParam }) =>
      place.client.runs.list(
        {
          projectId: place.projectId,
          agentId: search.agent,
          suiteId: search.suite,
          scheduleId: search.schedule,
          testId: search.test,
          status: search.status,
          pageSize: PAGE_SIZE,
          pageToken: pageParam,
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ runs }) => runs.some(isUnderWay)) === true ? UNDER_WAY_MS : LIVE_MS,
  });

export const runQuery = (place: ProjectPlace, runId: string) =>
  queryOptions({
    queryKey: [...key(place, "runs.get"), runId],
    queryFn: async ({ signal }) => (await place.client.runs.get({ runId, projectId: place.projectId }, { signal })).run,
    refetchInterval: ({ state }) =>
      state.data !== undefined && isUnderWay(state.data) && document.visibilityState === "visible"
        ? UNDER_WAY_MS
        : LIVE_MS,
  });

/** `useRunEvents` applies the run's events to the cached answer. */
export const gridQuery = (place: ProjectPlace, runId: string) =>
  queryOptions({
    queryKey: [...key(place, "runs.grid"), runId],
    queryFn: async ({ signal }) =>
      (await place.client.runs.grid({ runId, projectId: place.projectId }, { signal })).grid,
  });

/** A new number of `gradings` starts a new request. */
export const behaviorsQuery = (place: ProjectPlace, runId: string, gradings: number) =>
  queryOptions({
    queryKey: [...key(place, "runs.behaviors"), runId, gradings],
    queryFn: ({ signal }) => place.client.runs.behaviors({ runId, projectId: place.projectId }, { signal }),
    placeholderData: keepPreviousData,
  });

/** A new number of `ended` starts a new request. */
export const brokenSimulationsQuery = (place: ProjectPlace, runId: string, ended: number) =>
  queryOptions({
    queryKey: [...key(place, "runs.simulations"), runId, "failed", ended],
    queryFn: async ({ signal }) =>
      (
        await place.client.runs.simulations(
          { runId, projectId: place.projectId, status: "failed", pageSize: 200 },
          { signal },
        )
      ).simulations,
    enabled: ended > 0,
    placeholderData: keepPreviousData,
  });

const QUEUE_MAX = 200;

/** A new number of `queued` starts a new request. */
export const queueQuery = (place: ProjectPlace, runId: string, queued: number) =>
  queryOptions({
    queryKey: [...key(place, "runs.simulations"), runId, "queued", queued],
    queryFn: async ({ signal }) =>
      (
        await place.client.runs.simulations(
          { runId, projectId: place.projectId, status: "queued", pageSize: QUEUE_MAX },
          { signal },
        )
      ).simulations,
    enabled: queued > 0 && queued <= QUEUE_MAX,
    placeholderData: keepPreviousData,
  });

export const simulationQuery = (place: ProjectPlace, simulationId: string) =>
  queryOptions({
    queryKey: [...key(place, "simulations.get"), simulationId],
    queryFn: async ({ signal }) =>
      (await place.client.simulations.get({ simulationId, projectId: place.projectId }, { signal })).simulation,
    refetchInterval: ({ state }) =>
      state.data !== undefined && state.data.grading !== "settled" ? UNDER_WAY_MS : false,
  });

/** Time for which the stored conversation of an ended simulation may be missing. */
const STORED_WITHIN_MS = 60_000;

/** Returns whether the conversation may still come. The service stores it shortly after the simulation has ended. */
export const isAwaited = ({ endedAt }: Pick<Simulation, "endedAt">): boolean =>
  endedAt === null || Date.now() - Date.parse(endedAt) < STORED_WITHIN_MS;

export const simulationTraceQuery = (place: ProjectPlace, { traceId, endedAt }: Simulation) =>
  queryOptions({
    queryKey: [...key(place, "traces.get"), traceId],
    queryFn: ({ signal }) => place.client.traces.get({ projectId: place.projectId, traceId: traceId! }, { signal }),
    enabled: typeof traceId === "string",
    refetchInterval: ({ state }) =>
      state.data?.state === "provisional" || (state.data === undefined && isAwaited({ endedAt }))
        ? UNDER_WAY_MS
        : false,
  });

export const playedVersionQuery = (place: ProjectPlace, testVersionId: string, isWanted: boolean) =>
  queryOptions({
    queryKey: [...key(place, "tests.version"), testVersionId],
    queryFn: ({ signal }) =>
      place.client.tests.version({ versionId: testVersionId, project: place.projectId }, { signal }),
    enabled: isWanted,
    staleTime: Infinity,
  });

export const comparisonQuery = (place: ProjectPlace, first: string, second: string) =>
  queryOptions({
    queryKey: [...key(place, "runs.compare"), first, second],
    queryFn: async ({ signal }) =>
      (await place.client.runs.compare({ runId: first, with: second, projectId: place.projectId }, { signal }))
        .comparison,
  });

export const agentsQuery = (place: ProjectPlace) =>
  queryOptions({
    queryKey: [...key(place, "agents.list"), "choices"],
    queryFn: ({ signal }) => allOf(place.client.agents.list, { projectId: place.projectId }, signal),
  });

export const connectionsQuery = (place: ProjectPlace, agentId: string | undefined) =>
  queryOptions({
    queryKey: [...key(place, "connections.list"), agentId, "choices"],
    queryFn: ({ signal }) =>
      allOf(place.client.connections.list, { agentId: agentId!, projectId: place.projectId }, signal),
    enabled: agentId !== undefined,
  });

export const planQuery = (place: ProjectPlace, input: NewRunInput | undefined) =>
  queryOptions({
    queryKey: [...key(place, "runs.create"), "plan", input],
    queryFn: async ({ signal }) => {
      const answer = await place.client.runs.create(
        { ...input!, projectId: place.projectId, dryRun: "true" },
        { signal },
      );
      if (!("plan" in answer)) throw new Error("The service started the run and returned no plan.");
      return answer.plan;
    },
    enabled: input !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

/** Query for the test versions whose verdicts change from run to run without a lasting cause. */
export const flakyVersionsQuery = (place: ProjectPlace, agentId: string, suiteId: string | null) =>
  queryOptions({
    queryKey: [...key(place, "runs.resultsOfTests"), "flaky", agentId, suiteId],
    queryFn: async ({ signal }) => {
      const { results } = await place.client.runs.resultsOfTests(
        { projectId: place.projectId, agentId, suiteId: suiteId ?? undefined, pageSize: 200 },
        { signal },
      );
      return new Set(results.filter(({ flaky }) => flaky).map(({ testVersionId }) => testVersionId));
    },
    staleTime: 60_000,
  });

export const comparisonChoicesQuery = (place: ProjectPlace) =>
  queryOptions({
    queryKey: [...key(place, "runs.list"), "comparison"],
    queryFn: async ({ signal }) =>
      (await place.client.runs.list({ projectId: place.projectId, pageSize: 200 }, { signal })).runs,
  });
