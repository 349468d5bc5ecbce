import { describe, expect, test } from "vitest";
import { CALL_RATE, joined } from "../../packages/server/src/voice/audio/audio.ts";
import { factorOf, levelOf, SILENCE_DBFS, speechLevelOf } from "../../packages/server/src/voice/audio/level.ts";
import { mixed, noiseFactor, scaled } from "../../packages/server/src/voice/audio/mix.ts";
import {
  createSurroundings,
  SURROUNDINGS,
  SURROUNDINGS_DBFS,
} from "../../packages/server/src/voice/audio/surroundings/surroundings.ts";
import { silence, tone } from "../support/audio/tones.ts";

describe("levels", () => {
  test("levels are those of known sounds", () => {
    expect(levelOf(tone(1_000, 1, 1))).toBeCloseTo(-3.01, 1);
    expect(levelOf(tone(1_000, 1, 0.1))).toBeCloseTo(-23.01, 1);
    expect(levelOf(silence(1))).toBe(SILENCE_DBFS);
    expect(levelOf(new Int16Array(0))).toBe(SILENCE_DBFS);
    expect(factorOf(20)).toBeCloseTo(10);
  });

  test("levels exclude the pauses of speech where they describe speech", () => {
    const broken = joined([tone(500, 0.4, 0.1), silence(2), tone(500, 0.4, 0.1)]);
    expect(speechLevelOf(broken, CALL_RATE)).toBeCloseTo(-23.01, 1);
    expect(levelOf(broken)).toBeLessThan(-27);
    expect(speechLevelOf(silence(1), CALL_RATE)).toBe(SILENCE_DBFS);
  });
});

describe("generated surroundings", () => {
  test.each(SURROUNDINGS)(
    'the generated surroundings "%s" have their level, and the same sound for the same seed',
    (kind) => {
      const sound = createSurroundings(kind, "seed")(20 * CALL_RATE);
      expect(Math.abs(levelOf(sound) - SURROUNDINGS_DBFS)).toBeLessThan(2);
      const again = createSurroundings(kind, "seed");
      expect(joined([again(100), again(60), again(0), again(1_000)])).toEqual(sound.subarray(0, 1_160));
      expect(createSurroundings(kind, "other")(1_000)).not.toEqual(sound.subarray(0, 1_000));
    },
  );

  test("generated surroundings are mixed at the ordered distance below the speech", () => {
    const speech = tone(700, 20, 0.2);
    const noise = createSurroundings("cafe", "seed")(speech.length);
    const quiet = scaled(noise, noiseFactor(levelOf(speech), SURROUNDINGS_DBFS, 10));
    expect(Math.abs(levelOf(speech) - levelOf(quiet) - 10)).toBeLessThan(2);
    expect(mixed(speech, quiet)).toHaveLength(speech.length);
  });

  test("generated surroundings never wrap a sum that is out of range", () => {
    const loud = new Int16Array(4).fill(30_000);
    const low = loud.map((sample) => -sample);
    expect(new Set(mixed(loud, loud))).toEqual(new Set([32_767]));
    expect(new Set(mixed(low, low))).toEqual(new Set([-32_768]));
    expect(new Set(scaled(loud, -2))).toEqual(new Set([-32_768]));
  });
});
