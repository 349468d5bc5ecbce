import { mergeSequences, type Region } from "./merge-sequences.ts";

/**
 * `mine` is the text of this person. `theirs` is the text that somebody saved meanwhile. With `both`, the saved text comes first.
 */
export type MergeChoice = "mine" | "theirs" | "both";

/** Part that the two edits changed in different ways. Each text is an array of lines. */
export type MergeConflict = {
  id: string;
  /** The name of the part, such as "Behavior 5". */
  label: string;
  base: readonly string[];
  mine: readonly string[];
  theirs: readonly string[];
  canKeepBoth: boolean;
};

/** Change that the merge applies without a question. */
export type MergeChange = { from: "mine" | "theirs"; label: string };

export type Merge<T> = {
  changes: readonly MergeChange[];
  conflicts: readonly MergeConflict[];
  /** A conflict without a choice is resolved with the text of this person. */
  result: (choices: Readonly<Record<string, MergeChoice>>) => T;
};

export const sameValue = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

/** Returns the JSON of a value with the members of each object in alphabetical order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    member !== null && typeof member === "object" && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  ) ?? "";

type Sides<T> = { base: T; mine: T; theirs: T };

/** Merges a part that changes as a whole. `lines` returns the text of a value in a conflict. */
export function mergeValue<T>(
  id: string,
  label: string,
  { base, mine, theirs }: Sides<T>,
  lines: (value: T) => readonly string[] = (value) => [String(value)],
): Merge<T> {
  const [myChange, theirChange] = [!sameValue(mine, base), !sameValue(theirs, base)];
  const agreed = (from: MergeChange["from"], value: T): Merge<T> => ({
    changes: [{ from, label }],
    conflicts: [],
    result: () => value,
  });
  if (!theirChange) return myChange ? agreed("mine", mine) : { changes: [], conflicts: [], result: () => base };
  if (!myChange || sameValue(mine, theirs)) return agreed("theirs", theirs);
  return {
    changes: [],
    conflicts: [{ id, label, base: lines(base), mine: lines(mine), theirs: lines(theirs), canKeepBoth: false }],
    result: (choices) => (choices[id] === "theirs" ? theirs : mine),
  };
}

type ListNames = {
  /** The name of one item, such as "Behavior". */
  item: string;
  /** Whether the result contains the insertions of both edits at the same position, without a question. */
  keepsBothAdditions?: boolean;
};

/** Merges a list whose order matters, item by item. */
export function mergeList(
  id: string,
  { item, keepsBothAdditions = false }: ListNames,
  sides: Sides<readonly string[]>,
): Merge<string[]> {
  const regions = mergeSequences(sides.base, sides.mine, sides.theirs);
  const isFree = (region: Region) => keepsBothAdditions && region.base.length === 0;
  const idOf = (region: Region) => `${id}.${region.at}`;
  const changes: MergeChange[] = [];
  const conflicts: MergeConflict[] = [];
  for (const region of regions) {
    const label = labelOf(item, region.at, region.base.length);
    if (region.kind === "agreed") {
      if (region.from !== "base") changes.push({ from: region.from === "mine" ? "mine" : "theirs", label });
    } else if (isFree(region)) changes.push({ from: "theirs", label }, { from: "mine", label });
    else {
      const { base, mine, theirs } = region;
      conflicts.push({
        id: idOf(region),
        label,
        base,
        mine,
        theirs,
        canKeepBoth: mine.length > 0 && theirs.length > 0,
      });
    }
  }
  const itemsOf = (region: Region, choices: Readonly<Record<string, MergeChoice>>): readonly string[] => {
    if (region.kind === "agreed") return region.items;
    const { mine, theirs } = region;
    const choice = isFree(region) ? "both" : (choices[idOf(region)] ?? "mine");
    return choice === "both" ? [...theirs, ...mine.filter((one) => !theirs.includes(one))] : region[choice];
  };
  return { changes, conflicts, result: (choices) => regions.flatMap((region) => itemsOf(region, choices)) };
}

const labelOf = (item: string, at: number, count: number): string =>
  count === 0 ? `new ${item.toLowerCase()}` : count === 1 ? `${item} ${at + 1}` : `${item}s ${at + 1}–${at + count}`;

/**
 * Merges two edits of a set of names: applies the additions and removals of both. The result has the saved names in their order,
 * followed by the names that this person added.
 */
export function mergeSet(item: string, { base, mine, theirs }: Sides<readonly string[]>): Merge<string[]> {
  const changesOf = (from: MergeChange["from"], names: readonly string[]): MergeChange[] => [
    ...names.filter((name) => !base.includes(name)).map((name) => ({ from, label: `${item} ${name} added` })),
    ...base.filter((name) => !names.includes(name)).map((name) => ({ from, label: `${item} ${name} removed` })),
  ];
  const removed = base.filter((name) => !mine.includes(name));
  const merged = [
    ...theirs.filter((name) => !removed.includes(name)),
    ...mine.filter((name) => !base.includes(name) && !theirs.includes(name)),
  ];
  // If the saved set did not change, the result has the order of this person's edit.
  const result = sameValue(base, theirs) ? [...mine] : merged;
  return { changes: [...changesOf("theirs", theirs), ...changesOf("mine", mine)], conflicts: [], result: () => result };
}

/** Merges two edits of a list of records with unique keys, record by record. */
export function mergeRecords<T>(
  id: string,
  item: string,
  keyOf: (record: T) => string,
  { base, mine, theirs }: Sides<readonly T[]>,
  lines: (record: T) => readonly string[],
): Merge<T[]> {
  const find = (list: readonly T[], key: string) => list.find((record) => keyOf(record) === key);
  const keys = [...new Set([...theirs, ...mine].map(keyOf)), ...base.map(keyOf)].filter(
    (key, i, all) => all.indexOf(key) === i,
  );
  const merges = keys.map((key) =>
    mergeValue(
      `${id}.${key}`,
      `${item} ${key}`,
      { base: find(base, key), mine: find(mine, key), theirs: find(theirs, key) },
      (record) => (record === undefined ? [] : lines(record)),
    ),
  );
  return {
    ...joined(merges),
    result: (choices) => merges.map((merge) => merge.result(choices)).filter((record) => record !== undefined),
  };
}

export const joined = (merges: readonly Merge<unknown>[]): Pick<Merge<unknown>, "changes" | "conflicts"> => ({
  changes: merges.flatMap(({ changes }) => changes),
  conflicts: merges.flatMap(({ conflicts }) => conflicts),
});
