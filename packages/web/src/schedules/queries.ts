import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import type { ProjectPlace } from "../shell/place.ts";

const LIVE_MS = 10_000;
const RUNS_SHOWN = 30;

const key = ({ organizationId, projectId }: ProjectPlace, operation: string) =>
  [organizationId, projectId, operation] as const;

export const schedulesQuery = (place: ProjectPlace) =>
  queryOptions({
    queryKey: key(place, "schedules.list"),
    queryFn: ({ signal }) => allOf(place.client.schedules.list, { projectId: place.projectId }, signal),
    refetchInterval: LIVE_MS,
  });

export const scheduleQuery = (place: ProjectPlace, scheduleId: string) =>
  queryOptions({
    queryKey: [...key(place, "schedules.get"), scheduleId],
    queryFn: async ({ signal }) =>
      (await place.client.schedules.get({ scheduleId, projectId: place.projectId }, { signal })).schedule,
    refetchInterval: LIVE_MS,
  });

export const scheduledRunsQuery = (place: ProjectPlace, scheduleId: string) =>
  queryOptions({
    queryKey: [...key(place, "schedules.runs"), scheduleId],
    queryFn: async ({ signal }) =>
      (await place.client.schedules.runs({ scheduleId, projectId: place.projectId, pageSize: RUNS_SHOWN }, { signal }))
        .runs,
    refetchInterval: LIVE_MS,
  });

export const previewQuery = (place: ProjectPlace, cron: string, timeZone: string) =>
  queryOptions({
    queryKey: [...key(place, "schedules.preview"), cron, timeZone],
    queryFn: async ({ signal }) =>
      (await place.client.schedules.preview({ cron, timeZone, projectId: place.projectId }, { signal })).preview,
    enabled: cron.trim() !== "",
    placeholderData: keepPreviousData,
  });
