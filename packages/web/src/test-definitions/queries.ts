import { type Answer, type Operations } from "@svc/sdk";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import type { ProjectPlace } from "../shell/place.ts";
import type { TestMockTool } from "./test-content.ts";

export type TestResults = Answer<Operations["runs"]["resultsOfTests"]>["results"][number];
export type BehaviorReading = Answer<Operations["tests"]["readBehaviors"]>["readings"][number];

export const testsQuery = ({ client, organizationId, projectId: project }: ProjectPlace) =>
  queryOptions({
    queryKey: [organizationId, project, "tests.list"],
    queryFn: ({ signal }) => allOf(client.tests.list, { project, limit: 200 }, signal),
  });

export const testQuery = ({ client, organizationId, projectId: project }: ProjectPlace, testId: string) =>
  queryOptions({
    queryKey: [organizationId, project, "tests.get", testId],
    queryFn: ({ signal }) => client.tests.get({ testId, project }, { signal }),
  });

export const testVersionsQuery = ({ client, organizationId, projectId: project }: ProjectPlace, testId: string) =>
  queryOptions({
    queryKey: [organizationId, project, "tests.versions", testId],
    queryFn: ({ signal }) => allOf(client.tests.versions, { testId, project, limit: 200 }, signal),
  });

/** The conditions of success of mock tools change how the service understands behaviors. */
export const readingsQuery = (
  { client, organizationId, projectId: project }: ProjectPlace,
  behaviors: readonly string[],
  mockTools: readonly TestMockTool[] = [],
) =>
  queryOptions({
    queryKey: [organizationId, project, "tests.readBehaviors", behaviors, mockTools],
    queryFn: ({ signal }) =>
      client.tests.readBehaviors({ behaviors: [...behaviors], mock_tools: [...mockTools], project }, { signal }),
    enabled: behaviors.length > 0,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });

export const testResultsQuery = ({ client, organizationId, projectId }: ProjectPlace, testId?: string) =>
  queryOptions({
    queryKey: [organizationId, projectId, "runs.resultsOfTests", testId],
    queryFn: ({ signal }) => allOf(client.runs.resultsOfTests, { projectId, testId }, signal),
    refetchInterval: 10_000,
  });
