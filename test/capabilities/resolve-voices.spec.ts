import type { PersonaCapabilities } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { resolve } from "../../packages/server/src/voice/capabilities/resolve.ts";
import type { SpeechSelection } from "../../packages/server/src/voice/capabilities/pair.ts";
import type { VoiceListing } from "../../packages/server/src/voice/capabilities/voice-listing.ts";
import { aVoice, catalogue, listed, named, NO_KEY } from "../support/speech-pairs.ts";

const MEMBERS = ["voices", "language", "accent", "emotion", "speed", "speechVolume"] as const;

const ask = (tts: string, stt: string, more: Partial<SpeechSelection> = {}, voices: VoiceListing = NO_KEY) =>
  resolve({ tts: named(tts), stt: named(stt), ...more }, catalogue, voices);

const statuses = (answer: PersonaCapabilities) =>
  Object.fromEntries(MEMBERS.map((name) => [name, answer[name].status]));
const allOf = (status: string) => Object.fromEntries(MEMBERS.map((name) => [name, status]));
describe("voices", () => {
  test("a model with a fixed list of voices offers all of them, and the selected voice is the value", () => {
    const { voices } = ask("openai/tts-1", "deepgram/nova-3", { voiceId: "nova" });
    expect(voices.choices).toHaveLength(9);
    expect(voices.value?.name).toBe("Nova");
  });

  test("an unknown voice is named in the reason and is not offered", () => {
    const custom = ask("openai/gpt-4o-mini-tts", "deepgram/nova-3", { voiceId: "voice_123" }).voices;
    expect([custom.status, custom.value, custom.choices?.length]).toEqual(["supported", undefined, 13]);
    expect(custom.reason).toContain('"voice_123" cannot be verified');
    const absent = ask("openai/tts-1", "deepgram/nova-3", { voiceId: "marin" }).voices;
    expect([absent.status, absent.value]).toEqual(["supported", undefined]);
    expect(absent.reason).toContain('OpenAI has no voice "marin" for openai/tts-1');
  });

  const cartesia = (voices: VoiceListing, said: Partial<SpeechSelection> = {}) =>
    ask("cartesia/sonic-3", "deepgram/nova-3", said, voices).voices;
  const two = [aVoice(), aVoice({ id: "v2", name: "Otto" })];

  test.each<[string, VoiceListing, object]>([
    ["a whole listing", listed(...two), { status: "supported", choices: [{ id: "v1" }, { id: "v2" }] }],
    ["a listing of one", listed(aVoice()), { status: "fixed", value: { id: "v1" } }],
    [
      "a listing of one standard voice",
      { ...listed(aVoice()), standardOnly: true } as VoiceListing,
      { status: "supported" },
    ],
    ["an empty listing", listed(), { status: "unknown", reason: "Cartesia lists no voice for cartesia/sonic-3." }],
    ["no key", NO_KEY, { status: "unknown", reason: "Add your Cartesia key to list its voices." }],
    [
      "a failure",
      { state: "failed", reason: "The Cartesia key was refused." },
      { status: "unknown", reason: "The Cartesia key was refused." },
    ],
    [
      "an old listing",
      { state: "listed", voices: two, standardOnly: false, ageSeconds: 5_400 },
      { status: "supported", reason: "Loaded 90 min ago; Cartesia could not be reached." },
    ],
    [
      "a listing that was cut",
      { state: "listed", voices: two, standardOnly: false, cut: true },
      { status: "supported", reason: "Only the first 2 voices are shown." },
    ],
  ])("voices are resolved with %s", (_, listing, expected) => expect(cartesia(listing)).toMatchObject(expected));

  test("a voice in the answer has the interface's six members and no other member of the provider's list", () => {
    const { voices } = ask(
      "cartesia/sonic-3",
      "deepgram/nova-3",
      { voiceId: "v1" },
      listed(aVoice({ emotions: ["sad"] }), aVoice({ id: "v2" })),
    );
    for (const voice of [voices.value!, ...voices.choices!])
      expect(Object.keys(voice)).toEqual(["id", "name", "source", "presentation", "languages", "accents"]);
  });

  test("without a key, the catalogue's standard voices are offered when it has any", () => {
    const { voices } = ask("elevenlabs/eleven_v3", "deepgram/nova-3");
    expect([voices.status, voices.choices?.length]).toEqual(["supported", 20]);
    expect(voices.reason).toContain("add your ElevenLabs key");
    expect(
      ask("elevenlabs/eleven_v3", "deepgram/nova-3", {}, { state: "failed", reason: "Down now." }).voices.status,
    ).toBe("unknown");
  });

  test("a voice of other models is not offered, and selecting it refuses everything except the volume", () => {
    const other = aVoice({ id: "v2", name: "Otto", models: ["aura"] });
    const answer = ask(
      "deepgram/aura-2",
      "deepgram/nova-3",
      { voiceId: "v2" },
      listed(aVoice({ models: ["aura-2"] }), aVoice({ id: "v3" }), other),
    );
    expect(answer.voices.choices?.map(({ id }) => id)).toEqual(["v1", "v3"]);
    expect(answer.voices).toMatchObject({
      status: "supported",
      reason: 'The voice "Otto" is not a voice of deepgram/aura-2.',
    });
    expect(statuses(answer)).toEqual({ ...allOf("unsupported"), voices: "supported", speechVolume: "supported" });
  });

  test("a voice is found under each name of its model", () => {
    const voices = listed(aVoice({ models: ["1"] }), aVoice({ id: "v2", models: ["2"] }));
    for (const model of ["1", "octave"])
      expect(ask(`hume/${model}`, "deepgram/nova-3", {}, voices).voices.value?.id).toBe("v1");
  });

  test("a voice in the model's name is fixed, and a selected voice is ignored", () => {
    const answer = ask("deepgram/aura-2-thalia-en", "deepgram/nova-3", { voiceId: "aura-2-luna-en" });
    expect(answer.voices).toMatchObject({ status: "fixed", value: { id: "aura-2-thalia-en" } });
    expect(answer.language).toMatchObject({ status: "fixed", value: "en-US" });
    expect(ask("deepgram/aura-asteria-en", "deepgram/nova-3").voices.value?.id).toBe("aura-asteria-en");
    expect(ask("deepgram/aura-2-nobody-en", "deepgram/nova-3").voices.status).toBe("unknown");
  });

  test("a professional clone without known models leaves everything except the volume unknown", () => {
    const clone = aVoice({ source: "account", professionalClone: true });
    const answer = ask("cartesia/sonic-3", "deepgram/nova-3", { voiceId: "v1" }, listed(clone, aVoice({ id: "v2" })));
    expect(statuses(answer)).toEqual({ ...allOf("unknown"), voices: "supported", speechVolume: "supported" });
    const known = ask(
      "cartesia/sonic-3",
      "deepgram/nova-3",
      { voiceId: "v1" },
      listed({ ...clone, models: ["sonic-3"] }, aVoice({ id: "v2" })),
    );
    expect(known.speed).toMatchObject({ status: "fixed", value: 1 });
  });
});
