import { afterAll, describe, expect, test } from "vitest";
import { createLog } from "../../packages/server/src/base/log/log.ts";
import { CALL_RATE, FRAME_SAMPLES, joined } from "../../packages/server/src/voice/audio/audio.ts";
import { createKeyDetector, toneOf } from "../../packages/server/src/voice/audio/key-tones.ts";
import { mixed, scaled } from "../../packages/server/src/voice/audio/mix.ts";
import { decodeMulaw, encodeMulaw } from "../../packages/server/src/voice/audio/mulaw.ts";
import { createResampler } from "../../packages/server/src/voice/audio/resample.ts";
import { createSurroundings } from "../../packages/server/src/voice/audio/surroundings/surroundings.ts";
import { SPEECH_BOUNDS } from "../../packages/server/src/voice/speech/ask-provider.ts";
import { openFlite } from "../../packages/server/src/voice/speech/flite/flite.ts";
import { BUILT_IN, BUILT_IN_VOICES } from "../../packages/server/src/voice/speech/flite/voices.ts";
import { createSynthesizers } from "../../packages/server/src/voice/speech/synthesizer.ts";
import { framesOf, silence, tone } from "../support/audio/tones.ts";

const PAD = "123A456B789C*0#D";

function keysIn(sound: Int16Array): string {
  const detector = createKeyDetector();
  return framesOf(sound, FRAME_SAMPLES)
    .map((frame) => detector.next(frame).key ?? "")
    .join("");
}

/** Two tones of a length, which a spec makes without the code of the service. */
const pair = (rowHz: number, columnHz: number, seconds: number, level = 0.2, columnLevel = level): Int16Array =>
  mixed(tone(rowHz, seconds, level), tone(columnHz, seconds, columnLevel));

function overTelephone(sound: Int16Array): Int16Array {
  const narrow = createResampler(CALL_RATE, 8_000).push(sound);
  return createResampler(8_000, CALL_RATE).push(decodeMulaw(encodeMulaw(narrow)));
}

describe("keys of a telephone in the sound", () => {
  test("keys in a sound are found once each, in their order, also twice the same", () => {
    const keys = `${PAD}1100##`;
    expect(keysIn(joined([silence(0.1), ...[...keys].map(toneOf), silence(0.1)]))).toBe(keys);
  });

  test("keys in a sound are found from frames that begin anywhere, over a telephone's encoding, quiet, and with background noise", () => {
    const sound = joined([silence(0.1073), ...[..."1590#*"].map(toneOf), silence(0.1)]);
    const noise = scaled(createSurroundings("street", "noise")(sound.length), 0.3);
    expect(keysIn(overTelephone(sound))).toBe("1590#*");
    expect(keysIn(scaled(sound, 0.02))).toBe("1590#*");
    expect(keysIn(mixed(sound, noise))).toBe("1590#*");
  });

  test.each([
    { title: "a tone of 60 ms", sound: pair(697, 1209, 0.06), keys: "1" },
    {
      title: "a tone of which 20 ms are lost",
      sound: joined([pair(697, 1209, 0.08), silence(0.02), pair(697, 1209, 0.08)]),
      keys: "1",
    },
    { title: "a tone of 20 ms", sound: pair(697, 1209, 0.02), keys: "" },
    { title: "one of the two tones", sound: tone(697, 0.2, 0.3), keys: "" },
    { title: "two tones of one row", sound: pair(697, 770, 0.2), keys: "" },
    { title: "a tone far louder than the other", sound: pair(697, 1209, 0.2, 0.4, 0.04), keys: "" },
    { title: "two tones between the keys", sound: pair(733, 1272, 0.2), keys: "" },
    { title: "a dial tone", sound: pair(350, 440, 0.5), keys: "" },
  ])("$title is the keys '$keys'", ({ sound, keys }) => {
    expect(keysIn(joined([silence(0.1), sound, silence(0.1)]))).toBe(keys);
  });
});

describe("speech", () => {
  const flite = openFlite(createLog("silent"));
  const synthesizers = createSynthesizers({ flite, findAccess: () => expect.fail(), bounds: SPEECH_BOUNDS });
  afterAll(async () => {
    synthesizers.close();
    await flite.close();
  });

  test("speech presses no key, in any of the built-in voices", async () => {
    const text =
      "One two three four five six seven eight nine zero. Please press one for the front desk, or stay on the line while we look for your booking.";
    for (const voiceId of BUILT_IN_VOICES) {
      const voice = { ...BUILT_IN, voiceId, language: null, accent: null, emotion: null, speed: 1, volume: 1 };
      const { samples } = await synthesizers.synthesizerOf("org_1")(text, voice, new AbortController().signal);
      expect(samples.length, voiceId).toBeGreaterThan(5 * CALL_RATE);
      expect(keysIn(samples), voiceId).toBe("");
    }
  });
});
