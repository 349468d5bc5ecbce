import type { Input, Operations } from "@svc/sdk";
import { oneOf, textOf } from "../search-params.ts";

type ListInput = Input<Operations["traces"]["list"]>;

export const SORTS = ["-startedAt", "startedAt", "-duration", "duration", "-latency", "latency"] as const;
export const SOURCES = ["production", "simulation"] as const;
export const STATUSES = ["ok", "error"] as const;

/** The filters of the list and its order, as the address has them. */
export type ListSearch = {
  from?: string | undefined;
  to?: string | undefined;
  source?: (typeof SOURCES)[number] | undefined;
  agent?: string | undefined;
  status?: (typeof STATUSES)[number] | undefined;
  search?: string | undefined;
  sort?: (typeof SORTS)[number] | undefined;
  run?: string | undefined;
};

const timeOf = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString();
};

/** Returns the filters in an address; unknown values are left out. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  return {
    from: timeOf(search["from"]),
    to: timeOf(search["to"]),
    source: oneOf(SOURCES, search["source"]),
    agent: textOf(search["agent"]),
    status: oneOf(STATUSES, search["status"]),
    search: textOf(search["search"]),
    sort: oneOf(SORTS, search["sort"]),
    run: textOf(search["run"]),
  };
}

/** Returns what the service is asked for. */
export function inputOf({ run, ...search }: ListSearch): ListInput {
  const wanted = { ...search, runId: run };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)) as ListInput;
}

/** Returns whether new conversations come at the top of the list. */
export const isNewestFirst = ({ sort, to }: ListSearch): boolean =>
  (sort ?? "-startedAt") === "-startedAt" && to === undefined;

/** Returns the filters without the order. */
export const filtersOf = ({ sort: _order, ...filters }: ListSearch): Omit<ListSearch, "sort"> => filters;

/** Returns whether any filter is set. */
export const hasFilters = (search: ListSearch): boolean =>
  Object.values(filtersOf(search)).some((value) => value !== undefined);
