import { CHANNELS, QUALITY_TOPICS, VERDICTS } from "@svc/contract/constants";
import type { Input, Operations } from "@svc/sdk";
import { countOf, oneOf, textOf } from "../search-params.ts";

type ListInput = Input<Operations["traces"]["list"]>;

export const SORTS = [
  "-startedAt",
  "startedAt",
  "-duration",
  "duration",
  "-slowest",
  "slowest",
  "-latency",
  "latency",
] as const;
const SOURCES = ["production", "simulation"] as const;
const STATUSES = ["ok", "error"] as const;
const YES_OR_NO = ["true", "false"] as const;

export type ListSearch = {
  from?: string | undefined;
  to?: string | undefined;
  source?: (typeof SOURCES)[number] | undefined;
  agent?: string | undefined;
  /** Version of the agent. */
  version?: string | undefined;
  channel?: (typeof CHANNELS)[number] | undefined;
  /** Selects conversations whose agent has no name. */
  withoutAgent?: "true" | undefined;
  status?: (typeof STATUSES)[number] | undefined;
  /** Lower limit of the slowest answer's time, in milliseconds. */
  slow?: number | undefined;
  interrupted?: (typeof YES_OR_NO)[number] | undefined;
  tool?: string | undefined;
  ending?: string | undefined;
  note?: (typeof QUALITY_TOPICS)[number] | undefined;
  verdict?: (typeof VERDICTS)[number] | undefined;
  search?: string | undefined;
  run?: string | undefined;
  /** Id of an alert. Selects the conversations that raised it. */
  alert?: string | undefined;
  sort?: (typeof SORTS)[number] | undefined;
  /** Id of a saved view. Without any other member, the list has the view's filters, range and order. */
  view?: string | undefined;
};

const timeOf = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString();
};

export function readListSearch(search: Record<string, unknown>): ListSearch {
  return {
    from: timeOf(search["from"]),
    to: timeOf(search["to"]),
    source: oneOf(SOURCES, search["source"]),
    agent: textOf(search["agent"]),
    version: textOf(search["version"]),
    channel: oneOf(CHANNELS, search["channel"]),
    withoutAgent: oneOf(["true"], search["withoutAgent"]),
    status: oneOf(STATUSES, search["status"]),
    slow: countOf(search["slow"]),
    interrupted: oneOf(YES_OR_NO, search["interrupted"]),
    tool: textOf(search["tool"]),
    ending: textOf(search["ending"]),
    note: oneOf(QUALITY_TOPICS, search["note"]),
    verdict: oneOf(VERDICTS, search["verdict"]),
    search: textOf(search["search"]),
    run: textOf(search["run"]),
    alert: textOf(search["alert"]),
    sort: oneOf(SORTS, search["sort"]),
    view: textOf(search["view"]),
  };
}

export function inputOf(search: ListSearch): ListInput {
  const { run, alert, slow, note, interrupted, withoutAgent, version, view: _view, ...same } = search;
  const input: ListInput = {
    ...same,
    agentVersion: version,
    runId: run,
    alertId: alert,
    slowerThanMs: slow,
    quality: note,
    interrupted: interrupted === undefined ? undefined : interrupted === "true",
    withoutAgent: withoutAgent === undefined ? undefined : true,
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as ListInput;
}

export const isNewestFirst = ({ sort, to }: ListSearch): boolean =>
  (sort ?? "-startedAt") === "-startedAt" && to === undefined;

export const hasFilters = ({ sort: _order, view: _view, ...filters }: ListSearch): boolean =>
  Object.values(filters).some((value) => value !== undefined);

export const withoutFilters = ({ sort }: ListSearch): ListSearch => ({ ...readListSearch({}), sort });
