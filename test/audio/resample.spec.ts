import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joined } from "../../packages/server/src/voice/audio/audio.ts";
import { levelOf } from "../../packages/server/src/voice/audio/level.ts";
import { createResampler, resample } from "../../packages/server/src/voice/audio/resample.ts";
import { framesOf, tone } from "../support/audio/tones.ts";

const RATES = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000];

/** Returns the level of the difference between two sounds, without their starts and ends, where the filter also processes silence. */
function errorOf(sound: Int16Array, truth: Int16Array, edge: number): number {
  const difference = truth.map((sample, at) => sample - (sound[at] ?? 0));
  return levelOf(difference.subarray(edge, truth.length - edge));
}

describe("resampling", () => {
  test.each(RATES.flatMap((from) => RATES.filter((to) => to !== from).map((to) => [from, to] as const)))(
    "resampling from %i to %i keeps a tone of 1 kHz, its level and its time",
    (from, to) => {
      const { samples, rate } = resample({ samples: tone(1_000, 0.5, 0.5, from), rate: from }, to);
      expect(rate).toBe(to);
      expect(samples.length).toBe(to / 2);
      expect(errorOf(samples, tone(1_000, 0.5, 0.5, to), to / 50)).toBeLessThan(-70);
    },
  );

  test("resampling removes tones above half of the new rate", () => {
    const { samples } = resample({ samples: tone(5_000, 0.5, 0.5, 16_000), rate: 16_000 }, 8_000);
    expect(levelOf(samples.subarray(200, -200))).toBeLessThan(-65);
  });

  test("resampling keeps a constant", () => {
    const { samples } = resample({ samples: new Int16Array(1_000).fill(1_000), rate: 8_000 }, 22_050);
    expect(new Set(samples.subarray(200, -200))).toEqual(new Set([1_000]));
  });

  test("a stream gives the same samples for frames of any length", () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(lengths, fc.constantFrom(...RATES), fc.constantFrom(...RATES), (lengths, from, to) => {
        const total = lengths.reduce((sum, length) => sum + length, 0);
        const sound = tone(440, 1, 0.3, from).subarray(0, total);
        let at = 0;
        const frames = lengths.map((length) => sound.subarray(at, (at += length)));
        const inFrames = createResampler(from, to);
        const atOnce = createResampler(from, to);
        expect(joined(frames.map((frame) => inFrames.push(frame)))).toEqual(atOnce.push(sound));
      }),
    );
  });

  test("a stream in frames of 10 ms gives frames of one length, later by the delay that it names", () => {
    const resampler = createResampler(8_000, 16_000);
    const frames = framesOf(tone(440, 1, 0.5, 8_000), 80).map((frame) => resampler.push(frame));
    expect(new Set(frames.map(({ length }) => length))).toEqual(new Set([160]));
    const delay = (resampler.delayMs * 16_000) / 1_000;
    expect(resampler.delayMs).toBeLessThan(5);
    const late = joined(frames).subarray(delay);
    expect(errorOf(late, tone(440, 1, 0.5, 16_000).subarray(0, late.length), 200)).toBeLessThan(-70);
  });
});
