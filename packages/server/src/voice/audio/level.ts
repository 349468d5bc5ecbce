/** The level of silence. Every sound with 16-bit samples is louder. */
export const SILENCE_DBFS = -120;

/** A frame with a lower power counts as silent. Its power may be above zero, because some codecs add noise to silence. */
export const SOUND_POWER = 1e-7;

/** Converts a power to decibels. A square wave of full scale has 0 dB, and a sine of full scale has −3 dB. */
export const dbfsOfPower = (power: number): number =>
  power <= 0 ? SILENCE_DBFS : Math.max(SILENCE_DBFS, 10 * Math.log10(power));

/** Returns the mean power of the samples between two positions, relative to full scale. */
export function powerOf(samples: Int16Array, from = 0, to = samples.length): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum += samples[at]! * samples[at]!;
  return to > from ? sum / (to - from) / 2 ** 30 : 0;
}

/** Returns the mean power of the samples without their constant offset, which some devices add. */
export function powerWithoutOffset(samples: Int16Array, from = 0, to = samples.length): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum += samples[at]!;
  return to > from ? Math.max(0, powerOf(samples, from, to) - (sum / (to - from)) ** 2 / 2 ** 30) : 0;
}

export const levelOf = (samples: Int16Array): number => dbfsOfPower(powerOf(samples));

/**
 * Returns the level of the speech in a sound. A window of 20 ms counts as speech if it is at most 30 dB below the loudest window. Pauses do
 * not count, because a slow voice would otherwise seem quiet.
 */
export function speechLevelOf(samples: Int16Array, rate: number): number {
  const window = Math.max(1, Math.round(rate * 0.02));
  const powers: number[] = [];
  for (let at = 0; at < samples.length; at += window) {
    powers.push(powerOf(samples, at, Math.min(samples.length, at + window)));
  }
  const limit = powers.reduce((loudest, power) => Math.max(loudest, power), 0) / 1_000;
  const speech = powers.filter((power) => power > 0 && power >= limit);
  return dbfsOfPower(speech.reduce((sum, power) => sum + power, 0) / Math.max(1, speech.length));
}

export const factorOf = (decibels: number): number => 10 ** (decibels / 20);
