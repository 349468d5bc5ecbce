import { sha256 } from "../base/secrets/secrets.ts";
import { isEnglish } from "../grading/words/sentences.ts";
import { wordsOf } from "../grading/words/words.ts";

/**
 * Text by which failing turns are compared: a mark that stands for the agent, and then the words of the turn. It omits numbers, dates,
 * names, ids and addresses, because these differ between failures with the same cause. The words are in their order, in lower case, and
 * joined with spaces. Empty when the turn's words are unknown.
 */
export type Wording = string;

/** Limits: how many characters of a text are read, how many words a wording has, and how many characters a word has. */
const TEXT_CHARACTERS = 1_000;
const WORDS = 60;
const WORD_CHARACTERS = 24;

/** Two wordings are similar when they share at least this part of their shingles (see `shinglesOf`). */
const SIMILAR = 0.3;

/**
 * If more than this share of the words of a text that is not English begin with a capital, capitals do not mark names, and the capitalized
 * words are kept.
 */
const CAPITALS_OF_NAMES = 0.15;

const list = (words: string) => new Set(words.split(" "));

/** English words that do not describe what happened, without their apostrophes. */
const STOP_WORDS = list(
  "a an the this that these those and or but so if then than as of at by for from in into on onto out over to up with about " +
    "i you he she it we they me him her us them my your his its our their mine yours im youre were theyre ive youve weve theyve " +
    "ill youll well theyll id youd wed is am are was were be been being do does did have has had will would shall should can " +
    "could may might must just also very really now here there please okay oh um uh hi hello thanks thank yes yeah sure " +
    "alright right let lets got see wait waiting moment second bear again which what who when where how all any some theres thats whats",
);

/** Words of dates and times. Words for numbers are not in the list, because they have become digits before. */
const DATE_WORDS = list(
  "half quarter noon midnight am pm a.m p.m o'clock oclock today tomorrow tonight yesterday monday tuesday wednesday thursday " +
    "friday saturday sunday january february march april june july august september october november december morning " +
    "afternoon evening dollars euros pounds cents percent",
);

const ADDRESSES = /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\bhttps?:\/\/\S+|\bwww\.\S+/giu;
/** Matches a name after words that announce a name, even in a text without capital letters. */
const NAMED =
  /\b(my name is|speaking with|mr|mrs|ms|dr|mister)\.?\s+\p{L}[\p{L}\p{M}'’-]*(?:\s+\p{Lu}[\p{L}\p{M}'’-]*)?/giu;

/** First character of the mark that stands for an agent. No word contains this character. */
const AGENT_MARK = "@";
/** Weight of the agent in a comparison of wordings, as a number of words. Failures of two agents seldom have the same cause. */
const AGENT_WORDS = 2;

export function wordingOf(text: string | null, agent: string | null): Wording {
  if (text === null) return "";
  const mark = agent === null ? [] : [`${AGENT_MARK}${digestOf(agent).slice(0, 8)}`];
  return [...mark, ...wordsOfTurn(text)].join(" ");
}

export const wordsOnly = (wording: Wording): string[] =>
  wording.split(" ").filter((word) => word !== "" && !word.startsWith(AGENT_MARK));

/** Returns the mark of the agent in a wording; empty for an unknown agent. */
export const markOf = (wording: Wording): string => (wording.startsWith(AGENT_MARK) ? wording.split(" ", 1)[0]! : "");

function wordsOfTurn(text: string): string[] {
  const plain = text.slice(0, TEXT_CHARACTERS).replaceAll(ADDRESSES, " ").replaceAll(NAMED, "$1 ");
  const found = wordsOf(plain).map((word) => ({
    ...word,
    isCapital: /^\p{Lu}\p{Ll}/u.test(plain.slice(word.start, word.end)),
    opens: /(^|[.!?:;"“»\n])\s*$/.test(plain.slice(Math.max(0, word.start - 4), word.start)),
  }));
  const inside = found.filter(({ opens }) => !opens);
  const capitals = inside.filter(({ isCapital }) => isCapital).length;
  const tellsNames = isEnglish([plain]) || capitals <= CAPITALS_OF_NAMES * inside.length;
  return found
    .filter(({ text: word, opens, isCapital }) => {
      if (/[\p{N}@]/u.test(word) || STOP_WORDS.has(word) || DATE_WORDS.has(word)) return false;
      return opens || !isCapital || !tellsNames;
    })
    .slice(0, WORDS)
    .map(({ text: word, owner }) => (owner ?? word).slice(0, WORD_CHARACTERS));
}

/** Returns a word without a common English ending, so that "booked" and "booking" have the same stem. */
function stemOf(word: string): string {
  for (const ending of ["ing", "ed", "es", "s", "ly", "e"]) {
    if (!word.endsWith(ending) || word.length - ending.length < 3 || word.endsWith("ss")) continue;
    const stem = word.slice(0, -ending.length);
    return /([^aeiouls])\1$/.test(stem) ? stem.slice(0, -1) : stem;
  }
  return word;
}

/**
 * Returns the shingles of a wording: hashes of its stems, of its pairs of neighbouring stems and of its agent. They are sorted 32-bit
 * numbers without duplicates.
 */
function shinglesOf(wording: Wording): Uint32Array {
  const words = wordsOnly(wording).map(stemOf);
  const pairs = words.slice(1).map((word, index) => `${words[index]} ${word}`);
  const mark = markOf(wording);
  const agent = mark === "" ? [] : Array.from({ length: AGENT_WORDS }, (_, index) => `${mark} ${index}`);
  return Uint32Array.from(new Set([...words, ...pairs, ...agent].map(numberOf))).sort();
}

/** Returns the 32-bit FNV-1a hash of the text. */
function numberOf(text: string): number {
  let number = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) number = Math.imul(number ^ text.charCodeAt(index), 0x01000193);
  return mixed(number);
}

/** Mixes the bits of a number with the finalizer of MurmurHash3. */
function mixed(number: number): number {
  let n = number;
  n = Math.imul(n ^ (n >>> 16), 0x85ebca6b);
  n = Math.imul(n ^ (n >>> 13), 0xc2b2ae35);
  return (n ^ (n >>> 16)) >>> 0;
}

/**
 * Parameters of MinHash. Two wordings that share the part `s` of their shingles have an equal band with the probability `1 - (1 -
 * s^ROWS)^BANDS`: 95 percent for s = 0.3.
 */
const ROWS = 2;
const BANDS = 32;
const SEEDS = Uint32Array.from({ length: ROWS * BANDS }, (_, index) => mixed(index + 1));

/** Returns the MinHash bands of a wording, each with its position. Wordings with an equal band probably share many shingles. */
function bandsOf(shingles: Uint32Array): string[] {
  const least = new Uint32Array(SEEDS.length).fill(0xffffffff);
  for (const shingle of shingles)
    for (let at = 0; at < SEEDS.length; at++) {
      const value = mixed(shingle ^ SEEDS[at]!);
      if (value < least[at]!) least[at] = value;
    }
  return Array.from({ length: BANDS }, (_, band) => `${band} ${least[band * ROWS]} ${least[band * ROWS + 1]}`);
}

/** Returns the Jaccard similarity: the number of shingles in both sets, divided by the number of shingles in at least one set. */
function shared(one: Uint32Array, other: Uint32Array): number {
  let [a, b, both] = [0, 0, 0];
  while (a < one.length && b < other.length) {
    if (one[a] === other[b]) [a, b, both] = [a + 1, b + 1, both + 1];
    else if (one[a]! < other[b]!) a++;
    else b++;
  }
  return both / (one.length + other.length - both);
}

/** Divides the numbers below `count` into sets. At first each number is in a set of its own. The least number of a set is its root. */
function disjointSets(count: number) {
  const parent = Array.from({ length: count }, (_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (parent[root] !== root) root = parent[root]!;
    parent[index] = root;
    return root;
  };
  return {
    rootOf,
    /** Joins the sets of two numbers if they are different sets and `isJoined` returns true. */
    join(index: number, other: number, isJoined: () => boolean): void {
      const [one, two] = [rootOf(index), rootOf(other)];
      if (one !== two && isJoined()) parent[Math.max(one, two)] = Math.min(one, two);
    },
  };
}

/**
 * Divides different wordings into components. Similar wordings are in the same component, and so are wordings that a chain of similar
 * wordings connects. MinHash finds the similar pairs, so a few can be missed. The result does not depend on the order of the wordings.
 */
export function componentsOf(wordings: readonly Wording[]): Wording[][] {
  const sorted = wordings.toSorted();
  const all = sorted.map(shinglesOf);
  const { rootOf, join } = disjointSets(sorted.length);
  const inBand = new Map<string, number[]>();
  for (const [index, shingles] of all.entries())
    for (const band of bandsOf(shingles)) {
      const others = inBand.get(band);
      if (others === undefined) inBand.set(band, [index]);
      else {
        for (const other of others) join(index, other, () => shared(shingles, all[other]!) >= SIMILAR);
        others.push(index);
      }
    }
  return [...Map.groupBy(sorted, (_, index) => rootOf(index)).values()];
}

/** Returns the compared wordings that mean the same as a wording. */
export type SameMeaning = (wording: Wording) => Wording[];

/** Divides components into sets that have wordings with the same meaning, directly or through a chain. */
export function joinedByMeaning(components: Wording[][], sameAs: SameMeaning): Wording[][][] {
  const { rootOf, join } = disjointSets(components.length);
  const indexOf = new Map(components.flatMap((component, index) => component.map((wording) => [wording, index])));
  for (const [wording, index] of indexOf)
    for (const other of sameAs(wording)) join(index, indexOf.get(other)!, () => true);
  return [...Map.groupBy(components, (_, index) => rootOf(index)).values()];
}

export function mostSimilarOf(others: readonly Wording[]): (wording: Wording) => Wording | undefined {
  const all = others.toSorted().map((wording) => ({ wording, shingles: shinglesOf(wording) }));
  return (wording) => {
    const own = shinglesOf(wording);
    let best: { wording: Wording; share: number } | undefined;
    for (const other of all) {
      const share = shared(own, other.shingles);
      if (share >= SIMILAR && share > (best?.share ?? 0)) best = { wording: other.wording, share };
    }
    return best?.wording;
  };
}

/** Smallest share of a group's failures in which a word must occur to be shown as common, and the largest number of such words. */
const JOINING_SHARE = 0.4;
const JOINING_SHOWN = 8;

/**
 * Returns the stems of the wordings. Each stem has the number of failures that contain it (`count`), and the words with this stem and their
 * numbers of failures.
 */
function stemsOf(sizes: ReadonlyMap<Wording, number>): Map<string, { count: number; words: Map<string, number> }> {
  const stems = new Map<string, { count: number; words: Map<string, number> }>();
  for (const [wording, size] of sizes)
    for (const [stem, [word]] of Map.groupBy(wordsOnly(wording), stemOf)) {
      const { count, words } = stems.get(stem) ?? { count: 0, words: new Map<string, number>() };
      stems.set(stem, { count: count + size, words: words.set(word!, (words.get(word!) ?? 0) + size) });
    }
  return stems;
}

const total = (sizes: ReadonlyMap<Wording, number>) => [...sizes.values()].reduce((sum, size) => sum + size, 0);

const mostFirst = ([one, a]: [string, number], [other, b]: [string, number]) => b - a || (one < other ? -1 : 1);

export function joiningWords(sizes: ReadonlyMap<Wording, number>): string[] {
  const least = JOINING_SHARE * total(sizes);
  return [...stemsOf(sizes).values()]
    .filter(({ count }) => count >= least)
    .map(({ count, words }): [string, number] => [[...words].sort(mostFirst)[0]![0], count])
    .sort(mostFirst)
    .slice(0, JOINING_SHOWN)
    .map(([word]) => word);
}

/** Returns the most typical wording: its words occur in many failures, and many failures have exactly this wording. */
export function typicalWording(sizes: ReadonlyMap<Wording, number>): Wording {
  const stems = stemsOf(sizes);
  const scores = [...sizes].map(([wording, size]): [Wording, number] => {
    const own = new Set(wordsOnly(wording).map(stemOf));
    const common = [...own].reduce((sum, stem) => sum + (stems.get(stem)?.count ?? 0), 0);
    return [wording, common / Math.max(1, own.size) + size];
  });
  return scores.sort(mostFirst)[0]![0];
}

export const digestOf = (text: string): string => sha256(text).slice(0, 32);
