import { inSlices } from "../base/async/in-slices.ts";
import { createRecentCache } from "../base/async/recent-cache.ts";
import type { EmbeddingsSettings } from "../base/config/config.ts";
import { digestOf, markOf, type Wording, wordsOnly } from "./similar-rules.ts";

/** A vector of an embedding model, scaled to the length 1. */
export type Vector = Float32Array;

const DIMENSIONS_MAX = 8_192;

/** Returns the vector that an endpoint sent; undefined if the value is no list of numbers with a direction. */
export function vectorOf(value: unknown): Vector | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > DIMENSIONS_MAX) return undefined;
  if (!value.every((each) => typeof each === "number" && Number.isFinite(each))) return undefined;
  const numbers = value as number[];
  const largest = numbers.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
  if (largest === 0) return undefined;
  // The division by the largest number keeps the squares in the range of numbers.
  const length = Math.sqrt(numbers.reduce((sum, each) => sum + (each / largest) ** 2, 0));
  return Float32Array.from(numbers, (each) => each / largest / length);
}

export const textOfVector = ({ buffer, byteOffset, byteLength }: Vector): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

function vectorOfText(text: string): Vector {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"));
  return new Float32Array(bytes.buffer);
}

/** Returns the cosine similarity of two vectors; 0 when they have different lengths. */
function cosineOf(one: Vector, other: Vector): number {
  if (one.length !== other.length) return 0;
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!;
  return sum;
}

/**
 * Unrelated texts in the form of wordings. To some models all texts are similar, and to others few are. The mean similarity of these texts
 * tells how similar unrelated texts are to a model.
 */
export const UNRELATED_TEXTS: readonly string[] = [
  "cant find booking system",
  "payment declined bank card",
  "parcel left depot arrives",
  "take medicine twice daily meals",
  "shop closed holidays",
  "reset password link email",
  "connecting colleague billing",
  "room sea view breakfast included",
  "insurance policy covers water damage",
  "technician visits replace router",
  "flight delayed weather gate",
  "loan interest rate fixed years",
  "appointment dentist cancelled patient",
  "pizza extra cheese delivered hot",
  "meter reading electricity bill",
  "repeat name spelling letter",
];
const BASELINE_MAX = 0.99;

/** Returns the mean similarity of the vectors, limited to the range from 0 to `BASELINE_MAX`. */
export function baselineOf(vectors: readonly Vector[]): number {
  const pairs = vectors.flatMap((one, at) => vectors.slice(at + 1).map((other) => cosineOf(one, other)));
  const mean = pairs.reduce((sum, each) => sum + each, 0) / pairs.length;
  return Math.min(BASELINE_MAX, Math.max(0, mean));
}

/** Words of a wording, without the mark of its agent, and their digest. */
export type ComparedWords = { words: string; digest: string };

/** Returns the wordings that are compared by meaning: those with words, if their agent has several. Their words may be equal. */
export function wordsToCompare(wordings: Iterable<Wording>): Map<Wording, ComparedWords> {
  const withWords = [...wordings].map((wording) => ({ wording, words: wordsOnly(wording).join(" ") }));
  const ofAgents = Map.groupBy(
    withWords.filter(({ words }) => words !== ""),
    ({ wording }) => markOf(wording),
  );
  const compared = [...ofAgents.values()].filter(({ length }) => length > 1).flat();
  return new Map(compared.map(({ wording, words }) => [wording, { words, digest: digestOf(words) }]));
}

/** Number of failed things whose comparisons are kept. */
const THINGS_KEPT = 50;
/** Characters of a vector's text that tell it from another vector of the same words. */
export const HEAD_CHARACTERS = 20;

/** Place of each compared vector by its name, and for each pair of places whether the vectors are similar. */
type Compared = { places: Map<string, number>; free: number[]; similar: Uint8Array[] };

/** Returns the digests of the words whose vectors are similar to the vector of these words; none without a vector. */
export type SimilarTo = (digest: string) => string[];

export type Meaning = {
  model: string;
  /** The model and the limit, as one text. */
  setting: string;
  /**
   * Compares the vectors of a thing's words. The key names the thing. `baseline` is the similarity of unrelated texts. `heads` are the first characters of the vectors by digest, and
   * `readVectors` returns the vectors as texts.
   */
  compare: (
    key: string,
    baseline: number,
    heads: ReadonlyMap<string, string>,
    readVectors: () => Promise<ReadonlyMap<string, string>>,
  ) => Promise<SimilarTo>;
};

/**
 * Creates the comparison of vectors. It keeps the results of the recent things, so that a new wording is compared once with each other
 * wording, and grouping again reads and compares no vectors. `wordings` is the largest number of wordings of a thing.
 */
export function createMeaning({ model, similarity }: EmbeddingsSettings, wordings: number): Meaning {
  const things = createRecentCache<Compared>(THINGS_KEPT);

  function* compareNew({ places, free, similar }: Compared, vectors: ReadonlyMap<string, Vector>, least: number) {
    for (const [name, vector] of vectors) {
      if (places.has(name)) continue;
      const place = free.pop() ?? places.size;
      const row = (similar[place] = new Uint8Array(wordings));
      for (const [other, at] of places)
        row[at] = similar[at]![place] = cosineOf(vector, vectors.get(other)!) >= least ? 1 : 0;
      places.set(name, place);
      yield;
    }
  }

  return {
    model,
    setting: JSON.stringify([model, similarity]),
    async compare(thing, baseline, heads, readVectors) {
      const key = `${baseline} ${thing}`;
      const compared = things.get(key) ?? { places: new Map<string, number>(), free: [], similar: [] };
      things.set(key, compared);
      const { places, free, similar } = compared;
      const names = new Set([...heads].map(nameOf));
      for (const [name, place] of places)
        if (!names.has(name)) {
          places.delete(name);
          free.push(place);
        }
      if ([...names].some((name) => !places.has(name))) {
        const texts = [...(await readVectors())];
        const vectors = new Map(texts.map((entry) => [nameOf(entry), vectorOfText(entry[1])]));
        await inSlices(compareNew(compared, vectors, baseline + (1 - baseline) * similarity));
      }
      const placeOf = new Map([...heads].map((entry) => [entry[0], places.get(nameOf(entry))!]));
      const digestAt = new Map([...placeOf].map(([digest, place]) => [place, digest]));
      return (digest) => {
        const row = similar[placeOf.get(digest) ?? -1];
        const found: string[] = [];
        for (let at = row?.indexOf(1) ?? -1; at !== -1; at = row!.indexOf(1, at + 1))
          found.push(...(digestAt.has(at) ? [digestAt.get(at)!] : []));
        return found;
      };
    },
  };
}

const nameOf = ([digest, text]: [string, string]): string => digest + text.slice(0, HEAD_CHARACTERS);
