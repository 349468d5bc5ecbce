import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerJson } from "../support/fake-service.ts";
import { drawsOfCases } from "../support/long-form.ts";
import { send } from "../support/request.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { whole } from "../support/voice-listing.ts";
import { type Behavior, openVoiceProviders, type Provider, PROVIDERS, shapeOf } from "../support/voice-providers.ts";

const casesOf = drawsOfCases();

const KEY = "a-key-that-nobody-may-see";
const MODELS: Record<Provider, string> = {
  cartesia: "sonic-3",
  elevenlabs: "eleven_v3",
  deepgram: "aura-2",
  rime: "coda",
  minimax: "speech-2.8-hd",
  inworld: "inworld-tts-2",
  hume: "octave",
  lmnt: "blizzard",
  azure: "neural",
  google: "wavenet",
  polly: "neural",
};

let fake: Awaited<ReturnType<typeof openVoiceProviders>>;
let server: TestServer;
let nowMs = Date.parse("2026-11-21T09:00:00Z");
beforeAll(async () => {
  fake = await openVoiceProviders();
  server = await startServer({
    voiceOverrides: { addressOf: (provider) => fake.addressOf(provider), bounds: { pageMs: 400 }, now: () => nowMs },
  });
});
afterAll(async () => {
  await server.stop();
  await fake.close();
});

const pairOf = (provider: Provider) => ({
  ttsProvider: provider,
  ttsModel: MODELS[provider],
  sttProvider: "deepgram",
  sttModel: "nova-3",
});

const voices = (_: string, page: number) =>
  [0, 1].map((at) => ({ id: `en-US-Wavenet-${page}${at}`, name: `Voice ${at}`, own: at === 1 }));
const json = (status: number, body: unknown): Behavior => ({
  instead: (response) => answerJson(response, status, body),
});

const BEHAVIORS: Record<string, (provider: Provider) => Behavior> = {
  "a list": () => ({ voices }),
  "a list of two pages": () => ({ voices, pages: 2 }),
  "a list of a hundred pages": () => ({ voices, pages: 100 }),
  "the same page for ever": (provider) => json(200, shapeOf(provider).body(voices("", 0), { page: 0, pages: 9 })),
  "an empty list": () => ({}),
  "401": () => json(401, {}),
  "429": () => json(429, {}),
  "500": () => json(500, {}),
  silence: () => ({ instead: () => {} }),
  "9 MiB": () => ({ instead: (response) => void response.end(Buffer.alloc(9 * 1024 * 1024, " ")) }),
  "invalid JSON": () => ({ instead: (response) => void response.end("{") }),
  "a redirect": () => ({
    instead: (response) => void response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
  }),
};

describe.each(PROVIDERS)("the look-up of %s", (provider) => {
  test.each(casesOf(Object.keys(BEHAVIORS), 2))(
    "the look-up is answered with 200 when the provider answers with %s",
    async (name) => {
      nowMs += 25 * 3_600_000;
      fake.behave(provider, BEHAVIORS[name]!(provider));
      if (provider !== "rime") await server.admin.providerKeys.set({ provider, ...whole(provider, KEY) });
      const path = `/v1/persona-capabilities?${new URLSearchParams(pairOf(provider))}`;
      const reply = await send(server.url, { method: "GET", path, key: server.projectKey });
      expect(reply.status).toBe(200);
      expect(reply.text).not.toContain(KEY);
      const { voices } = JSON.parse(reply.text) as { voices: { status: string; reason?: string } };
      expect(voices).toHaveProperty(["supported", "fixed"].includes(voices.status) ? "status" : "reason");
      if (name === "a list") expect(voices.status).toMatch(/^(supported|fixed)$/);
      if (name === "401" && provider !== "rime") expect(voices.reason).toContain(`The ${provider} key was refused.`);
    },
  );
});

test("the look-up finds an account's voice, and a second refresh is refused with Retry-After", async () => {
  fake.behave("cartesia", { voices: () => [{ id: "mine", name: "Mine", own: true }] });
  await server.admin.providerKeys.set({ provider: "cartesia", apiKey: KEY });
  const input = { ...pairOf("cartesia"), voiceId: "mine" };
  const found = await server.client.capabilities.get(input);
  expect(found.voices).toMatchObject({ value: { id: "mine", name: "Mine", source: "account" } });
  await server.client.capabilities.get({ ...input, refresh: "true" });
  await expect(server.client.capabilities.get({ ...input, refresh: "true" })).rejects.toMatchObject({
    code: "too_many_requests",
    retryAfterSeconds: 10,
  });
  await server.admin.providerKeys.delete({ provider: "cartesia" });
  expect((await server.client.capabilities.get(input)).voices.reason).toMatch(/Add your Cartesia key/);
});
