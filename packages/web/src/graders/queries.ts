import { queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import type { ProjectPlace } from "../shell/place.ts";

const CALIBRATING_MS = 2_000;
const key = ({ organizationId, projectId }: ProjectPlace, operation: string) =>
  [organizationId, projectId, operation] as const;

/** Every live grader, or every archived one: the project's own, newest first, then the shipped ones. */
export const gradersQuery = (place: ProjectPlace, archived = false) =>
  queryOptions({
    queryKey: [...key(place, "graders.list"), archived],
    queryFn: ({ signal }) => allOf(place.client.graders.list, { projectId: place.projectId, archived }, signal),
  });

/** One grader with its current definition. */
export const graderQuery = (place: ProjectPlace, graderId: string) =>
  queryOptions({
    queryKey: [...key(place, "graders.get"), graderId],
    queryFn: async ({ signal }) =>
      (await place.client.graders.get({ graderId, projectId: place.projectId }, { signal })).grader,
  });

/** Every version of a grader, newest first. */
export const graderVersionsQuery = (place: ProjectPlace, graderId: string) =>
  queryOptions({
    queryKey: [...key(place, "graders.versions"), graderId],
    queryFn: ({ signal }) => allOf(place.client.graders.versions, { graderId, projectId: place.projectId }, signal),
  });

/** How far each version of a grader agrees with people's labels. */
export const agreementQuery = (place: ProjectPlace, graderId: string) =>
  queryOptions({
    queryKey: [...key(place, "graders.agreement"), graderId],
    queryFn: async ({ signal }) =>
      (await place.client.graders.agreement({ graderId, projectId: place.projectId }, { signal })).versions,
  });

/** The newest labels of a grader's grades; all of them, or those that disagree with the grade. */
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

/** The judge's calibrations, asked for often while one is under way. */
export const calibrationsQuery = (place: ProjectPlace) =>
  queryOptions({
    queryKey: key(place, "judge.calibrations"),
    queryFn: ({ signal }) => place.client.judge.calibrations({ projectId: place.projectId }, { signal }),
    refetchInterval: ({ state }) => (state.data?.running ? CALIBRATING_MS : false),
  });

/** The settings of the service: whether it has a language model. */
export const serviceQuery = (place: ProjectPlace) =>
  queryOptions({
    queryKey: [place.organizationId, "service.get"],
    queryFn: async ({ signal }) => (await place.client.service.get({}, { signal })).service,
    staleTime: 60_000,
  });

/** How the service reads one sentence that is not saved. */
export const checkReadingQuery = (place: ProjectPlace, check: string) =>
  queryOptions({
    queryKey: [...key(place, "tests.readBehaviors"), [check]],
    queryFn: async ({ signal }) =>
      (await place.client.tests.readBehaviors({ behaviors: [check], project: place.projectId }, { signal }))
        .readings[0],
    enabled: check.trim() !== "",
    staleTime: Infinity,
  });
