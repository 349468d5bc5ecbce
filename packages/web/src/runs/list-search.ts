import { oneOf, textOf } from "../search-params.ts";

const STATUSES = ["pending", "running", "completed", "canceled"] as const;

/** The filters of the list of runs, as the address keeps them. */
export type ListSearch = {
  agent?: string | undefined;
  suite?: string | undefined;
  test?: string | undefined;
  status?: (typeof STATUSES)[number] | undefined;
};

export const STATUS_OPTIONS = STATUSES.map((status) => ({ value: status, label: status }));

/** Returns the filters of an address; unknown values are left out. */
export const readListSearch = (search: Record<string, unknown>): ListSearch => ({
  agent: textOf(search["agent"]),
  suite: textOf(search["suite"]),
  test: textOf(search["test"]),
  status: oneOf(STATUSES, search["status"]),
});
