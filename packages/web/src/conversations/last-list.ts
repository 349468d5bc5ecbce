import type { ListSearch } from "./list-search.ts";

/** The list that the person looked at last in each project, for the conversations before and after one. */
const lists = new Map<string, ListSearch>();

/** Remembers the list of a project. */
export const rememberList = (projectId: string, search: ListSearch): void => void lists.set(projectId, search);

/** Returns the list of a project that was looked at last; the list without filters at first. */
export const lastList = (projectId: string): ListSearch => lists.get(projectId) ?? {};
