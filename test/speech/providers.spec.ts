import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CALL_RATE, durationMs } from "../../packages/server/src/voice/audio/audio.ts";
import { readWav } from "../../packages/server/src/voice/audio/wav.ts";
import type { Config, DeploymentKeys, SpeechSettings } from "../../packages/server/src/base/config/config.ts";
import type { Log } from "../../packages/server/src/base/log/log.ts";
import { createCapabilities } from "../../packages/server/src/voice/capabilities/look-up.ts";
import { openSpeech } from "../../packages/server/src/voice/speech/open.ts";
import { type CallerVoice, SpeechFailure } from "../../packages/server/src/voice/speech/speech.ts";
import { openVoiceListing } from "../support/voice-listing.ts";
import { openSpeechProviders, SPEECH_PROVIDER_IDS, type SpeechProviderId } from "../support/speech-providers.ts";

const KEY = "a-key-that-nobody-may-see";
const BOUNDS = { pauseMs: 1, pauseMaxMs: 1_500, timeoutMs: 5_000, maxBytes: 100_000 };
const NO_SPEECH: SpeechSettings = { tts: undefined, stt: undefined, sttModel: undefined };
const listVoices = async () => ({ state: "no_key" as const });
const never = new AbortController().signal;

type Settings = { providerKeys: DeploymentKeys; speech: SpeechSettings; openSignUp: boolean };
let fake: Awaited<ReturnType<typeof openSpeechProviders>>;
const stores = await openVoiceListing();
const opened: ReturnType<typeof openSpeech>[] = [];

beforeAll(async () => {
  fake = await openSpeechProviders(KEY);
});
afterAll(async () => {
  await Promise.all(opened.map((speech) => speech.close()));
  await Promise.all([fake.close(), stores.close()]);
});
beforeEach(() => {
  fake.behave({ kind: "right" });
  fake.asked.length = 0;
  fake.received.length = 0;
});

/** Opens the speech part of the service with an empty cache. */
function open(settings: Partial<Settings> = {}, bounds: Partial<typeof BOUNDS> = {}) {
  const config = { providerKeys: {}, speech: NO_SPEECH, openSignUp: false, ...settings } as Settings as Config;
  const around = { addressOf: fake.addressOf, bounds: { ...BOUNDS, ...bounds } };
  const speech = openSpeech(
    { config, log: { error: () => {} } as unknown as Log },
    { keys: stores.keys, capabilities: createCapabilities(listVoices) },
    around,
  );
  opened.push(speech);
  return speech;
}

async function organizationWithKeys(key = KEY): Promise<string> {
  const organizationId = await stores.organization();
  for (const provider of SPEECH_PROVIDER_IDS) await stores.setKey(organizationId, provider, key);
  return organizationId;
}

const MODELS: Record<SpeechProviderId, { tts: string; voiceId: string; stt: string }> = {
  openai: { tts: "gpt-4o-mini-tts", voiceId: "alloy", stt: "whisper-1" },
  elevenlabs: { tts: "eleven_v3", voiceId: "EXAVITQu4vr4xnSDxMaL", stt: "scribe_v2" },
  deepgram: { tts: "aura-2", voiceId: "aura-2-thalia-en", stt: "nova-3" },
  cartesia: { tts: "sonic-3", voiceId: "694f9389-aac1-45b6-b726-9d9369183238", stt: "ink-whisper" },
};

const voiceOf = (provider: SpeechProviderId, changes: Partial<CallerVoice> = {}): CallerVoice => ({
  provider,
  model: MODELS[provider].tts,
  voiceId: MODELS[provider].voiceId,
  language: null,
  accent: null,
  emotion: null,
  speed: 1,
  volume: 1,
  ...changes,
});
const sound = { samples: Int16Array.from({ length: CALL_RATE }, (_, at) => at % 1_000), rate: CALL_RATE };

async function failureOf(work: Promise<unknown>): Promise<SpeechFailure> {
  const failure = await work.then(
    () => expect.fail("the work succeeded"),
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(SpeechFailure);
  for (const secret of [KEY, "inner words"]) expect((failure as Error).message).not.toContain(secret);
  return failure as SpeechFailure;
}

describe.each(SPEECH_PROVIDER_IDS)("speech of %s", (provider) => {
  test("a text becomes half a second of sound at the rate of calls", async () => {
    const speak = open().synthesizerOf(await organizationWithKeys());
    const audio = await speak("Good morning.", voiceOf(provider), never);
    expect(audio.rate).toBe(CALL_RATE);
    expect(durationMs(audio)).toBeCloseTo(500, -1);
    expect(Math.max(...audio.samples)).toBeGreaterThan(9_000);
    expect(fake.asked.map(({ text }) => text)).toEqual(["Good morning."]);
  });

  test("a long text is spoken in several requests, in order", async () => {
    const speak = open({}, { maxBytes: 10_000_000 }).synthesizerOf(await organizationWithKeys());
    const text = "This sentence is one of many sentences. ".repeat(120).trim();
    const audio = await speak(text, voiceOf(provider), never);
    expect(fake.asked.map((asked) => asked.text).join(" ")).toBe(text);
    expect(fake.asked.length).toBeGreaterThan(1);
    expect(durationMs(audio)).toBeCloseTo(500 * fake.asked.length, -2);
  });

  test("sound becomes text; the request has the sound as a WAV file", async () => {
    const recognize = open().recognizerOf(await organizationWithKeys(), { provider, model: MODELS[provider].stt })!;
    expect(await recognize(sound, "en-GB", never)).toBe(fake.transcript);
    const { rate, channels } = readWav(fake.asked[0]!.wav);
    expect({ rate, samples: channels[0] }).toEqual({ rate: CALL_RATE, samples: sound.samples });
    expect(JSON.stringify(fake.asked[0]!.fields)).toContain(MODELS[provider].stt);
    expect(JSON.stringify(fake.asked[0]!.fields)).toMatch(/"(language|language_code)":"en(-GB)?"/);
  });

  test("without a key, the refusal names the command that stores one", async () => {
    const organizationId = await stores.organization();
    const failure = await failureOf(open().synthesizerOf(organizationId)("Hello.", voiceOf(provider), never));
    expect(failure.fault).toBe("refused");
    expect(failure.message).toContain(`svc provider-keys set ${provider}`);
  });

  test("a wrong key is refused with the remedy", async () => {
    const speak = open().synthesizerOf(await organizationWithKeys("a-key-of-another"));
    expect((await failureOf(speak("Hello.", voiceOf(provider), never))).message).toContain("Replace the key.");
  });

  test.each([
    [{ kind: "status", status: 402 }, "refused", "no credit"],
    [{ kind: "status", status: 404 }, "refused", "Check the persona's model, voice and language."],
    [{ kind: "status", status: 429 }, "unavailable", "Try again later."],
    [{ kind: "status", status: 500 }, "unavailable", "Try again later."],
    [{ kind: "empty" }, "unavailable", "no sound in the requested form"],
    [{ kind: "garbage" }, "unavailable", "no sound in the requested form"],
    [{ kind: "endless" }, "refused", "a larger answer than the service reads"],
    [{ kind: "redirect", to: "http://127.0.0.1:1/" }, "refused", "a redirect"],
  ] as const)("the answer %j fails as %s", async (behavior, fault, words) => {
    fake.behave(behavior);
    const speak = open().synthesizerOf(await organizationWithKeys());
    const failure = await failureOf(speak("Hello.", voiceOf(provider), never));
    expect(failure).toMatchObject({ fault, message: expect.stringContaining(words) });
    expect(fake.received).toHaveLength(fault === "unavailable" && behavior.kind === "status" ? 3 : 1);
  });

  test("a provider that is busy once is asked again", async () => {
    fake.behave({ kind: "status", status: 429, headers: { "retry-after-ms": "5" }, times: 1 });
    const speak = open().synthesizerOf(await organizationWithKeys());
    expect(durationMs(await speak("Hello.", voiceOf(provider), never))).toBeGreaterThan(400);
    expect(fake.received).toHaveLength(2);
  });

  test("a transcript in another form fails", async () => {
    fake.behave({ kind: "garbage" });
    const recognize = open().recognizerOf(await organizationWithKeys(), { provider, model: MODELS[provider].stt })!;
    expect((await failureOf(recognize(sound, null, never))).message).toContain("no transcript in its usual form");
  });
});

describe("the voice's manner", () => {
  const fieldsOf = async (provider: SpeechProviderId, changes: Partial<CallerVoice>) => {
    await open().synthesizerOf(await organizationWithKeys())("Hello.", voiceOf(provider, changes), never);
    return fake.asked[0]!;
  };

  test("OpenAI receives the accent and the emotion as instructions, and the speed", async () => {
    const { fields } = await fieldsOf("openai", { accent: "Irish", emotion: "angry", speed: 1.2 });
    expect(fields).toMatchObject({
      speed: 1.2,
      instructions: "Speak with this accent: Irish. Speak in this emotion: angry.",
    });
  });

  test("ElevenLabs receives the language, the speed, and the emotion as a tag for the models that read tags", async () => {
    const manner = { language: "de-DE", emotion: "sad", speed: 0.8 };
    const { text, fields } = await fieldsOf("elevenlabs", manner);
    expect(text).toBe("[sad] Hello.");
    expect(fields).toMatchObject({ language_code: "de", voice_settings: { speed: 0.8 } });
  });

  test("ElevenLabs receives no language for a model that accepts none", async () => {
    const { text, fields } = await fieldsOf("elevenlabs", { model: "eleven_multilingual_v2", language: "de" });
    expect(text).toBe("Hello.");
    expect(fields).not.toHaveProperty("language_code");
  });

  test("Deepgram receives the voice as its model, and the speed", async () => {
    const { fields } = await fieldsOf("deepgram", { voiceId: null, model: "aura-2-luna-en", speed: 0.9 });
    expect(fields).toMatchObject({ model: "aura-2-luna-en", speed: "0.9" });
  });

  test("Cartesia receives the language, and the speed and the emotion in its configuration", async () => {
    const { fields } = await fieldsOf("cartesia", { language: "en-US", speed: 1.1, emotion: "excited" });
    expect(fields).toMatchObject({ language: "en", generation_config: { speed: 1.1, emotion: "excited" } });
  });

  test.each([
    ["elevenlabs", { voiceId: null }, "Choose a voice of ElevenLabs"],
    ["cartesia", { voiceId: null }, "Choose a voice of Cartesia"],
    ["deepgram", { model: "flux", voiceId: null }, "Choose the model aura-2"],
  ] as const)("%s without a usable voice is refused before a request", async (provider, changes, words) => {
    const speak = open().synthesizerOf(await organizationWithKeys());
    expect((await failureOf(speak("Hello.", voiceOf(provider, changes), never))).message).toContain(words);
    expect(fake.received).toEqual([]);
  });

  test.each([
    ["openai", "gpt-realtime-whisper", "gpt-4o-transcribe"],
    ["elevenlabs", "scribe_v2_realtime", "scribe_v2"],
    ["deepgram", "flux-general-en", "nova-3"],
    ["cartesia", "ink-2", "ink-whisper"],
  ])("%s/%s only streams, and the refusal names %s", async (provider, model, other) => {
    const recognize = open().recognizerOf(await organizationWithKeys(), { provider, model })!;
    expect((await failureOf(recognize(sound, null, never))).message).toContain(`Choose the model ${other}`);
    expect(fake.received).toEqual([]);
  });

  test("a provider without a port is refused with the providers that have one", async () => {
    const organizationId = await organizationWithKeys();
    const speech = open();
    const other = { ...voiceOf("openai"), provider: "lmnt" };
    expect((await failureOf(speech.synthesizerOf(organizationId)("Hello.", other, never))).message).toContain(
      "Choose a model of built_in, openai, elevenlabs, deepgram, cartesia for the persona.",
    );
    const recognize = speech.recognizerOf(organizationId, { provider: "lmnt", model: "x" })!;
    expect((await failureOf(recognize(sound, null, never))).message).toContain("Choose a model of openai");
  });
});

describe("the keys and the endpoints", () => {
  test("the deployment's key speaks for an organization without a key", async () => {
    const speak = open({ providerKeys: { deepgram: { apiKey: KEY, region: undefined } } }).synthesizerOf(
      await stores.organization(),
    );
    expect(durationMs(await speak("Hello.", voiceOf("deepgram"), never))).toBeGreaterThan(400);
  });

  test("the deployment's key does not speak for strangers", async () => {
    const settings = { providerKeys: { deepgram: { apiKey: KEY, region: undefined } }, openSignUp: true };
    const speak = open(settings).synthesizerOf(await stores.organization());
    expect((await failureOf(speak("Hello.", voiceOf("deepgram"), never))).message).toContain("needs a key");
  });

  test("an endpoint of the settings takes OpenAI's place, and receives its own key only", async () => {
    const endpoint = { baseUrl: `${fake.url}/openai/v1`, apiKey: KEY };
    const speech = open({ speech: { tts: endpoint, stt: endpoint, sttModel: "whisper-1" } });
    const organizationId = await organizationWithKeys("a-key-of-openai");
    await speech.synthesizerOf(organizationId)("Hello.", voiceOf("openai"), never);
    const recognize = speech.recognizerOf(organizationId, undefined)!;
    expect(await recognize(sound, null, never)).toBe(fake.transcript);
    expect(fake.received.map(({ url }) => url)).toEqual(["/openai/v1/audio/speech", "/openai/v1/audio/transcriptions"]);
    expect(JSON.stringify(fake.received)).not.toContain("a-key-of-openai");
  });

  test("without a model of the persona and of the settings there is no recognizer", async () => {
    expect(open().recognizerOf(await stores.organization(), undefined)).toBeUndefined();
  });

  test("generated speech is not shared between organizations, and a repeated text costs one request", async () => {
    const speech = open();
    const [one, other] = [await organizationWithKeys(), await organizationWithKeys()];
    for (const organizationId of [one, one, other])
      await speech.synthesizerOf(organizationId)("Hello.", voiceOf("cartesia"), never);
    expect(fake.received).toHaveLength(2);
  });

  test("a canceled request rejects with the signal's reason and is not asked again", async () => {
    fake.behave({ kind: "silence" });
    const cancel = new AbortController();
    const speak = open().synthesizerOf(await organizationWithKeys());
    const spoken = speak("Hello.", voiceOf("openai"), cancel.signal);
    setTimeout(() => cancel.abort(new Error("the call ended")), 50);
    await expect(spoken).rejects.toThrow("the call ended");
    expect(fake.received.length).toBeLessThanOrEqual(1);
  });

  test("a provider that does not answer in time fails", async () => {
    fake.behave({ kind: "silence" });
    const speak = open({}, { timeoutMs: 60 }).synthesizerOf(await organizationWithKeys());
    const failure = await failureOf(speak("Hello.", voiceOf("openai"), never));
    expect(failure).toMatchObject({ fault: "unavailable", message: expect.stringContaining("did not answer in time") });
  });
});
