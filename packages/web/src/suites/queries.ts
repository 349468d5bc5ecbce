import { type Answer, type Operations, pages } from "@svc/sdk";
import { queryOptions } from "@tanstack/react-query";
import type { ProjectPlace } from "../frame/place.ts";

export type Suite = Answer<Operations["suites"]["list"]>["testSuites"][number];

/** Every suite of the project, newest first. */
export const suitesQuery = ({ client, organizationId, projectId }: ProjectPlace) =>
  queryOptions({
    queryKey: [organizationId, projectId, "suites.list"],
    queryFn: ({ signal }) => Array.fromAsync(pages(client.suites.list, { projectId, pageSize: 200 }, { signal })),
  });
