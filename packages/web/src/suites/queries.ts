import { type Answer, type Operations } from "@svc/sdk";
import { queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import type { ProjectPlace } from "../shell/place.ts";

export type Suite = Answer<Operations["suites"]["list"]>["testSuites"][number];

export const suitesQuery = ({ client, organizationId, projectId }: ProjectPlace) =>
  queryOptions({
    queryKey: [organizationId, projectId, "suites.list"],
    queryFn: ({ signal }) => allOf(client.suites.list, { projectId }, signal),
  });
