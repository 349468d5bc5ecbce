import { diffArrays } from "diff";

/** Run of items without a conflict: neither edit changed the items, one edit changed them, or both edits made the same change. */
type AgreedRegion = {
  kind: "agreed";
  from: "base" | "mine" | "theirs" | "both";
  /** Position in the base of the first item that the region replaces. */
  at: number;
  base: readonly string[];
  items: readonly string[];
};

/** Run of items that the two edits changed in different ways. */
type ConflictRegion = {
  kind: "conflict";
  at: number;
  base: readonly string[];
  mine: readonly string[];
  theirs: readonly string[];
};

export type Region = AgreedRegion | ConflictRegion;

/** Replacement of the base's items from `start` up to `end` (exclusive). */
type Hunk = { start: number; end: number; items: readonly string[] };

/**
 * The regions cover the base in order. Two edits conflict if they replace the same items, or insert at the same position, with
 * different results.
 */
export function mergeSequences(base: readonly string[], mine: readonly string[], theirs: readonly string[]): Region[] {
  const [ours, others] = [hunksOf(base, mine), hunksOf(base, theirs)];
  const regions: Region[] = [];
  let at = 0;
  while (ours.length > 0 || others.length > 0) {
    const start = Math.min(ours[0]?.start ?? Infinity, others[0]?.start ?? Infinity);
    if (start > at) regions.push(unchanged(base, at, start));
    const touched = takeOverlapping(start, ours, others);
    regions.push(regionOf(base, touched));
    at = touched.end;
  }
  if (at < base.length) regions.push(unchanged(base, at, base.length));
  return regions;
}

/** If n items replace n items, the result has a separate change for each item. */
function hunksOf(base: readonly string[], changed: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let at = 0;
  let open: { start: number; end: number; items: string[] } | undefined;
  const close = () => {
    if (open === undefined) return;
    const { start, end, items } = open;
    if (end - start === items.length)
      items.forEach((item, i) => hunks.push({ start: start + i, end: start + i + 1, items: [item] }));
    else hunks.push(open);
    open = undefined;
  };
  for (const { added, removed, value } of diffArrays([...base], [...changed])) {
    if (!added && !removed) {
      close();
      at += value.length;
      continue;
    }
    open ??= { start: at, end: at, items: [] };
    if (added) open.items.push(...value);
    else open.end = at += value.length;
  }
  close();
  return hunks;
}

type Touched = { start: number; end: number; mine: Hunk[]; theirs: Hunk[] };

/** Removes the first hunk from both lists, with every hunk that overlaps it directly or through another hunk. Returns the removed hunks. */
function takeOverlapping(start: number, ours: Hunk[], others: Hunk[]): Touched {
  const touched: Touched = { start, end: start, mine: [], theirs: [] };
  const isTouched = (hunk: Hunk | undefined): hunk is Hunk => {
    if (hunk === undefined) return false;
    if (touched.mine.length + touched.theirs.length === 0) return hunk.start === start;
    const isInsertion = (one: Hunk) => one.start === one.end;
    const [first] = [...touched.mine, ...touched.theirs];
    const bothInsertHere = isInsertion(hunk) && touched.end === start && isInsertion(first!) && hunk.start === start;
    return hunk.start < touched.end || bothInsertHere;
  };
  // An insertion is taken before a replacement at the same position. So the replacement does not overlap the insertion, and becomes
  // another region.
  const byInsertion = [ours, others].sort((a, b) => sizeAt(a[0], start) - sizeAt(b[0], start));
  for (let found = true; found;) {
    found = false;
    for (const list of byInsertion) {
      while (isTouched(list[0])) {
        const hunk = list.shift()!;
        (list === ours ? touched.mine : touched.theirs).push(hunk);
        touched.end = Math.max(touched.end, hunk.end);
        found = true;
      }
    }
  }
  return touched;
}

const sizeAt = (hunk: Hunk | undefined, start: number): number =>
  hunk === undefined || hunk.start !== start ? Infinity : hunk.end - hunk.start;

function regionOf(base: readonly string[], { start, end, mine, theirs }: Touched): Region {
  const region = { at: start, base: base.slice(start, end) };
  const [my, their] = [applied(base, start, end, mine), applied(base, start, end, theirs)];
  if (theirs.length === 0) return { kind: "agreed", from: "mine", ...region, items: my };
  if (mine.length === 0) return { kind: "agreed", from: "theirs", ...region, items: their };
  if (my.length === their.length && my.every((item, index) => item === their[index]))
    return { kind: "agreed", from: "both", ...region, items: my };
  return { kind: "conflict", ...region, mine: my, theirs: their };
}

function applied(base: readonly string[], start: number, end: number, hunks: readonly Hunk[]): string[] {
  const items: string[] = [];
  let at = start;
  for (const hunk of hunks) {
    items.push(...base.slice(at, hunk.start), ...hunk.items);
    at = hunk.end;
  }
  return [...items, ...base.slice(at, end)];
}

const unchanged = (base: readonly string[], start: number, end: number): AgreedRegion => ({
  kind: "agreed",
  from: "base",
  at: start,
  base: base.slice(start, end),
  items: base.slice(start, end),
});
