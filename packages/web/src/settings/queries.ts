import type { Input, Operations } from "@svc/sdk";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import { clientOf } from "../client.ts";

/** Query for the API keys that the person may see. */
export const keysQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "keys.list"],
    queryFn: ({ signal }) => clientOf(organizationId).keys.list({}, { signal }),
  });

/** Query for all members of the organization, newest first. */
export const membersQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "members.list"],
    queryFn: ({ signal }) => {
      const { members } = clientOf(organizationId);
      return allOf(members.list, {}, signal);
    },
  });

/** Query for all open invitations of the organization, newest first. */
export const invitationsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "invitations.list"],
    queryFn: ({ signal }) => {
      const { invitations } = clientOf(organizationId);
      return allOf(invitations.list, {}, signal);
    },
  });

/** Query for the organization with the times of its creation and of its last change. */
export const organizationQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "organization.get"],
    queryFn: ({ signal }) => clientOf(organizationId).organization.get({}, { signal }),
  });

/** Query for the conditions of the service that admins may see. */
export const conditionsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "conditions.list"],
    queryFn: ({ signal }) => clientOf(organizationId).conditions.list({}, { signal }),
    refetchInterval: 10_000,
  });

/** Query for the organization's keys of speech providers. */
export const providerKeysQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "providerKeys.list"],
    queryFn: ({ signal }) => clientOf(organizationId).providerKeys.list({}, { signal }),
  });

/** Query for the organization's identity provider, and for the addresses that the provider and the members need. */
export const singleSignOnQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "singleSignOn.get"],
    queryFn: ({ signal }) => clientOf(organizationId).singleSignOn.get({}, { signal }),
  });

/** Query for the version, the settings and the limits of the service. */
export const serviceQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "service.get"],
    queryFn: ({ signal }) => clientOf(organizationId).service.get({}, { signal }),
  });

/** Query for the runs of a project in the last 30 days, with the usage of the judge. */
export const usageQuery = (organizationId: string, projectId: string) =>
  queryOptions({
    queryKey: [organizationId, projectId, "runs.usage"],
    queryFn: ({ signal }) => clientOf(organizationId).runs.usage({ projectId }, { signal }),
    staleTime: 60_000,
  });

const AUDIT_PAGE_SIZE = 50;

/** Query for the matching lines of the audit log, newest first, page by page. */
export const auditPages = (organizationId: string, filters: Input<Operations["audit"]["export"]>) =>
  infiniteQueryOptions({
    queryKey: [organizationId, "audit.list", filters],
    queryFn: ({ signal, pageParam }) =>
      clientOf(organizationId).audit.list({ ...filters, pageSize: AUDIT_PAGE_SIZE, pageToken: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
  });
