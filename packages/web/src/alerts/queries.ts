import type { AlertRuleContent } from "@svc/contract";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import type { ProjectPlace } from "../shell/place.ts";

const LIVE_MS = 10_000;
const PREVIEW_FRESH_MS = 60_000;
const PAGE_SIZE = 20;

const key = ({ organizationId, projectId }: ProjectPlace, operation: string) =>
  [organizationId, projectId, operation] as const;

export const alertRulesQuery = (place: ProjectPlace) =>
  queryOptions({
    queryKey: key(place, "alertRules.list"),
    queryFn: ({ signal }) => allOf(place.client.alertRules.list, { projectId: place.projectId }, signal),
    refetchInterval: LIVE_MS,
  });

export const alertRuleQuery = (place: ProjectPlace, alertRuleId: string) =>
  queryOptions({
    queryKey: [...key(place, "alertRules.get"), alertRuleId],
    queryFn: async ({ signal }) =>
      (await place.client.alertRules.get({ alertRuleId, projectId: place.projectId }, { signal })).alertRule,
    refetchInterval: LIVE_MS,
  });

type AlertFilter = { state?: "open" | "cleared"; alertRuleId?: string };

export const alertPages = (place: ProjectPlace, filter: AlertFilter) =>
  infiniteQueryOptions({
    queryKey: [...key(place, "alerts.list"), filter],
    queryFn: ({ signal, pageParam }) =>
      place.client.alerts.list(
        { projectId: place.projectId, ...filter, pageSize: PAGE_SIZE, pageToken: pageParam },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
    refetchInterval: LIVE_MS,
  });

export const alertQuery = (place: ProjectPlace, alertId: string) =>
  queryOptions({
    queryKey: [...key(place, "alerts.get"), alertId],
    queryFn: async ({ signal }) =>
      (await place.client.alerts.get({ alertId, projectId: place.projectId }, { signal })).alert,
    refetchInterval: LIVE_MS,
  });

const PREVIEWS_MAX = 200;

export const alertConversationsQuery = (place: ProjectPlace, alertId: string) =>
  queryOptions({
    queryKey: [...key(place, "traces.list"), "of an alert", alertId],
    queryFn: async ({ signal }) => {
      const page = { alertId, projectId: place.projectId, pageSize: PREVIEWS_MAX };
      return (await place.client.traces.list(page, { signal })).traces;
    },
  });

/** The key of the query leaves out members of the rule that affect neither the windows nor the alerts. */
export const previewQuery = (place: ProjectPlace, rule: AlertRuleContent, days: number) => {
  const { name: _name, destinationIds: _told, remindAfterMinutes: _reminds, ...content } = rule;
  return queryOptions({
    queryKey: [...key(place, "alertRules.preview"), content, days],
    queryFn: ({ signal }) =>
      place.client.alertRules.preview({ ...content, days, projectId: place.projectId }, { signal }),
    placeholderData: (before) => before,
    staleTime: PREVIEW_FRESH_MS,
  });
};

/** Query for the names of the agents with conversations from a source in the last 30 days. */
export const talkingAgentsQuery = (place: ProjectPlace, source: AlertRuleContent["source"]) =>
  queryOptions({
    queryKey: [...key(place, "alertRules.preview"), "agents", source],
    queryFn: async ({ signal }) => {
      const counted = {
        watch: { kind: "conversations" },
        condition: { is: "below", value: 1 },
        windowMinutes: 1_440,
      } as const;
      const input = { ...counted, source, days: 30, projectId: place.projectId };
      const { series } = await place.client.alertRules.preview(input, { signal });
      return series.flatMap(({ agentName }) => (agentName === null ? [] : [agentName])).toSorted();
    },
    staleTime: PREVIEW_FRESH_MS,
  });

export const graderNamesQuery = (place: ProjectPlace) =>
  queryOptions({
    queryKey: [...key(place, "graders.list"), "names of alert rules"],
    queryFn: async ({ signal }) =>
      (await allOf(place.client.graders.list, { projectId: place.projectId }, signal)).map(({ name }) => name),
  });

export const toldDestinationsQuery = (place: ProjectPlace) =>
  queryOptions({
    queryKey: [...key(place, "destinations.list"), "told of alerts"],
    queryFn: async ({ signal }) =>
      (await allOf(place.client.destinations.list, { projectId: place.projectId }, signal))
        .filter(({ eventTypes, paused }) => eventTypes.includes("alert.raised") && !paused)
        .map(({ name }) => name),
  });
