import type { Client } from "@svc/sdk";
import { queryOptions } from "@tanstack/react-query";
import { newestFailedRuns, type RunResults } from "./needs-a-look.ts";
import { type Period, periodQuery } from "../periods.ts";

type Place = { client: Client; organizationId: string; projectId: string };

/** The stream of changes updates the page earlier, if it is connected. */
const LIVE_MS = 60_000;
/** Each run whose failing tests are shown costs two requests. */
const RUNS_LOOKED_AT_MAX = 3;

const live = { refetchInterval: LIVE_MS, staleTime: LIVE_MS / 2 };

export const conversationCountsQuery = ({ client, organizationId, projectId }: Place, period: Period) =>
  queryOptions({
    queryKey: [organizationId, projectId, "metrics.conversations", period],
    queryFn: ({ signal }) => client.metrics.conversations({ projectId, ...periodQuery(period) }, { signal }),
    ...live,
  });

export const agentMeasuresQuery = ({ client, organizationId, projectId }: Place, period: Period) =>
  queryOptions({
    queryKey: [organizationId, projectId, "metrics.get", "overview", period],
    queryFn: ({ signal }) =>
      client.metrics.get(
        {
          projectId,
          ...periodQuery(period),
          source: "production",
          measure: "response_latency,text_response_time,user_interruptions",
        },
        { signal },
      ),
    ...live,
  });

export const toolUseQuery = ({ client, organizationId, projectId }: Place, period: Period) =>
  queryOptions({
    queryKey: [organizationId, projectId, "metrics.tools", period],
    queryFn: ({ signal }) =>
      client.metrics.tools({ projectId, ...periodQuery(period), source: "production" }, { signal }),
    ...live,
  });

export const newestRunsQuery = ({ client, organizationId, projectId }: Place) =>
  queryOptions({
    queryKey: [organizationId, projectId, "runs.list", "overview"],
    queryFn: ({ signal }) => client.runs.list({ projectId, pageSize: 50 }, { signal }),
    ...live,
  });

/** Another set of runs, or another number of failures, starts a new request. */
export const failedRunsQuery = (
  { client, organizationId, projectId }: Place,
  runs: Parameters<typeof newestFailedRuns>[0] | undefined,
) => {
  const failed = newestFailedRuns(runs ?? []).slice(0, RUNS_LOOKED_AT_MAX);
  return queryOptions({
    queryKey: [organizationId, projectId, "runs.grid", ...failed.map(({ id, failedVerdicts }) => [id, failedVerdicts])],
    queryFn: ({ signal }): Promise<RunResults[]> =>
      Promise.all(
        failed.map(async (run) => {
          const [{ grid }, { behaviors }] = await Promise.all([
            client.runs.grid({ runId: run.id }, { signal }),
            client.runs.behaviors({ runId: run.id, verdict: "failed" }, { signal }),
          ]);
          return { run, tests: grid.tests, behaviors };
        }),
      ),
    enabled: runs !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
};

export const troubledConversationsQuery = ({ client, organizationId, projectId }: Place) =>
  queryOptions({
    queryKey: [organizationId, projectId, "traces.list", "overview"],
    queryFn: ({ signal }) =>
      client.traces.list({ projectId, source: "production", status: "error", pageSize: 5 }, { signal }),
    ...live,
  });
