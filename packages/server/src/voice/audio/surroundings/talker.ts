import type { Random, Source } from "./sources.ts";

/** Frequencies of the first two resonances of vowels, in hertz. */
const VOWELS = [
  [300, 2_300],
  [400, 2_000],
  [550, 1_800],
  [700, 1_200],
  [500, 900],
  [320, 800],
] as const;

/** Returns a voice without words: pulses of a larynx through the resonances of vowels, in syllables and phrases. */
export function talker(random: Random, rate: number): Source {
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
