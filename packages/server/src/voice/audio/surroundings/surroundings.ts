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
  type Random,
  repeated,
  sine,
  type Source,
  sum,
  white,
} from "./sources.ts";

export const SURROUNDINGS = ["home", "office", "cafe", "crowd", "street", "car", "wind", "line"] as const;

export type SurroundingsKind = (typeof SURROUNDINGS)[number];

export const SURROUNDINGS_DBFS = -30;

const RATE = CALL_RATE;

const talkers = (random: Random, count: number): Source =>
  sum(...Array.from({ length: count }, () => [0.5 + random() * 0.5, talker(random, RATE)] as const));

const hum = (frequencyHz: number): Source =>
  sum([1, sine(frequencyHz, RATE)], [0.5, sine(2 * frequencyHz, RATE)], [0.25, sine(3 * frequencyHz, RATE)]);

/** The sound of each kind of surroundings, and its mean level in dBFS. The levels were measured over 60 s with several seeds. */
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

/** Creates a generator of background noise. The same seed gives the same samples. The noise is computed, and is not a recording. */
export function createSurroundings(kind: SurroundingsKind, seed: string): (length: number) => Int16Array {
  const { dbfs, source } = RECIPES[kind];
  const next = source(seeded(`surroundings ${kind} ${seed}`));
  const factor = factorOf(SURROUNDINGS_DBFS - dbfs) * 32_768;
  return (length) => Int16Array.from({ length }, () => sampleOf(factor * next()));
}

/** Frequencies of the first two formants of vowels, in hertz. */
const VOWELS = [
  [300, 2_300],
  [400, 2_000],
  [550, 1_800],
  [700, 1_200],
  [500, 900],
  [320, 800],
] as const;

/**
 * Returns a sound like a person who talks in the background: pulses like those of a larynx, filtered by the formants of vowels, in
 * syllables and phrases.
 */
function talker(random: Random, rate: number): Source {
  const pitchHz = 90 + random() * 130;
  const first = createResonator(rate);
  const second = createResonator(rate);
  let pulse = 0;
  let left = 0;
  let strength = 0;
  let aim = 0;
  let hiss = 0;

  function nextSyllable() {
    const isPause = random() < 0.22;
    left = Math.round(rate * (isPause ? 0.2 + random() * 0.8 : 0.1 + random() * 0.15));
    aim = isPause ? 0 : 0.5 + random() * 0.5;
    hiss = random() < 0.3 ? 0.15 : 0.02;
    const [low, high] = VOWELS[Math.floor(random() * VOWELS.length)]!;
    first.tune(low, 80);
    second.tune(high, 140);
  }

  return () => {
    if (left-- <= 0) nextSyllable();
    strength += (aim - strength) * (60 / rate);
    pulse += pitchHz / rate;
    const isPulse = pulse >= 1;
    if (isPulse) pulse -= 1;
    const excitation = (isPulse ? 8 : 0) + hiss * (random() * 2 - 1);
    return strength * (first.pass(excitation) + 0.5 * second.pass(excitation));
  };
}

function createResonator(rate: number) {
  let [gain, back, backer] = [0, 0, 0];
  let [last, earlier] = [0, 0];
  return {
    tune(frequencyHz: number, widthHz: number) {
      const radius = Math.exp((-Math.PI * widthHz) / rate);
      back = 2 * radius * Math.cos((2 * Math.PI * frequencyHz) / rate);
      backer = -radius * radius;
      gain = 1 - radius;
    },
    pass(value: number): number {
      const next = gain * value + back * last + backer * earlier;
      earlier = last;
      last = next;
      return next;
    },
  };
}
