import { afterAll, describe, expect, test } from "vitest";
import type { Config } from "../../packages/server/src/base/config/config.ts";
import { createCapabilities } from "../../packages/server/src/voice/capabilities/look-up.ts";
import type { VoiceListing } from "../../packages/server/src/voice/capabilities/voice-listing.ts";
import type { Log } from "../../packages/server/src/base/log/log.ts";
import { openSpeech } from "../../packages/server/src/voice/speech/open.ts";
import type { SpeakingPersona } from "../../packages/server/src/voice/speech/persona-sound.ts";
import { openVoiceListing } from "../support/voice-listing.ts";

const stores = await openVoiceListing();
const config = {
  providerKeys: {},
  speech: { tts: undefined, stt: undefined, sttModel: undefined },
  openSignUp: false,
} as unknown as Config;
let listing: VoiceListing = { state: "no_key" };
const speech = openSpeech(
  { config, log: {} as Log },
  { keys: stores.keys, capabilities: createCapabilities(async () => listing) },
);
afterAll(() => Promise.all([speech.close(), stores.close()]));

type Content = Partial<Omit<SpeakingPersona, "id">>;
async function soundOf({ traits = {}, models = {} }: Content = {}, seed = "sim_1", keys = true) {
  const organizationId = await stores.organization();
  if (keys)
    for (const provider of ["openai", "elevenlabs", "deepgram", "cartesia"] as const)
      await stores.setKey(organizationId, provider, "a-key-of-theirs");
  return speech.findPersonaSound(organizationId, { id: "prs_1", traits, models }, seed);
}
const tts = (name: string) => {
  const [provider, model] = name.split("/") as [string, string];
  return { provider, model };
};

describe("the sound of a persona", () => {
  test("a persona without models speaks with a built-in voice in a quiet room, and never interrupts", async () => {
    expect(await soundOf()).toEqual({
      voice: {
        provider: "built_in",
        model: "flite",
        voiceId: expect.stringMatching(/^(slt|rms|awb|kal16)$/),
        language: null,
        accent: null,
        emotion: null,
        speed: 1,
        volume: 1,
      },
      surroundings: null,
      patienceMs: 8_000,
      interruptAfterMs: [null],
      hearing: undefined,
      warnings: [],
    });
  });

  test.each([
    ["openai/a-model-of-a-server", "alloy"],
    ["deepgram/aura-2-thalia-en", "aura-2-thalia-en"],
  ])("a persona of %s without a voice has the provider's usual voice", async (name, voiceId) => {
    expect((await soundOf({ models: { tts: tts(name) } })).voice.voiceId).toBe(voiceId);
  });

  test.each([
    ["slow", 0.8],
    ["normal", 1],
    ["fast", 1.25],
  ] as const)("the pace %s is the speed %d", async (pace, speed) => {
    expect((await soundOf({ traits: { pace } })).voice.speed).toBe(speed);
  });

  test("the speed of the models counts more than the pace", async () => {
    expect((await soundOf({ traits: { pace: "slow" }, models: { speed: 1.5 } })).voice.speed).toBe(1.5);
  });

  test.each([
    ["low", 20],
    ["medium", 10],
    ["high", 5],
    [undefined, 10],
  ] as const)("background noise of the level %s is %d dB below the voice", async (level, snrDb) => {
    const backgroundNoise = { kind: "cafe" as const, ...(level && { level }) };
    expect((await soundOf({ traits: { backgroundNoise } })).surroundings).toEqual({ kind: "cafe", snrDb });
  });

  test.each([
    ["low", 4_000],
    ["medium", 8_000],
    ["high", 15_000],
  ] as const)("the patience %s is a silence of %d ms", async (patience, patienceMs) => {
    expect(await soundOf({ traits: { patience } })).toMatchObject({ patienceMs });
  });

  test("a persona interrupts as often as its style says, the same for the same seed", async () => {
    const shares = { sometimes: [0.15, 0.4], often: [0.5, 0.8] } as const;
    for (const [interruptionStyle, [least, most]] of Object.entries(shares)) {
      const traits = { interruptionStyle: interruptionStyle as keyof typeof shares };
      const all: (number | null)[] = [];
      for (const seed of ["sim_1", "sim_2", "sim_3", "sim_4", "sim_5", "sim_6", "sim_7", "sim_8"]) {
        const { interruptAfterMs } = await soundOf({ traits }, seed);
        expect((await soundOf({ traits }, seed)).interruptAfterMs).toEqual(interruptAfterMs);
        expect(interruptAfterMs.slice(0, 4).some((afterMs) => afterMs !== null)).toBe(true);
        all.push(...interruptAfterMs);
      }
      const given = all.filter((afterMs) => afterMs !== null);
      expect(given.length / all.length).toBeGreaterThan(least);
      expect(given.length / all.length).toBeLessThan(most);
      expect(Math.min(...given)).toBeGreaterThanOrEqual(700);
      expect(Math.max(...given)).toBeLessThanOrEqual(2_500);
    }
  });

  test("a built-in voice says which traits it cannot express", async () => {
    const traits = { accent: "irish", emotion: "angry" };
    const { voice, warnings } = await soundOf({ traits, models: { speed: 4, volume: 3 } });
    expect(voice).toMatchObject({ accent: null, emotion: null, speed: 2, volume: 1.5 });
    expect(warnings).toEqual([
      expect.stringMatching(/^The voice does not have the accent "irish": /),
      'The voice does not have the emotion "angry": The built-in voices speak without emotion.',
      "The voice's speed is 2 instead of 4: it can be from 0.5 to 2.",
      "The voice's volume is 1.5 instead of 3: it can be from 0.5 to 1.5.",
    ]);
  });

  test("a voice of a provider expresses accents and emotions", async () => {
    const traits = { accent: "british", emotion: "angry", language: "en-GB" };
    const { voice, warnings } = await soundOf({ traits, models: { tts: tts("openai/gpt-4o-mini-tts") } });
    expect(voice).toMatchObject({ provider: "openai", emotion: "angry", language: "en-GB" });
    expect(warnings.length + (voice.accent === null ? 0 : 1)).toBe(1);
  });

  test("a pace that a model cannot change is a warning", async () => {
    const { voice, warnings } = await soundOf({ traits: { pace: "fast" }, models: { tts: tts("deepgram/aura") } });
    expect(voice.speed).toBe(1);
    expect(warnings).toEqual([expect.stringMatching(/^The voice's speed is 1 instead of 1.25: /)]);
  });

  test("a persona without a voice gets the provider's first voice of its language", async () => {
    const voice = { source: "account" as const, presentation: "unknown" as const, accents: [] };
    listing = {
      state: "listed",
      standardOnly: false,
      voices: [
        { ...voice, id: "v-en", name: "One", languages: ["en-US"] },
        { ...voice, id: "v-de", name: "Two", languages: ["de-DE"] },
      ],
    } as unknown as VoiceListing;
    const sound = await soundOf({ traits: { language: "de" }, models: { tts: tts("cartesia/sonic-3") } });
    listing = { state: "no_key" };
    expect(sound.voice.voiceId).toBe("v-de");
  });

  test("a model that the service cannot hear with is a warning", async () => {
    const { hearing, warnings } = await soundOf({ models: { stt: tts("assemblyai/universal") } });
    expect(hearing).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining("The service cannot hear with assemblyai.")]);
    expect((await soundOf({ models: { stt: tts("deepgram/nova-3") } })).hearing).toEqual(tts("deepgram/nova-3"));
  });

  test.each([
    [
      { traits: { language: "pt-BR" } },
      "The built-in voices speak only English, and the persona speaks pt-BR. Choose a",
    ],
    [{ traits: { language: "pl" }, models: { tts: tts("built_in/flite") } }, "The built-in voices speak only English"],
    [{ traits: { language: "pl" }, models: { tts: tts("deepgram/aura") } }, "The persona's voice does not speak pl."],
    [{ models: { tts: tts("lmnt/blizzard") } }, "Choose a model of built_in, openai"],
    [{ models: { tts: tts("cartesia/sonic-3") } }, "Choose a voice of Cartesia for the persona."],
    [{ models: { tts: tts("deepgram/flux") } }, "Choose the model aura-2"],
  ] satisfies [Content, string][])("the persona %j is refused with the remedy", async (content, words) => {
    await expect(soundOf(content)).rejects.toThrow(words);
  });

  test("a voice of a provider without a key is refused with the command that stores one", async () => {
    const content = { models: { tts: tts("openai/tts-1") } };
    await expect(soundOf(content, "sim_1", false)).rejects.toThrow("svc provider-keys set openai");
  });
});
