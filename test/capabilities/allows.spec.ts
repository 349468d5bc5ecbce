import { describe, expect, test } from "vitest";
import { refusalOf, type VoiceTraits } from "../../packages/server/src/voice/capabilities/allows.ts";
import type { VoiceListing } from "../../packages/server/src/voice/capabilities/voice-listing.ts";
import { aVoice, catalogue, listed, named, NO_KEY } from "../support/speech-pairs.ts";

const refusal = (tts: string, traits: VoiceTraits, { stt = "deepgram/nova-3", voices = NO_KEY as VoiceListing } = {}) =>
  refusalOf({ tts: named(tts), stt: named(stt) }, traits, catalogue, voices);

describe("traits of a persona", () => {
  test.each<[string, VoiceTraits]>([
    ["openai/gpt-4o-mini-tts", {}],
    [
      "openai/gpt-4o-mini-tts",
      { language: "en-GB", accent: "british", emotion: "angry", speed: 1.25, volume: 0.8, voiceId: "nova" },
    ],
    ["openai/tts-1", { accent: "voice_default", emotion: "neutral", speed: 1 }],
    ["deepgram/aura-2", { language: "fr", speed: 1 }],
    ["deepgram/aura-2-thalia-en", { voiceId: "aura-2-thalia-en", language: "en-US" }],
  ])("%s allows %j", (tts, traits) => expect(refusal(tts, traits)).toBeUndefined());

  test.each<[string, VoiceTraits, string, RegExp]>([
    ["openai/tts-1", { emotion: "angry" }, "emotion", /accept no instructions/],
    ["openai/tts-1", { accent: "british" }, "accent", /accept no instructions/],
    ["openai/gpt-4o-mini-tts", { accent: "martian" }, "accent", /^"martian" is not one of voice_default, american/],
    ["openai/tts-1", { speed: 4.05 }, "speed", /^4\.05 is not among 0\.25 to 4 in steps of 0\.05\.$/],
    ["openai/tts-1", { speed: 1.01 }, "speed", /steps/],
    ["openai/tts-1", { volume: 2 }, "speechVolume", /0\.5 to 1\.5/],
    ["openai/tts-1", { volume: Number.NaN }, "speechVolume", /^NaN is not among/],
    ["openai/tts-1", { voiceId: "marin" }, "voices", /OpenAI has no voice "marin"/],
    ["deepgram/aura-2", { language: "fr", speed: 1.2 }, "speed", /English and Spanish only/],
    ["deepgram/aura-2", { language: "ko", speed: 9 }, "language", /does not speak ko/],
    ["deepgram/aura-2-thalia-en", { voiceId: "aura-2-luna-en" }, "voices", /name decides/],
    ["openai/tts-1", { language: "tlh" }, "language", /does not recognize tlh/],
    ["openai/tts-1", { language: "no tag" }, "language", /not a BCP 47/],
    ["openai/tts-9", { language: "en" }, "voices", /not known to this release/],
    ["playht/any", {}, "voices", /shut its API down/],
  ])("%s with %j is refused by the member %s", (tts, traits, member, reason) => {
    const refused = refusal(tts, traits);
    expect(refused?.member).toBe(member);
    expect(refused?.reason).toMatch(reason);
  });

  test("several wrong traits are refused by the first member in the order of the interface", () => {
    expect(refusal("openai/tts-1", { volume: 9, speed: 9, emotion: "x", accent: "x", voiceId: "x" })?.member).toBe(
      "voices",
    );
    expect(refusal("openai/tts-1", { volume: 9, speed: 9, emotion: "x" })?.member).toBe("emotion");
  });

  test("a model whose capabilities are unknown refuses no setting", () => {
    expect(refusal("cartesia/sonic-3.5", { speed: 1.4 })).toBeUndefined();
    expect(refusal("openai/gpt-4o-mini-tts", { voiceId: "voice_123" })).toBeUndefined();
    expect(refusal("openai/tts-1", { language: "en-US" }, { stt: "google/chirp_2" })).toBeUndefined();
    for (const voices of [NO_KEY, { state: "failed", reason: "Down." }, { state: "not_listable" }] as VoiceListing[])
      for (const tts of ["cartesia/sonic-3", "elevenlabs/eleven_v3", "azure/neural"])
        expect(refusal(tts, { voiceId: "mine", language: "en" }, { voices })).toBeUndefined();
    expect(
      refusal(
        "cartesia/sonic-3",
        { voiceId: "mine" },
        { voices: { ...listed(aVoice()), standardOnly: true } as VoiceListing },
      ),
    ).toBeUndefined();
  });

  test("a voice must be in the account's whole listing and work with the model", () => {
    const voices = listed(aVoice(), aVoice({ id: "v2", name: "Otto", models: ["sonic-2"] }));
    expect(refusal("cartesia/sonic-3", { voiceId: "v1" }, { voices })).toBeUndefined();
    expect(refusal("cartesia/sonic-3", { voiceId: "v2" }, { voices })?.reason).toMatch(/"Otto" is not a voice of/);
    expect(refusal("cartesia/sonic-3", { voiceId: "v3" }, { voices })?.reason).toMatch(/Cartesia has no voice "v3"/);
  });

  test("without a recognizer, the voice alone decides", () => {
    expect(refusalOf({ tts: named("deepgram/aura-2") }, { language: "fr" }, catalogue, NO_KEY)).toBeUndefined();
    expect(refusalOf({ tts: named("deepgram/aura-2") }, { language: "ko" }, catalogue, NO_KEY)?.member).toBe(
      "language",
    );
  });
});
