import {
  type FailedThing,
  failedThingText,
  type FailureGroup,
  type FailureGroupOfEvent,
  type GroupMember,
  type GroupState,
} from "@svc/contract";
import { AppError } from "../base/errors.ts";
import { derivedId } from "../base/ids.ts";
import { foreignCursor } from "../stores/page.ts";
import type { GroupRow, Schema } from "../stores/schema.ts";
import {
  componentsOf,
  digestOf,
  joinedByMeaning,
  mostSimilarOf,
  type SameMeaning,
  type Wording,
} from "./similar-rules.ts";

export type MemberRow = Schema["grouped_failures"];

/** The failures of one thing with the same wording, the same group and the same value of `isCompared`. */
export type WordingRow = {
  wording: Wording;
  /** Group of these failures before the change; null for new failures. */
  groupId: string | null;
  isCompared: boolean;
  size: number;
  oldest: string;
  /** Start of the newest conversation, in ISO 8601. */
  newest: string;
};

/** State of a group that people decided, and the time of the first failure after a resolution. */
export type GroupDecision = Pick<
  GroupRow,
  "state" | "resolved_at" | "resolved_by" | "resolved_except" | "regressed_at"
>;

export type Arrival = { startedAt: string; agentVersion: string | null };

export type DecidedGroup = {
  id: string;
  /** Ids of the groups from before the change that became this group; empty for a new group. */
  formerIds: string[];
  wordings: WordingRow[];
  /** Number of failures that only the meaning joined to the others. */
  byMeaning: number;
  decision: GroupDecision;
  happened: "opened" | "regressed" | null;
};

/**
 * Comparison of the meaning of wordings. `revealed` are wordings whose meaning became known now, and which had been grouped without it.
 */
export type MeaningOfWordings = { sameAs: SameMeaning; revealed: ReadonlySet<Wording> };

type Part = { wordings: WordingRow[]; formerIds: string[]; byMeaning: number };

const NEW: GroupDecision = {
  state: "open",
  resolved_at: null,
  resolved_by: null,
  resolved_except: "[]",
  regressed_at: null,
};

const oldestOf = (wordings: readonly WordingRow[]): string =>
  wordings.reduce((least, { oldest }) => (oldest < least ? oldest : least), wordings[0]!.oldest);
export const newestOf = (wordings: readonly WordingRow[]): string =>
  wordings.reduce((most, { newest }) => (newest > most ? newest : most), "");
const byOldest = (one: Part, other: Part) => (oldestOf(one.wordings) < oldestOf(other.wordings) ? -1 : 1);

/** Identifies the failures that may be in one group: those of the same grader, behavior or tool in one project. */
export type Place = { projectId: string; whatKey: string };

/**
 * Returns the anchor of a failure: a text that sorts failures of one thing by the start of the conversation, and then by a digest of the
 * conversation's name.
 */
export const anchorOf = ({ projectId, whatKey }: Place, startedAt: string, conversation: string): string =>
  `${startedAt} ${digestOf(JSON.stringify([projectId, whatKey, conversation]))}`;

export const startOf = (anchor: string): string => anchor.slice(0, anchor.indexOf(" "));

/**
 * Returns the groups of all failures of one thing.
 *
 * - Similar wordings are in one group, and so are wordings that a chain of similar wordings connects. The result does not depend on the
 *   order in which failures arrive.
 * - A group's id is the least of the ids of its former groups and the id that is derived from its oldest conversation. Merged groups
 *   therefore continue under the id of the group with the oldest failure, and the other ids become aliases. An erasure of that conversation
 *   does not change the id. When an erasure splits a group, the part with the oldest conversation keeps the id, and both parts keep the
 *   state.
 * - Merged groups get the state that needs the most attention: open, then resolved, then ignored. They get the latest of their times of
 *   resolution.
 * - A resolved group opens again when it gets a failure of a conversation that started after the resolution. Exception: failures of the
 *   agent versions in `resolved_except` do not open it. `arrived` has the new failures.
 * - With `meaning`, wordings with the same meaning are in one group too. If nobody decided about a group and all its wordings are revealed,
 *   its failures count as new failures of the group that it joins: they do not open an ignored group.
 * - Only wordings with `isCompared` are compared with each other, and their number is limited. Any other wording joins the group of the
 *   most similar compared wording. All wordings without a similar compared wording form one group.
 */
export function groupsOf(
  all: readonly WordingRow[],
  former: ReadonlyMap<string, GroupDecision>,
  arrived: ReadonlyMap<Wording, readonly Arrival[]>,
  meaning?: MeaningOfWordings,
): DecidedGroup[] {
  const rowsOf = Map.groupBy(all, ({ wording }) => wording);
  const compared = [...rowsOf]
    .filter(([, rows]) => rows.some(({ isCompared }) => isCompared))
    .map(([wording]) => wording);
  const byWords = componentsOf(compared);
  const joint = meaning === undefined ? byWords.map((each) => [each]) : joinedByMeaning(byWords, meaning.sameAs);
  const parts = joint.map((components) =>
    partOf(components.map((wordings) => wordings.flatMap((each) => rowsOf.get(each)!))),
  );
  addUncompared(parts, compared, rowsOf);
  parts.sort(byOldest);

  const claimed = new Set<string>();
  for (const part of parts) {
    part.formerIds = part.formerIds.filter((id) => !claimed.has(id)).sort();
    for (const id of part.formerIds) claimed.add(id);
  }
  const wasIn = (part: Part) => part.wordings.flatMap(({ groupId }) => groupId ?? []);
  return parts.map((part) => {
    const id = leastId(part, claimed);
    claimed.add(id);
    // A part that was split from a group gets another id, but keeps the group's state.
    const ids = [...new Set([...part.formerIds, ...wasIn(part)])];
    const decisions = decidingOf(part, ids, former, meaning?.revealed).flatMap((each) => former.get(each) ?? []);
    const arrivals = part.wordings.flatMap(({ wording }) => arrived.get(wording) ?? []);
    const decision = afterArrivals(joined(decisions), arrivals);
    const happened =
      decisions.length === 0
        ? "opened"
        : joined(decisions).state === "resolved" && decision.state === "open"
          ? "regressed"
          : null;
    return { id, formerIds: part.formerIds, wordings: part.wordings, byMeaning: part.byMeaning, decision, happened };
  });
}

/** Returns the former groups whose decisions count for the part: not those that had to wait for their meaning, unless there are no others. */
function decidingOf(
  { wordings }: Part,
  ids: string[],
  former: ReadonlyMap<string, GroupDecision>,
  revealed: ReadonlySet<Wording> = new Set(),
): string[] {
  const hasWaited = (id: string): boolean => {
    const decision = former.get(id);
    const own = wordings.filter(({ groupId }) => groupId === id);
    return (
      decision?.state === "open" && decision.resolved_at === null && own.every(({ wording }) => revealed.has(wording))
    );
  };
  const others = revealed.size === 0 ? ids : ids.filter((id) => !hasWaited(id));
  return others.length === 0 ? ids : others;
}

export const sizeOf = (wordings: readonly WordingRow[]) => wordings.reduce((sum, { size }) => sum + size, 0);

/** `byWords` are the parts that the words alone form. */
function partOf(byWords: WordingRow[][]): Part {
  const wordings = byWords.flat();
  return {
    wordings,
    formerIds: [...new Set(wordings.flatMap(({ groupId }) => groupId ?? []))],
    byMeaning: sizeOf(wordings) - Math.max(...byWords.map(sizeOf)),
  };
}

function addUncompared(parts: Part[], compared: readonly Wording[], rowsOf: ReadonlyMap<Wording, WordingRow[]>): void {
  const isCompared = new Set(compared);
  if (rowsOf.size === isCompared.size) return;
  const partOfGroup = new Map(
    parts
      .toSorted(byOldest)
      .toReversed()
      .flatMap((part) => part.formerIds.map((id) => [id, part])),
  );
  const partOfWording = new Map(parts.flatMap((part) => part.wordings.map(({ wording }) => [wording, part] as const)));
  const mostSimilar = mostSimilarOf(compared);
  let others: Part | undefined;
  for (const [wording, rows] of [...rowsOf].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (isCompared.has(wording)) continue;
    const formerId = rows.flatMap(({ groupId }) => groupId ?? []).sort()[0];
    const similar = formerId === undefined ? mostSimilar(wording) : undefined;
    let part = formerId === undefined ? partOfWording.get(similar ?? "") : partOfGroup.get(formerId);
    if (similar === undefined && part === undefined) {
      others ??= { wordings: [], formerIds: [], byMeaning: 0 };
      part = others;
      if (others.wordings.length === 0) parts.push(others);
    }
    part!.wordings.push(...rows);
    part!.formerIds = [...new Set([...part!.formerIds, ...(formerId === undefined ? [] : [formerId])])];
  }
}

function leastId(part: Part, claimed: ReadonlySet<string>): string {
  const anchor = oldestOf(part.wordings);
  const startMs = Date.parse(startOf(anchor));
  let digest = anchor.slice(anchor.indexOf(" ") + 1);
  for (;;) {
    const derived = derivedId("grp", startMs, digest);
    if (!claimed.has(derived) || part.formerIds.includes(derived)) return [...part.formerIds, derived].sort()[0]!;
    digest = digestOf(digest);
  }
}

const WATCHFUL: readonly GroupState[] = ["open", "resolved", "ignored"];

function joined(decisions: readonly GroupDecision[]): GroupDecision {
  if (decisions.length === 0) return NEW;
  const state = WATCHFUL.find((each) => decisions.some((decision) => decision.state === each))!;
  const resolved = decisions.toSorted((one, other) =>
    (one.resolved_at ?? "") > (other.resolved_at ?? "") ? -1 : 1,
  )[0]!;
  const regressed = decisions.flatMap(({ regressed_at }) => regressed_at ?? []).sort()[0] ?? null;
  const { resolved_at, resolved_by, resolved_except } = resolved;
  return { state, resolved_at, resolved_by, resolved_except, regressed_at: regressed };
}

function afterArrivals(decision: GroupDecision, arrivals: readonly Arrival[]): GroupDecision {
  const { state, resolved_at, regressed_at } = decision;
  if (resolved_at === null || state === "ignored") return decision;
  const except = exceptVersionsOf(decision);
  const later = arrivals.flatMap(({ startedAt, agentVersion }) =>
    startedAt > resolved_at && (agentVersion === null || !except.includes(agentVersion)) ? startedAt : [],
  );
  if (later.length === 0 || (state === "open" && regressed_at === null)) return decision;
  return {
    ...decision,
    state: "open",
    regressed_at: [...later, ...(regressed_at === null ? [] : [regressed_at])].sort()[0]!,
  };
}

const exceptVersionsOf = ({ resolved_except }: GroupDecision) => JSON.parse(resolved_except) as string[];

/** `exceptVersions` are agent versions whose failures do not reopen a resolved group. */
export function decideState(
  row: GroupDecision,
  { state, exceptVersions = [] }: { state: GroupState; exceptVersions?: readonly string[] | undefined },
  now: string,
  userId: string,
): GroupDecision {
  if (state !== "resolved" && exceptVersions.length > 0)
    throw new AppError("unprocessable", "Send `exceptVersions` only with `state: resolved`.");
  const except = JSON.stringify(exceptVersions);
  if (state === row.state && (state !== "resolved" || except === row.resolved_except)) return row;
  if (state === "resolved")
    return { state, resolved_at: now, resolved_by: userId, resolved_except: except, regressed_at: null };
  return { ...row, state };
}

const DAYS = 14;
const DAY_MS = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

export const trendDays = (nowMs: number): string[] =>
  Array.from({ length: DAYS }, (_, index) => dayOf(nowMs - (DAYS - 1 - index) * DAY_MS));

export type GroupFacts = {
  agents: ReadonlyMap<string, (string | null)[]>;
  versions: ReadonlyMap<string, string[]>;
  failuresOn: ReadonlyMap<string, ReadonlyMap<string, number>>;
};

export const presentGroupOfEvent = (
  row: GroupRow,
  agentNames: (string | null)[],
  agentVersions: string[],
): FailureGroupOfEvent => {
  const what = JSON.parse(row.what) as FailedThing;
  return {
    id: row.id,
    projectId: row.project_id,
    what,
    whatText: failedThingText(what),
    size: row.size,
    agentNames,
    agentVersions,
    firstSeenAt: row.first_seen,
    lastSeenAt: row.last_seen,
    state: row.state,
    resolvedAt: row.resolved_at,
    resolvedExceptVersions: exceptVersionsOf(row),
    regressedAt: row.regressed_at,
  };
};

export const groupReason = ({ id, what }: GroupRow, happened: "opened" | "regressed") => ({
  reason: "failure_group" as const,
  about: id,
  graderId: null,
  sentence: `It is one of the failures of a group that ${happened === "opened" ? "is new" : "came back"}: ${failedThingText(JSON.parse(what) as FailedThing)}.`,
});

export const presentGroup = (
  row: GroupRow & { resolved_by_name: string | null },
  { agents, versions, failuresOn }: GroupFacts,
  nowMs: number,
): FailureGroup => ({
  ...presentGroupOfEvent(row, agents.get(row.id) ?? [], versions.get(row.id) ?? []),
  title: row.title,
  words: JSON.parse(row.words) as string[],
  joinedByMeaning: row.joined_by_meaning,
  trend: trendDays(nowMs).map((day) => ({ day, failures: failuresOn.get(row.id)?.get(day) ?? 0 })),
  resolvedBy: row.resolved_by_name,
});

export const presentMember = (row: MemberRow): GroupMember => ({
  source: row.source,
  traceId: row.trace_id,
  runId: row.run_id,
  simulationId: row.source === "simulation" ? row.conversation : null,
  agentName: row.agent,
  agentVersion: row.agent_version,
  turn: row.turn,
  quote: row.quote,
  startedAt: row.started_at,
});

/** End of a page: the last row's id, and the last row's value of the column that sorts the list. */
export type ListCursor = { value: string; id: string };

export const encodeCursor = (sort: string, { value, id }: ListCursor): string =>
  Buffer.from(JSON.stringify([sort, value, id])).toString("base64url");

export function decodeCursor(sort: string, token: string | undefined): ListCursor | undefined {
  if (token === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    const isCursor = Array.isArray(parsed) && parsed.length === 3 && parsed.every((part) => typeof part === "string");
    if (isCursor && parsed[0] === sort && isValue(sort, parsed[1] as string))
      return { value: parsed[1] as string, id: parsed[2] as string };
  } catch {
    // A token that cannot be parsed is rejected below.
  }
  throw foreignCursor();
}

const isValue = (sort: string, value: string) => sort !== "size" || /^\d{1,12}$/.test(value);
