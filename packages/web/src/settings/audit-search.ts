import { AUDIT_OUTCOME_NAMES } from "@svc/contract/constants";
import type { Answer, Input, Operations } from "@svc/sdk";
import { oneOf, optional, textOf } from "../search-params.ts";

export type AuditLine = Answer<Operations["audit"]["list"]>["lines"][number];

/** Days are in the reader's time zone. */
export type AuditSearch = {
  actor?: string | undefined;
  operation?: string | undefined;
  resource?: string | undefined;
  outcome?: AuditLine["outcome"] | undefined;
  fromDay?: string | undefined;
  toDay?: string | undefined;
};

const DAY = /^\d{4}-\d\d-\d\d$/;

const dayOf = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text !== undefined && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
};

export const readAuditSearch = (search: Record<string, unknown>) =>
  optional({
    actor: textOf(search["actor"]),
    operation: textOf(search["operation"]),
    resource: textOf(search["resource"]),
    outcome: oneOf(AUDIT_OUTCOME_NAMES, search["outcome"]),
    fromDay: dayOf(search["fromDay"]),
    toDay: dayOf(search["toDay"]),
  });

export function inputOf({ fromDay, toDay, ...same }: AuditSearch): Input<Operations["audit"]["export"]> {
  const input = {
    ...same,
    from: fromDay === undefined ? undefined : startOf(fromDay, 0),
    to: toDay === undefined ? undefined : startOf(toDay, 1),
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

/** `later` adds a number of days. */
function startOf(day: string, later: number): string {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  return new Date(year, month - 1, date + later).toISOString();
}

const NAMES: Record<keyof AuditSearch, string> = {
  actor: "who",
  operation: "operation",
  resource: "resource",
  outcome: "outcome",
  fromDay: "since",
  toDay: "until",
};

export const filterWords = (search: AuditSearch): string[] =>
  (Object.keys(NAMES) as (keyof AuditSearch)[]).flatMap((name) =>
    search[name] === undefined ? [] : [`${NAMES[name]} ${search[name]}`],
  );

/** Path segment of the page of each kind of resource: in a project with the resource's id, in the settings without it. */
const PROJECT_PLACES: Record<string, string> = {
  test: "tests",
  "test suite": "suites",
  agent: "agents",
  persona: "personas",
  grader: "graders",
  run: "runs",
  trace: "conversations",
};
const SETTINGS_PLACES: Record<string, string> = {
  "API key": "keys",
  user: "members",
  invitation: "members",
  project: "projects",
  provider: "provider-keys",
};

/** Returns undefined if the resource has no page, or if the line is about a deletion. */
export function placeOf(
  { resource, projectId, operation }: Pick<AuditLine, "resource" | "projectId" | "operation">,
  organizationId: string,
  projects: readonly { id: string; slug: string }[],
): string | undefined {
  if (resource === null || /\.(delete|remove)$/.test(operation)) return undefined;
  const organization = `/o/${organizationId}`;
  const settings = SETTINGS_PLACES[resource.kind];
  if (settings !== undefined) return `${organization}/settings/${settings}`;
  const place = PROJECT_PLACES[resource.kind];
  const slug = projects.find(({ id }) => id === projectId)?.slug;
  return place === undefined || slug === undefined
    ? undefined
    : `${organization}/p/${slug}/${place}/${encodeURIComponent(resource.id)}`;
}

export function wayOf({ via, key }: AuditLine["actor"]): string {
  if (via === "key") return `key ${key?.name ?? key?.looksLike ?? ""}`;
  return { session: "signed in", none: "not signed in", operator: "on the service's machine" }[via];
}

export const whoOf = ({ via, email }: AuditLine["actor"]): string =>
  via === "operator" ? "Operator" : (email ?? "Unknown");
