import { seeded } from "../../../base/seeded.ts";
import { CALL_RATE, sampleOf } from "../audio.ts";
import { factorOf } from "../level.ts";
import {
  drifting,
  events,
  highPass,
  lowPass,
  pink,
  product,
  repeated,
  type Random,
  type Source,
  sine,
  sum,
  white,
} from "./sources.ts";
import { talker } from "./talker.ts";

/** The kinds of surroundings of a caller. */
export const SURROUNDINGS = ["home", "office", "cafe", "crowd", "street", "car", "wind", "line"] as const;

export type SurroundingsKind = (typeof SURROUNDINGS)[number];

/** The mean level of generated surroundings, in dBFS. */
export const SURROUNDINGS_DBFS = -30;

const RATE = CALL_RATE;

const talkers = (random: Random, count: number): Source =>
  sum(...Array.from({ length: count }, () => [0.5 + random() * 0.5, talker(random, RATE)] as const));

const hum = (frequencyHz: number): Source =>
  sum([1, sine(frequencyHz, RATE)], [0.5, sine(2 * frequencyHz, RATE)], [0.25, sine(3 * frequencyHz, RATE)]);

/** The recipe of each kind, and the level in dBFS that it has by itself, measured over 60 s of several seeds. */
const RECIPES: Record<SurroundingsKind, { dbfs: number; source: (random: Random) => Source }> = {
  home: {
    dbfs: -8.1,
    source: (random) =>
      sum(
        [0.25, lowPass(pink(random), 2_000, RATE)],
        [0.05, hum(100)],
        [0.6, lowPass(talker(random, RATE), 900, RATE)],
      ),
  },
  office: {
    dbfs: -10,
    source: (random) =>
      sum(
        [0.2, lowPass(pink(random), 1_500, RATE)],
        [0.5, lowPass(talkers(random, 3), 1_800, RATE)],
        [0.6, events(highPass(white(random), 2_000, RATE), random, 4, 0.03, RATE)],
      ),
  },
  cafe: {
    dbfs: -10.8,
    source: (random) =>
      sum(
        [0.15, pink(random)],
        [0.6, talkers(random, 4)],
        [0.5, events(sum([1, sine(3_130, RATE)], [0.6, sine(4_710, RATE)]), random, 0.7, 0.15, RATE)],
      ),
  },
  crowd: {
    dbfs: -9.5,
    source: (random) => sum([0.1, pink(random)], [0.6, repeated(talkers(random, 4), [0.83, 1.91], RATE)]),
  },
  street: {
    dbfs: -0.6,
    source: (random) =>
      sum(
        [0.5, lowPass(pink(random), 500, RATE)],
        [1, product(lowPass(pink(random), 1_200, RATE), drifting(random, 0, 0.8, 3, RATE))],
        [0.2, talker(random, RATE)],
      ),
  },
  car: {
    dbfs: -15.9,
    source: (random) =>
      sum(
        [1, lowPass(lowPass(white(random), 150, RATE), 400, RATE)],
        [0.06, hum(46)],
        [0.08, lowPass(pink(random), 3_000, RATE)],
      ),
  },
  wind: {
    dbfs: -22.5,
    source: (random) =>
      product(lowPass(lowPass(white(random), 250, RATE), 600, RATE), drifting(random, 0.3, 1, 0.8, RATE)),
  },
  line: {
    dbfs: -15.3,
    source: (random) =>
      sum(
        [0.3, highPass(white(random), 300, RATE)],
        [0.08, hum(50)],
        [0.8, events(white(random), random, 3, 0.002, RATE)],
      ),
  },
};

/**
 * Creates surroundings without end: each call returns the next samples at `CALL_RATE`, the same for the same seed, with a mean
 * level of `SURROUNDINGS_DBFS`. The sounds are computed, and copy no recording.
 */
export function createSurroundings(kind: SurroundingsKind, seed: string): (length: number) => Int16Array {
  const { dbfs, source } = RECIPES[kind];
  const next = source(seeded(`surroundings ${kind} ${seed}`));
  const factor = factorOf(SURROUNDINGS_DBFS - dbfs) * 32_768;
  return (length) => Int16Array.from({ length }, () => sampleOf(factor * next()));
}
