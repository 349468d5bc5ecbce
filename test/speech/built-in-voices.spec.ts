import { afterAll, describe, expect, test } from "vitest";
import { SPEECH_BOUNDS } from "../../packages/server/src/voice/speech/ask-provider.ts";
import type { Audio } from "../../packages/server/src/voice/audio/audio.ts";
import { createLog } from "../../packages/server/src/base/log/log.ts";
import { openFlite } from "../../packages/server/src/voice/speech/flite/flite.ts";
import { utterancesOf } from "../../packages/server/src/voice/speech/flite/spoken-text.ts";
import { BUILT_IN, BUILT_IN_VOICES, builtInVoiceOf } from "../../packages/server/src/voice/speech/flite/voices.ts";
import type { CallerVoice } from "../../packages/server/src/voice/speech/speech.ts";
import { createSynthesizers } from "../../packages/server/src/voice/speech/synthesizer.ts";

const flite = openFlite(createLog("silent"));
const needs = { findAccess: () => expect.fail("no provider is asked"), bounds: SPEECH_BOUNDS };
const synthesizers = createSynthesizers({ flite, ...needs });
afterAll(async () => {
  synthesizers.close();
  await flite.close();
});

const speak = synthesizers.synthesizerOf("org_1");
const never = new AbortController().signal;
const voice = (changes: Partial<CallerVoice> = {}): CallerVoice => ({
  ...BUILT_IN,
  voiceId: "slt",
  language: null,
  accent: null,
  emotion: null,
  speed: 1,
  volume: 1,
  ...changes,
});
const secondsOf = ({ samples, rate }: Audio) => samples.length / rate;
const peakOf = ({ samples }: Audio) => samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);

describe("the built-in voices", () => {
  test.each(BUILT_IN_VOICES)("%s speaks a sentence without a key", async (voiceId) => {
    const audio = await speak("I would like to book a table for two.", voice({ voiceId }), never);
    expect(secondsOf(audio)).toBeGreaterThan(1.5);
    expect(secondsOf(audio)).toBeLessThan(4);
    expect(peakOf(audio)).toBeGreaterThan(5_000);
  });

  test("twice the speed takes half the time", async () => {
    const text = "I would like to book a table for two.";
    const [normal, fast] = await Promise.all([speak(text, voice(), never), speak(text, voice({ speed: 2 }), never)]);
    expect(secondsOf(fast!) / secondsOf(normal!)).toBeCloseTo(0.5, 1);
  });

  test("the volume scales the sound, and no louder than the format holds", async () => {
    const [normal, half, loud] = await Promise.all(
      [1, 0.5, 10].map((volume) => speak("Hello there.", voice({ volume }), never)),
    );
    expect(peakOf(half!)).toBe(Math.round(peakOf(normal!) / 2));
    expect(peakOf(loud!)).toBeGreaterThanOrEqual(32_767);
  });

  test("the same text and voice give the same sound", async () => {
    const again = createSynthesizers({ flite, ...needs }).synthesizerOf("org_2");
    const sounds = await Promise.all([
      speak("See you on Friday.", voice(), never),
      again("See you on Friday.", voice(), never),
    ]);
    expect(sounds[0]!.samples).toEqual(sounds[1]!.samples);
  });

  test("requests for the same speech share one synthesis", async () => {
    const texts: string[] = [];
    const counting = createSynthesizers({
      ...needs,
      flite: { ...flite, speak: (text, ...rest) => (texts.push(text), flite.speak(text, ...rest)) },
    }).synthesizerOf("org_1");
    const both = ["Good morning.", "Good morning."].map((text) => counting(text, voice(), never));
    await Promise.all(both);
    await counting("Good morning.", voice({ volume: 0.5 }), never);
    expect(texts).toEqual(["Good morning."]);
  });

  test("a request that is canceled rejects, and the next one is spoken", async () => {
    const cancel = new AbortController();
    const canceled = speak("This sentence is never heard.", voice(), cancel.signal);
    cancel.abort(new Error("canceled"));
    await expect(canceled).rejects.toThrow("canceled");
    expect(secondsOf(await speak("This one is heard.", voice(), never))).toBeGreaterThan(0.5);
  });

  test("a long text without a pause is spoken in parts of at most 200 characters", async () => {
    const parts = utterancesOf("word ".repeat(400));
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(200);
    expect(parts.join(" ")).toBe("word ".repeat(400).trim());
    expect(utterancesOf("1".repeat(401)).map(({ length }) => length)).toEqual([200, 200, 1]);
  });

  test("signs become words, and letters lose their accents", () => {
    expect(utterancesOf("Café & bar — naïve… 5€ @home 😀 “yes”")).toEqual([
      "Cafe and bar , naive... 5 euros at home yes",
    ]);
  });

  test.each(["", "  ", "...", "😀", "?!"])("a text without a word is refused: %j", async (text) => {
    await expect(speak(text, voice(), never)).rejects.toThrow("Write at least one word.");
  });

  test("a text in other letters is refused with the two ways out", async () => {
    await expect(speak("Здравствуйте", voice(), never)).rejects.toThrow(
      "Write the turn in English, or choose a voice of a provider",
    );
  });

  test("a text above 5,000 characters is refused", async () => {
    await expect(speak("a ".repeat(2_501), voice(), never)).rejects.toThrow("Shorten the turn.");
  });

  test("an unknown voice is refused with the names of the built-in voices", async () => {
    await expect(speak("Hello.", voice({ voiceId: "nobody" }), never)).rejects.toThrow(
      "Choose one of slt, rms, awb, kal16, kal.",
    );
  });

  test("a persona keeps its voice, and personas share all voices but kal", () => {
    const chosen = Array.from({ length: 200 }, (_, at) => builtInVoiceOf(`prs_${at}`));
    expect(chosen).toEqual(Array.from({ length: 200 }, (_, at) => builtInVoiceOf(`prs_${at}`)));
    expect(new Set(chosen)).toEqual(new Set(["slt", "rms", "awb", "kal16"]));
  });
});
