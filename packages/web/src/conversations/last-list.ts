import { type ListSearch, readListSearch } from "./list-search.ts";

const PREFIX = "svc.list.";

/** Remembers the list of a project in the tab, so that a reload keeps the conversations before and after one. */
export function rememberList(projectId: string, search: ListSearch): void {
  try {
    sessionStorage.setItem(PREFIX + projectId, JSON.stringify(search));
  } catch {
    // Without storage the neighbours are those of the list without filters.
  }
}

/** Returns the list of a project that the person looked at last in the tab; the list without filters at first. */
export function lastList(projectId: string): ListSearch {
  try {
    const search: unknown = JSON.parse(sessionStorage.getItem(PREFIX + projectId) ?? "{}");
    return typeof search === "object" && search !== null ? readListSearch(search as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
