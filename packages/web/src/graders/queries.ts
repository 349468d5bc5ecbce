import { queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import type { ProjectPlace } from "../shell/place.ts";

const CALIBRATING_MS = 2_000;
const key = ({ organizationId, projectId }: ProjectPlace, operation: string) =>
  [organizationId, projectId, operation] as const;

/** Query for all live graders, or all archived ones. The project's own come first, newest first, then the shipped ones. */
export const gradersQuery = (place: ProjectPlace, archived = false) =>
  queryOptions({
    queryKey: [...key(place, "graders.list"), archived],
    queryFn: ({ signal }) => allOf(place.client.graders.list, { projectId: place.projectId, archived }, signal),
  });

/** Query for one grader with its current definition. */
export const graderQuery = (place: ProjectPlace, graderId: string) =>
  queryOptions({
    queryKey: [...key(place, "graders.get"), graderId],
    queryFn: async ({ signal }) =>
      (await place.client.graders.get({ graderId, projectId: place.projectId }, { signal })).grader,
  });

/** Query for all versions of a grader, newest first. */
export const graderVersionsQuery = (place: ProjectPlace, graderId: string) =>
  queryOptions({
    queryKey: [...key(place, "graders.versions"), graderId],
    queryFn: ({ signal }) => allOf(place.client.graders.versions, { graderId, projectId: place.projectId }, signal),
  });

/** Query for the agreement of each version of a grader with people's labels. */
export const agreementQuery = (place: ProjectPlace, graderId: string) =>
  queryOptions({
    queryKey: [...key(place, "graders.agreement"), graderId],
    queryFn: async ({ signal }) =>
      (await place.client.graders.agreement({ graderId, projectId: place.projectId }, { signal })).versions,
  });

/** Query for the newest labels of a grader's grades: all of them, or only those that disagree with the grade. */
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

/** Query for the judge's calibrations. It is repeated often while a calibration runs. */
export const calibrationsQuery = (place: ProjectPlace) =>
  queryOptions({
    queryKey: key(place, "judge.calibrations"),
    queryFn: ({ signal }) => place.client.judge.calibrations({ projectId: place.projectId }, { signal }),
    refetchInterval: ({ state }) => (state.data?.running ? CALIBRATING_MS : false),
  });

/** Query for the service's settings, such as whether it has a language model. */
export const serviceQuery = (place: ProjectPlace) =>
  queryOptions({
    queryKey: [place.organizationId, "service.get"],
    queryFn: async ({ signal }) => (await place.client.service.get({}, { signal })).service,
    staleTime: 60_000,
  });

/** Query for the reading of a sentence that is not saved: how the service understands it. */
export const checkReadingQuery = (place: ProjectPlace, check: string) =>
  queryOptions({
    queryKey: [...key(place, "tests.readBehaviors"), [check]],
    queryFn: async ({ signal }) =>
      (await place.client.tests.readBehaviors({ behaviors: [check], project: place.projectId }, { signal }))
        .readings[0],
    enabled: check.trim() !== "",
    staleTime: Infinity,
  });
