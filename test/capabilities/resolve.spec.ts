import type { PersonaCapabilities } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolve } from "../../packages/server/src/voice/capabilities/resolve.ts";
import type { SpeechSelection } from "../../packages/server/src/voice/capabilities/pair.ts";
import type { VoiceListing } from "../../packages/server/src/voice/capabilities/voice-listing.ts";
import { brokenLaws } from "../support/capability-laws.ts";
import { aVoice, catalogue, listed, named, NO_KEY, RECOGNIZERS, SPEAKERS } from "../support/speech-pairs.ts";

const MEMBERS = ["voices", "language", "accent", "emotion", "speed", "speechVolume"] as const;

const ask = (tts: string, stt: string, more: Partial<SpeechSelection> = {}, voices: VoiceListing = NO_KEY) =>
  resolve({ tts: named(tts), stt: named(stt), ...more }, catalogue, voices);

const statuses = (answer: PersonaCapabilities) =>
  Object.fromEntries(MEMBERS.map((name) => [name, answer[name].status]));
const allOf = (status: string) => Object.fromEntries(MEMBERS.map((name) => [name, status]));

describe("every pair of speech models", () => {
  const LANGUAGES = [undefined, "en", "en-GB", "mi-NZ", "xx"];
  const LISTING = listed(
    aVoice({ languages: ["en-US"], accents: ["american", "southern-us"], emotions: ["cheerful", "chat"] }),
    aVoice({ id: "v2", source: "account", professionalClone: true }),
  );
  const PLAYHT = named("playht/Play3.0-mini");

  test("the settings that a pair of speech models supports are consistent, with each language and voice", () => {
    let resolved = 0;
    const broken: string[] = [];
    for (const tts of [...SPEAKERS, PLAYHT]) {
      const known = catalogue.textToSpeech.get(tts.provider)?.models.get(tts.model)?.voices;
      const knownId = known?.closed ? known.known[0]!.id : "v1";
      for (const stt of RECOGNIZERS)
        for (const language of LANGUAGES)
          for (const voiceId of [undefined, knownId, "no such voice"]) {
            const selection: SpeechSelection = {
              tts,
              stt,
              ...(language !== undefined && { language }),
              ...(voiceId !== undefined && { voiceId }),
            };
            const answer = resolve(selection, catalogue, LISTING);
            broken.push(...brokenLaws(answer).map((law) => `${JSON.stringify(selection)}: ${law}`));
            resolved++;
          }
    }
    expect(resolved).toBe(67 * 47 * 5 * 3);
    expect(broken.slice(0, 5)).toEqual([]);
  });
});

const someName = fc.oneof(
  fc.constantFrom("aura-2-thalia-en", "__proto__", "constructor", "aura-", "*", ""),
  fc.string(),
);
const nameOf = (known: { provider: string; model: string }[]) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.record({ provider: someName, model: someName }) },
  );
const tag = fc.oneof(fc.constantFrom("en", "en-US", "fr-CA", "ja", "zh-Hant-TW", "gu", "cy", "not a tag"), fc.string());
const voice = fc.record(
  {
    id: fc.constantFrom("v1", "v2", "alloy", "aura-2-thalia-en"),
    name: fc.string(),
    source: fc.constantFrom("standard", "account"),
    presentation: fc.constantFrom("male", "female", "neutral", "unknown"),
    languages: fc.array(tag, { maxLength: 3 }),
    accents: fc.array(fc.constantFrom("british", "voice_default", "Irish"), { maxLength: 3 }),
    models: fc.array(fc.constantFrom("aura-2", "sonic-3", "1", "eleven_v3"), { maxLength: 2 }),
    professionalClone: fc.boolean(),
    emotions: fc.array(fc.constantFrom("cheerful", "sad", "chat"), { maxLength: 3 }),
  },
  { requiredKeys: ["id", "name", "source", "presentation", "languages", "accents"] },
);
const listing = fc.oneof(
  fc.record(
    {
      state: fc.constant("listed" as const),
      voices: fc.uniqueArray(voice, { maxLength: 3, selector: ({ id }) => id }),
      standardOnly: fc.boolean(),
      cut: fc.boolean(),
      ageSeconds: fc.nat(90_000),
    },
    { requiredKeys: ["state", "voices", "standardOnly"] },
  ),
  fc.constantFrom<VoiceListing>(
    { state: "no_key" },
    { state: "failed", reason: "The key was refused." },
    { state: "not_listable" },
  ),
) as fc.Arbitrary<VoiceListing>;
const pair = fc.record(
  { tts: nameOf(SPEAKERS), stt: nameOf(RECOGNIZERS) },
  { requiredKeys: ["tts"] },
) as fc.Arbitrary<SpeechSelection>;
const more = fc.record(
  { language: tag, voiceId: fc.constantFrom("v1", "v2", "alloy", "x") },
  { requiredKeys: [] },
) as fc.Arbitrary<Partial<SpeechSelection>>;

describe("any selection", () => {
  test("the settings that a pair of speech models supports are consistent for any selection, and a narrower selection allows no refused value", () => {
    fc.assert(
      fc.property(pair, more, listing, (models, said, voices) => {
        const whole = resolve({ ...models, ...said }, catalogue, voices);
        expect(brokenLaws(whole)).toEqual([]);
        const before = resolve(models, catalogue, voices);
        for (const name of MEMBERS)
          if (before[name].status === "unsupported") expect(whole[name].status).not.toBe("supported");
      }),
      { numRuns: 10_000 },
    );
  });
});

test("100,000 selections, drawn with a fixed seed, are answered without a throw", () => {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!;
  let state = 0x5eed;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const ttsNames = [...SPEAKERS, ...RECOGNIZERS, { provider: "constructor", model: "__proto__" }];
  const words = [
    undefined,
    "",
    "en",
    "EN-us",
    "sr-Latn-RS",
    "x",
    "zh-yue",
    "alloy",
    "v1",
    "\u0000",
    "aura-2-thalia-en",
  ];
  const voices = [aVoice(), aVoice({ id: "alloy", languages: ["", "nb"], professionalClone: true })];
  const listings: VoiceListing[] = [listed(...voices), NO_KEY, { state: "not_listable" }];
  const seen = new Set<string>();
  for (let n = 0; n < 100_000; n++) {
    const selection = { tts: pick(ttsNames), stt: pick(ttsNames), language: pick(words), voiceId: pick(words) };
    seen.add(resolve(selection as SpeechSelection, catalogue, pick(listings)).language.status);
  }
  expect([...seen].sort()).toEqual(["fixed", "supported", "unknown", "unsupported"]);
});

describe("a selection that excludes every conversation", () => {
  test.each([
    ["openai/tts-9", "deepgram/nova-3", {}, "Text-to-speech openai/tts-9 is not known to this release."],
    ["acme/loud", "deepgram/nova-3", {}, "Text-to-speech acme/loud is not known to this release."],
    ["openai/tts-1", "deepgram/nova-9", {}, "Speech recognition deepgram/nova-9 is not known to this release."],
    ["openai/tts-1", "cartesia/ink-2", { language: "fr" }, "Speech recognition cartesia/ink-2 does not recognize fr."],
    ["openai/tts-1", "speechmatics/melia-1", {}, "melia-1 transcribes recordings only, no live speech."],
    ["playht/Play3.0-mini", "deepgram/nova-3", {}, "PlayHT shut its API down on 2025-12-31."],
    ["openai/__proto__", "deepgram/nova-3", {}, "Text-to-speech openai/__proto__ is not known to this release."],
  ])("%s with %s and %j is unsupported in every member", (tts, stt, said, reason) => {
    const answer = ask(tts, stt, said);
    expect(statuses(answer)).toEqual(allOf("unsupported"));
    for (const name of MEMBERS) expect(answer[name].reason).toBe(reason);
  });
});

test("names are read without regard to spaces, a provider's case and a provider's aliases", () => {
  const plain = ask("elevenlabs/eleven_v3", "deepgram/nova-3");
  expect(ask(" 11Labs / eleven_v3 ", "DEEPGRAM/nova-3")).toEqual(plain);
});

test("a model with an announced end shows the date", () => {
  for (const model of ["gpt-4o-mini-tts", "gpt-4o-mini-tts-2025-12-15", "tts-1", "tts-1-hd"])
    expect(ask(`openai/${model}`, "deepgram/nova-3").voices.reason).toContain(`shuts ${model} down on 2027-01-06`);
});

describe("language", () => {
  const of = (tts: string, stt: string, said: Partial<SpeechSelection> = {}, voices?: VoiceListing) =>
    ask(tts, stt, said, voices).language;

  test("the supported languages are those that both models support", () => {
    expect(of("deepgram/aura-2", "assemblyai/universal-streaming-multilingual").choices).toEqual([
      "de",
      "en",
      "es",
      "fr",
      "it",
    ]);
    expect(of("cartesia/sonic-3", "cartesia/ink-2")).toMatchObject({ status: "fixed", value: "en" });
    expect(of("groq/canopylabs/orpheus-arabic-saudi", "cartesia/ink-2").status).toBe("unsupported");
  });

  test("the requested language, as a current tag, is the value and one of the choices", () => {
    const asked = of("openai/tts-1", "deepgram/nova-3", { language: "EN-uk" });
    expect([asked.status, asked.value]).toEqual(["supported", "en-GB"]);
    expect(asked.choices).toContain("en-GB");
    expect(of("openai/tts-1", "deepgram/nova-3", { language: "iw" }).value).toBe("he");
  });

  test("a language that only the recognizer understands is unsupported, and the other members stay", () => {
    const answer = ask("deepgram/aura-2", "deepgram/nova-3", { language: "ko" });
    expect(answer.language).toEqual({ status: "unsupported", reason: "deepgram/aura-2 does not speak ko." });
    expect(answer.voices.status).toBe("supported");
  });

  test("the language is unknown, with a reason, when the provider does not state it", () => {
    expect(of("openai/tts-1", "google/chirp_2").status).toBe("unknown");
    expect(of("openai/tts-1", "google/chirp_2", { language: "en-US" }).status).toBe("unknown");
    expect(of("elevenlabs/eleven_v3", "deepgram/nova-3", { language: "gu" }).status).toBe("unknown");
    expect(of("elevenlabs/eleven_v3", "deepgram/nova-3").choices).not.toContain("gu");
    expect(of("cartesia/sonic-latest", "deepgram/nova-3").reason).toContain("Choose a fixed model such as sonic-3.6");
    expect(of("hume/2", "deepgram/nova-3").reason).toContain("Hume does not publish");
  });

  test("the voice decides the language when each voice has its own languages", () => {
    expect(of("azure/neural", "deepgram/nova-3").reason).toContain("Choose a voice");
    const voices = listed(aVoice({ languages: ["de-DE"] }), aVoice({ id: "v2", languages: ["de-DE", "en-US"] }));
    expect(of("azure/neural", "deepgram/nova-3", { voiceId: "v1" }, voices)).toMatchObject({
      status: "fixed",
      value: "de-DE",
    });
    expect(of("azure/neural", "deepgram/nova-3", { voiceId: "v2" }, voices).choices).toEqual(["de-DE", "en-US"]);
    expect(of("azure/neural", "deepgram/nova-3", { voiceId: "v1", language: "fr" }, voices)).toEqual({
      status: "unsupported",
      reason: 'The voice "Vera" does not speak fr.',
    });
  });
});

describe("accent, emotion and speed", () => {
  const speak = (tts: string, said: Partial<SpeechSelection> = {}, voices?: VoiceListing) =>
    ask(tts, "deepgram/nova-3", said, voices);

  test("a model that takes instructions supports all instructed values", () => {
    const { accent, emotion } = speak("openai/gpt-4o-mini-tts");
    expect(accent.choices).toEqual(expect.arrayContaining(["voice_default", "british", "indian"]));
    expect(emotion.choices).toEqual(["neutral", "happy", "angry", "frustrated", "sad", "anxious"]);
    expect(speak("openai/tts-1").emotion).toMatchObject({ status: "fixed", value: "neutral" });
  });

  test("canonical emotions come first, and the provider's other emotions follow", () => {
    const { choices } = speak("cartesia/sonic-3.6").emotion;
    expect([choices?.slice(0, 6), choices?.length]).toEqual([
      ["neutral", "happy", "angry", "frustrated", "sad", "anxious"],
      58,
    ]);
    expect(speak("minimax/speech-2.8-hd").emotion.choices).toEqual([
      "neutral",
      "happy",
      "angry",
      "sad",
      "fearful",
      "disgusted",
      "surprised",
    ]);
  });

  test("emotion and speed work only in the languages that the provider states", () => {
    expect(speak("cartesia/sonic-3", { language: "en-GB" }).emotion.status).toBe("supported");
    expect(speak("cartesia/sonic-3", { language: "fr" }).emotion).toMatchObject({ status: "fixed", value: "neutral" });
    expect(speak("deepgram/aura-2", { language: "es" }).speed.range).toEqual({
      minimum: 0.7,
      maximum: 1.5,
      step: 0.05,
    });
    expect(speak("deepgram/aura-2", { language: "fr" }).speed).toMatchObject({ status: "fixed", value: 1 });
    expect(speak("deepgram/aura-2", { voiceId: "aura-2-agathe-fr" }).speed).toMatchObject({
      status: "fixed",
      value: 1,
    });
  });

  test("emotions are the styles of the voice when voices have styles", () => {
    expect(speak("azure/neural").emotion.reason).toContain("Choose a voice");
    const davis = speak("azure/neural", { voiceId: "zh-CN-XiaozhenNeural" }).emotion.choices;
    expect(davis).toEqual([
      "neutral",
      "happy",
      "angry",
      "frustrated",
      "sad",
      "anxious",
      "cheerful",
      "disgruntled",
      "fearful",
      "serious",
    ]);
    expect(speak("azure/neural", { voiceId: "en-US-Ethan:MAI-Voice-2" }).emotion.choices).toContain("jealous");
    const voices = listed(aVoice({ emotions: ["chat"] }), aVoice({ id: "v2" }));
    expect(speak("azure/neural", { voiceId: "v1" }, voices).emotion.choices).toEqual(["neutral", "chat"]);
    expect(speak("azure/neural", { voiceId: "v2" }, voices).emotion).toMatchObject({
      status: "fixed",
      value: "neutral",
    });
    expect(speak("azure/neural", { voiceId: "nobody" }).emotion.status).toBe("unknown");
  });

  test("the accents are those of the voice when the model can choose among a voice's accents", () => {
    const voices = listed(aVoice({ accents: ["british", "irish"] }), aVoice({ id: "v2" }));
    expect(speak("cartesia/sonic-3.6").accent.reason).toContain("Choose a voice");
    expect(speak("cartesia/sonic-3.6", { voiceId: "v1" }, voices).accent.choices).toEqual([
      "voice_default",
      "british",
      "irish",
    ]);
    expect(speak("cartesia/sonic-3.6", { voiceId: "v2" }, voices).accent.status).toBe("fixed");
    expect(speak("cartesia/sonic-3", { voiceId: "v1" }, voices).accent).toEqual({
      status: "fixed",
      value: "voice_default",
      reason: 'The voice "Vera" has its own accent: british, irish.',
    });
  });

  test("emotion and speed are unknown for a model that the provider moves or disables", () => {
    expect(speak("cartesia/sonic-3.5").speed.reason).toContain("announced that it is disabled");
    expect(statuses(speak("cartesia/sonic-latest"))).toEqual({ ...allOf("unknown"), speechVolume: "supported" });
  });

  test("the volume is the same for every pair because the service sets it", () => {
    for (const tts of ["openai/tts-1", "lmnt/blizzard", "azure/neural", "cartesia/sonic"])
      expect(speak(tts).speechVolume).toEqual({
        status: "supported",
        range: { minimum: 0.5, maximum: 1.5, step: 0.1 },
      });
  });
});
