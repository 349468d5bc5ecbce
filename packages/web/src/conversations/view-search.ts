import type { ViewQuery } from "@svc/contract";
import { LIMITS, listQueryOf, type ViewedList } from "@svc/contract/constants";
import { formatPlural } from "../ui/format.ts";
import { inputOf, type ListSearch, readListSearch } from "./list-search.ts";
import { readTurnSearch, turnInputOf, type TurnSearch } from "./turn-search.ts";

export type SearchOf = { conversations: ListSearch; turns: TurnSearch };

const HOUR_MS = 3_600_000;

/** Returns the filters of a view for a page, as they are at a time. */
export function searchOfView<List extends ViewedList>(list: List, query: ViewQuery, nowMs: number): SearchOf[List] {
  const { runId: run, alertId: alert, slowerThanMs: slow, agentVersion: version, ...same } = listQueryOf(query, nowMs);
  const search = { ...same, run, alert, slow, version, note: "quality" in same ? same.quality : undefined };
  // Without an order, the service lists the newest turns first, and the page the slowest.
  return (
    list === "turns" ? readTurnSearch({ sort: "-startedAt", ...search }) : readListSearch(search)
  ) as SearchOf[List];
}

/** Returns what is saved of a page's filters. `lastHours` takes the place of the times. */
export function viewQueryOf(list: ViewedList, search: ListSearch | TurnSearch, lastHours: number | undefined) {
  const input = list === "turns" ? turnInputOf(search as TurnSearch) : inputOf(search as ListSearch);
  const { from, ...rest } = input;
  return { list, ...rest, ...(lastHours === undefined ? { from } : { lastHours }) } as ViewQuery;
}

/** Returns the full hours, or above two days the full days in hours, from `from` until now; undefined when the range cannot move with the time. */
export function hoursSince({ from, to }: Pick<ListSearch, "from" | "to">, nowMs: number): number | undefined {
  if (from === undefined || to !== undefined) return undefined;
  const exact = Math.round((nowMs - Date.parse(from)) / HOUR_MS);
  const hours = exact > 48 ? Math.ceil(exact / 24) * 24 : exact;
  return hours >= 1 && hours <= LIMITS.viewHours ? hours : undefined;
}

/** Example: `the last 7 days`. */
export function hoursWords(hours: number): string {
  if (hours === 1) return "the last hour";
  return `the last ${hours % 24 === 0 && hours > 24 ? formatPlural(hours / 24, "day") : formatPlural(hours, "hour")}`;
}

/** Whether the address has any filter or an order of its own. */
export const isChosen = ({ view: _view, ...chosen }: ListSearch | TurnSearch): boolean =>
  Object.values(chosen).some((value) => value !== undefined);
