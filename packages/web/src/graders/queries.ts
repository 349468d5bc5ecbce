import { queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import type { ProjectPlace } from "../shell/place.ts";

const CALIBRATING_MS = 2_000;
const key = ({ organizationId, projectId }: ProjectPlace, operation: string) =>
  [organizationId, projectId, operation] as const;

/** The project's own graders come first, newest first. The shipped graders follow. */
export const gradersQuery = (place: ProjectPlace, archived = false) =>
  queryOptions({
    queryKey: [...key(place, "graders.list"), archived],
    queryFn: ({ signal }) => allOf(place.client.graders.list, { projectId: place.projectId, archived }, signal),
  });

export const graderQuery = (place: ProjectPlace, graderId: string) =>
  queryOptions({
    queryKey: [...key(place, "graders.get"), graderId],
    queryFn: async ({ signal }) =>
      (await place.client.graders.get({ graderId, projectId: place.projectId }, { signal })).grader,
  });

export const graderVersionsQuery = (place: ProjectPlace, graderId: string) =>
  queryOptions({
    queryKey: [...key(place, "graders.versions"), graderId],
    queryFn: ({ signal }) => allOf(place.client.graders.versions, { graderId, projectId: place.projectId }, signal),
  });

export const agreementQuery = (place: ProjectPlace, graderId: string) =>
  queryOptions({
    queryKey: [...key(place, "graders.agreement"), graderId],
    queryFn: async ({ signal }) =>
      (await place.client.graders.agreement({ graderId, projectId: place.projectId }, { signal })).versions,
  });

/** With `onlyOther`, the query returns only the labels that disagree with the grade. */
export const labelsQuery = (place: ProjectPlace, graderId: string, onlyOther: boolean) =>
  queryOptions({
    queryKey: [...key(place, "graders.labels"), graderId, onlyOther],
    queryFn: async ({ signal }) =>
      (
        await place.client.graders.labels(
          { graderId, projectId: place.projectId, ...(onlyOther && { agrees: "false" as const }) },
          { signal },
        )
      ).labels,
  });

export const calibrationsQuery = (place: ProjectPlace) =>
  queryOptions({
    queryKey: key(place, "judge.calibrations"),
    queryFn: ({ signal }) => place.client.judge.calibrations({ projectId: place.projectId }, { signal }),
    refetchInterval: ({ state }) => (state.data?.running ? CALIBRATING_MS : false),
  });

export const serviceQuery = (place: ProjectPlace) =>
  queryOptions({
    queryKey: [place.organizationId, "service.get"],
    queryFn: async ({ signal }) => (await place.client.service.get({}, { signal })).service,
    staleTime: 60_000,
  });

export const checkReadingQuery = (place: ProjectPlace, check: string) =>
  queryOptions({
    queryKey: [...key(place, "tests.readBehaviors"), [check]],
    queryFn: async ({ signal }) =>
      (await place.client.tests.readBehaviors({ behaviors: [check], project: place.projectId }, { signal }))
        .readings[0],
    enabled: check.trim() !== "",
    staleTime: Infinity,
  });
