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
/** Characters of a vector's text that tell it from a later vector of the same words. */
const NAME_CHARACTERS = 20;

/** Place of each compared vector, and for each pair of places whether the vectors are similar. */
type Compared = { places: Map<string, number>; free: number[]; similar: Uint8Array[] };

/** Returns whether the words with these digests mean the same. Words without a vector mean nothing. */
export type SimilarDigests = (one: string, other: string) => boolean;

export type Meaning = {
  model: string;
  /** The model and the limit, as one text. */
  setting: string;
  /** Compares the vectors of a thing's wordings. The key names the thing. */
  compare: (key: string, vectors: ReadonlyMap<string, string>) => Promise<SimilarDigests>;
};

/**
 * Creates the comparison of vectors. It keeps the results of the recent things, so that a new wording is compared once with each other
 * wording, and grouping again compares nothing. `wordings` is the largest number of wordings of a thing.
 */
export function createMeaning({ model, similarity }: EmbeddingsSettings, wordings: number): Meaning {
  const things = createRecentCache<Compared>(THINGS_KEPT);

  function* compareNew({ places, free, similar }: Compared, vectors: ReadonlyMap<string, string>) {
    const names = new Set([...vectors].map(nameOf));
    for (const [name, place] of places)
      if (!names.has(name)) {
        places.delete(name);
        free.push(place);
      }
    if ([...names].every((name) => places.has(name))) return;
    const all = new Map([...vectors].map((entry) => [nameOf(entry), vectorOfText(entry[1])]));
    for (const [name, vector] of all) {
      if (places.has(name)) continue;
      const place = free.pop() ?? places.size;
      const row = (similar[place] = new Uint8Array(wordings));
      for (const [other, at] of places)
        row[at] = similar[at]![place] = cosineOf(vector, all.get(other)!) >= similarity ? 1 : 0;
      places.set(name, place);
      yield;
    }
  }

  return {
    model,
    setting: JSON.stringify([model, similarity]),
    async compare(key, vectors) {
      const compared = things.get(key) ?? { places: new Map(), free: [], similar: [] };
      things.set(key, compared);
      await inSlices(compareNew(compared, vectors));
      const placeOf = new Map([...vectors].map((entry) => [entry[0], compared.places.get(nameOf(entry))!]));
      return (one, other) => compared.similar[placeOf.get(one) ?? -1]?.[placeOf.get(other) ?? -1] === 1;
    },
  };
}

const nameOf = ([digest, text]: [string, string]): string => digest + text.slice(0, NAME_CHARACTERS);
