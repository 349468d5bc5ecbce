import type { Input, Operations } from "@svc/sdk";
import { oneOf } from "../search-params.ts";
import { inputOf, type ListSearch, readListSearch } from "./list-search.ts";

export const TURN_SORTS = ["-answerMs", "-startedAt", "startedAt"] as const;

/** Filters of turns. The list of conversations has the same ones, so a person keeps them when changing to the other list. */
export type TurnSearch = Omit<ListSearch, "sort" | "status" | "note" | "search"> & {
  sort?: (typeof TURN_SORTS)[number] | undefined;
};

export function readTurnSearch(search: Record<string, unknown>): TurnSearch {
  const { sort: _sort, status: _status, note: _note, search: _words, ...shared } = readListSearch(search);
  return { ...shared, sort: oneOf(TURN_SORTS, search["sort"]) };
}

/** Without a choice, the slowest answers come first. */
export function turnInputOf({ sort = "-answerMs", ...filters }: TurnSearch): Input<Operations["turns"]["list"]> {
  return { ...(inputOf(filters) as Input<Operations["turns"]["list"]>), sort };
}
