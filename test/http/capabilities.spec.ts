import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RECOGNIZERS, SPEAKERS } from "../support/speech-pairs.ts";
import { jsonOf, send } from "../support/request.ts";
import { startServer } from "../support/server.ts";
import { openWorld, type World } from "../support/world.ts";

const PAIR = { ttsProvider: "openai", ttsModel: "gpt-4o-mini-tts", sttProvider: "deepgram", sttModel: "nova-3" };
const MEMBERS = ["accent", "emotion", "language", "speechVolume", "speed", "voices"];

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.stop());

describe("the capabilities of a pair of models", () => {
  test("the capabilities of a pair of models have six members, for a project key, an organization's key and a session", async () => {
    const answer = await w.client.capabilities.get({ ...PAIR, language: "en-GB", voiceId: "nova", refresh: true });
    expect(Object.keys(answer).sort()).toEqual(MEMBERS);
    expect(answer.voices.value).toEqual({
      id: "nova",
      name: "Nova",
      source: "standard",
      presentation: "unknown",
      languages: [],
      accents: [],
    });
    expect(answer.language).toMatchObject({ status: "supported", value: "en-GB" });
    const named = { ...PAIR, language: "en-GB", voiceId: "nova", projectId: w.project.id };
    expect(await w.viewer.client.capabilities.get(named)).toEqual(answer);
    expect(await w.adminSession.capabilities.get({ ...named, projectId: w.project.name })).toEqual(answer);
  });

  test.each([
    ["an unknown provider", { ttsProvider: "nobody" }],
    ["an unknown model", { sttModel: "no such model" }],
    ["an unknown language", { language: "xx" }],
    ["a provider that is gone", { ttsProvider: "playht", ttsModel: "any" }],
  ])("a request with %s answers 200 with unsupported members and a reason", async (_, change) => {
    const answer = await w.client.capabilities.get({ ...PAIR, ...change });
    for (const member of Object.values(answer)) expect(member).toMatchObject({ status: "unsupported", reason: /./ });
  });

  test("a request without a recognizer names none, and nothing limits the languages", async () => {
    const { language } = await w.client.capabilities.get({ ...PAIR, sttProvider: "none", sttModel: "none" });
    expect(language.choices!.length).toBeGreaterThan((await w.client.capabilities.get(PAIR)).language.choices!.length);
  });

  test("a request answers 200 even without a key for the provider's voices", async () => {
    const { voices } = await w.client.capabilities.get({ ...PAIR, ttsProvider: "cartesia", ttsModel: "sonic-3" });
    expect(voices).toEqual({ status: "unknown", reason: "Add your Cartesia key to list its voices." });
  });

  test("model names may have slashes, signs and surrounding spaces", async () => {
    const query = new URLSearchParams({ ...PAIR, ttsProvider: " Groq ", ttsModel: "canopylabs/orpheus-v1-english" });
    const reply = await send(w.url, { method: "GET", path: `/v1/persona-capabilities?${query}`, key: w.projectKey });
    expect([reply.status, jsonOf<{ voices: object }>(reply).voices]).toMatchObject([200, { status: "supported" }]);
  });

  test("the schema of the capabilities allows no unknown members", () => {
    const { components } = JSON.parse(readFileSync("packages/contract/openapi.json", "utf8")) as {
      components: { schemas: Record<string, { additionalProperties?: unknown; required?: string[] }> };
    };
    const { PersonaCapabilities, CapabilityVoice, CapabilityRange } = components.schemas;
    expect(PersonaCapabilities?.required?.toSorted()).toEqual(MEMBERS);
    expect(CapabilityVoice?.required?.toSorted()).toEqual([
      "accents",
      "id",
      "languages",
      "name",
      "presentation",
      "source",
    ]);
    expect(CapabilityRange?.required?.toSorted()).toEqual(["maximum", "minimum", "step"]);
    const shapes = [
      "PersonaCapabilities",
      "CapabilityVoice",
      "CapabilityRange",
      "VoiceCapability",
      "TextCapability",
      "NumberCapability",
    ];
    for (const name of shapes) expect(components.schemas[name]?.additionalProperties, name).toBe(false);
  });
});

test("the list of known models includes the notes about each", async () => {
  const { version, textToSpeech, speechToText } = await w.admin.capabilities.models();
  expect(version).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  expect(textToSpeech.map(({ provider, model }) => ({ provider, model }))).toEqual(SPEAKERS);
  expect(speechToText.map(({ provider, model }) => ({ provider, model }))).toEqual(RECOGNIZERS);
  expect(textToSpeech.find(({ model }) => model === "tts-1")?.notice).toContain("2027-01-06");
  expect(speechToText.find(({ model }) => model === "melia-1")?.notice).toContain("recordings only");
  expect(speechToText.find(({ model }) => model === "nova-3")?.notice).toBeNull();
});

test("each known model says whether calls of the organization can use it, need a key of its provider, or never can", async () => {
  const accessOf = async (client = w.admin) => {
    const { textToSpeech, speechToText } = await client.capabilities.models();
    const wanted = ["built_in/flite", "openai/tts-1", "cartesia/sonic-3", "polly/neural"];
    const heard = ["deepgram/nova-3", "deepgram/flux-general-en", "cartesia/ink-whisper"];
    const find = (models: typeof textToSpeech, names: readonly string[]) =>
      names.map((name) => models.find(({ provider, model }) => `${provider}/${model}` === name)?.access);
    return [find(textToSpeech, wanted), find(speechToText, heard)];
  };
  const without = [
    ["ready", "needs_key", "needs_key", "not_used"],
    ["needs_key", "not_used", "needs_key"],
  ];
  expect(await accessOf()).toEqual(without);
  await w.admin.providerKeys.set({ provider: "cartesia", apiKey: "a-key-of-cartesia" });
  await w.admin.providerKeys.set({ provider: "polly", apiKey: "an-id:a-secret", region: "eu-west-1" });
  expect(await accessOf()).toEqual([
    ["ready", "needs_key", "ready", "not_used"],
    ["needs_key", "not_used", "ready"],
  ]);
  expect(await accessOf(w.stranger.client)).toEqual(without);
  for (const provider of ["cartesia", "polly"]) await w.admin.providerKeys.delete({ provider });
});

test("a server of the settings makes the models of OpenAI ready, and keys of the settings count unless anyone may sign up", async () => {
  const settings = { SVC_STT_BASE_URL: "http://127.0.0.1:9/v1", SVC_DEEPGRAM_API_KEY: "a-key-of-the-settings" };
  for (const [openSignUp, deepgram] of [
    ["false", "ready"],
    ["true", "needs_key"],
  ] as const) {
    const server = await startServer({ settings: { ...settings, SVC_OPEN_SIGNUP: openSignUp } });
    try {
      const { textToSpeech, speechToText } = await server.admin.capabilities.models();
      const access = (models: typeof textToSpeech, name: string) => models.find(({ model }) => model === name)?.access;
      expect([
        access(textToSpeech, "tts-1"),
        access(speechToText, "whisper-1"),
        access(speechToText, "nova-3"),
      ]).toEqual(["needs_key", "ready", deepgram]);
    } finally {
      await server.stop();
    }
  }
});
