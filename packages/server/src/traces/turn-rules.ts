import { LIMITS, type operations } from "@svc/contract";
import { z } from "zod";
import { foreignCursor } from "../stores/page.ts";
import { filtersOf, readToken, type ResolvedIds, type TraceFilters, writeToken } from "./rules.ts";

type TurnsQuery = z.output<(typeof operations.turns.list)["query"]>;

/** The end of a page of turns: the last turn, with its start and its time to answer. */
export type TurnCursor = { answerUs: string; startedNs: string; key: string; turn: number };

export type TurnSort = { by: "startedAt" | "answerMs"; descending: boolean };

/** Filters of turns. `interrupted`, `tool`, `slowerThanMs` and the times are about the turn, all others about its conversation. */
export type TurnFilters = Omit<TraceFilters, "status" | "quality" | "search" | "receivedFromMs">;

export type TurnListRequest = {
  project: number;
  limit: number;
  sort: TurnSort;
  after: TurnCursor | undefined;
  filters: TurnFilters;
};

export const decideTurns = (project: number, query: TurnsQuery, resolved: ResolvedIds): TurnListRequest => ({
  project,
  limit: query.pageSize ?? LIMITS.pageSizeDefault,
  sort: sortOf(query),
  after: query.pageToken === undefined ? undefined : readTurnToken(query.pageToken, query),
  filters: filtersOf(query, resolved),
});

const sortOf = ({ sort = "-startedAt" }: TurnsQuery): TurnSort => ({
  by: sort === "-answerMs" ? "answerMs" : "startedAt",
  descending: sort.startsWith("-"),
});

const number = z.string().regex(/^-?\d{1,19}$/);
const TurnToken = z.tuple([z.string(), number, number, z.string(), z.int().min(0)]);

/** The token contains the sort order, so that a request with another sort order can reject it. */
export const turnTokenOf = ({ sort = "-startedAt" }: TurnsQuery, { answerUs, startedNs, key, turn }: TurnCursor) =>
  writeToken([sort, answerUs, startedNs, key, turn]);

function readTurnToken(token: string, { sort = "-startedAt" }: TurnsQuery): TurnCursor {
  const parsed = TurnToken.safeParse(readToken(token));
  if (!parsed.success || parsed.data[0] !== sort) throw foreignCursor();
  const [, answerUs, startedNs, key, turn] = parsed.data;
  return { answerUs, startedNs, key, turn };
}
