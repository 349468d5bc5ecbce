/** Source of sound: each call returns the next sample at `CALL_RATE`, on any scale. */
export type Source = () => number;

/** Generator of random numbers in [0, 1). */
export type Random = () => number;

export const white =
  (random: Random): Source =>
  () =>
    random() * 2 - 1;

/** Returns noise with the same power in each octave (filter by Paul Kellet). */
export function pink(random: Random): Source {
  const noise = white(random);
  let [low, middle, high] = [0, 0, 0];
  return () => {
    const value = noise();
    low = 0.997 * low + 0.099 * value;
    middle = 0.963 * middle + 0.297 * value;
    high = 0.57 * high + 1.053 * value;
    return low + middle + high + 0.185 * value;
  };
}

export function lowPass(source: Source, cutoffHz: number, rate: number): Source {
  const share = 1 - Math.exp((-2 * Math.PI * cutoffHz) / rate);
  let value = 0;
  return () => (value += share * (source() - value));
}

export function highPass(source: Source, cutoffHz: number, rate: number): Source {
  const share = 1 - Math.exp((-2 * Math.PI * cutoffHz) / rate);
  let below = 0;
  return () => {
    const value = source();
    below += share * (value - below);
    return value - below;
  };
}

export function sine(frequencyHz: number, rate: number): Source {
  let phase = 0;
  return () => {
    phase = (phase + frequencyHz / rate) % 1;
    return Math.sin(2 * Math.PI * phase);
  };
}

/**
 * Returns a value that changes smoothly between random values in [low, high]. About every `seconds` seconds, it begins to approach a new
 * random value.
 */
export function drifting(random: Random, low: number, high: number, seconds: number, rate: number): Source {
  const aimed = () => low + random() * (high - low);
  const share = 1 - Math.exp(-3 / (seconds * rate));
  let value = aimed();
  let aim = aimed();
  let left = 0;
  return () => {
    if (left-- <= 0) {
      aim = aimed();
      left = Math.round(seconds * rate * (0.5 + random()));
    }
    return (value += share * (aim - value));
  };
}

/** Returns short sounds at random times. Each sound starts at its full strength and fades within `fadeSeconds`. */
export function events(source: Source, random: Random, perSecond: number, fadeSeconds: number, rate: number): Source {
  const fade = Math.exp(-3 / (fadeSeconds * rate));
  let strength = 0;
  return () => {
    if (random() < perSecond / rate) strength = 0.3 + 0.7 * random();
    strength *= fade;
    return strength < 1e-4 ? 0 : strength * source();
  };
}

export const sum =
  (...parts: readonly (readonly [number, Source])[]): Source =>
  () => {
    let total = 0;
    for (const [weight, source] of parts) total += weight * source();
    return total;
  };

export const product =
  (one: Source, other: Source): Source =>
  () =>
    one() * other();

/** Returns the sum of a source and delayed copies of the source, so that a few voices sound like many. */
export function repeated(source: Source, delaysSeconds: readonly number[], rate: number): Source {
  const delays = delaysSeconds.map((seconds) => Math.round(seconds * rate));
  const past = new Float32Array(Math.max(...delays) + 1);
  let at = 0;
  return () => {
    past[at] = source();
    let total = past[at]!;
    for (const delay of delays) total += past[(at - delay + past.length) % past.length]!;
    at = (at + 1) % past.length;
    return total;
  };
}
