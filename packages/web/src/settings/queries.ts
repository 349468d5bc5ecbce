import type { Input, Operations } from "@svc/sdk";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import { clientOf } from "../client.ts";

export const keysQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "keys.list"],
    queryFn: ({ signal }) => clientOf(organizationId).keys.list({}, { signal }),
  });

export const membersQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "members.list"],
    queryFn: ({ signal }) => {
      const { members } = clientOf(organizationId);
      return allOf(members.list, {}, signal);
    },
  });

export const invitationsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "invitations.list"],
    queryFn: ({ signal }) => {
      const { invitations } = clientOf(organizationId);
      return allOf(invitations.list, {}, signal);
    },
  });

export const organizationQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "organization.get"],
    queryFn: ({ signal }) => clientOf(organizationId).organization.get({}, { signal }),
  });

export const conditionsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "conditions.list"],
    queryFn: ({ signal }) => clientOf(organizationId).conditions.list({}, { signal }),
    refetchInterval: 10_000,
  });

export const providerKeysQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "providerKeys.list"],
    queryFn: ({ signal }) => clientOf(organizationId).providerKeys.list({}, { signal }),
  });

export const speechModelsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "capabilities.models"],
    queryFn: ({ signal }) => clientOf(organizationId).capabilities.models({}, { signal }),
  });

export const languageModelQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "languageModel.get"],
    queryFn: ({ signal }) => clientOf(organizationId).languageModel.get({}, { signal }),
  });

export const singleSignOnQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "singleSignOn.get"],
    queryFn: ({ signal }) => clientOf(organizationId).singleSignOn.get({}, { signal }),
  });

export const serviceQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "service.get"],
    queryFn: ({ signal }) => clientOf(organizationId).service.get({}, { signal }),
  });

export const usageQuery = (organizationId: string, projectId: string) =>
  queryOptions({
    queryKey: [organizationId, projectId, "runs.usage"],
    queryFn: ({ signal }) => clientOf(organizationId).runs.usage({ projectId }, { signal }),
    staleTime: 60_000,
  });

const AUDIT_PAGE_SIZE = 50;

export const auditPages = (organizationId: string, filters: Input<Operations["audit"]["export"]>) =>
  infiniteQueryOptions({
    queryKey: [organizationId, "audit.list", filters],
    queryFn: ({ signal, pageParam }) =>
      clientOf(organizationId).audit.list({ ...filters, pageSize: AUDIT_PAGE_SIZE, pageToken: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
  });
