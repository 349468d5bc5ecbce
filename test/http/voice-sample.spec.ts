import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { powerOf, speechLevelOf } from "../../packages/server/src/voice/audio/level.ts";
import { readWav } from "../../packages/server/src/voice/audio/wav.ts";
import { needsProcess } from "../support/in-process.ts";
import { expectRefusal, send } from "../support/request.ts";
import { startServer } from "../support/server.ts";
import { openSpeechProviders } from "../support/speech-providers.ts";
import { openWorld, type World } from "../support/world.ts";

const KEY = "a-key-that-nobody-may-see";
let w: World;
let fake: Awaited<ReturnType<typeof openSpeechProviders>>;
beforeAll(async () => {
  fake = await openSpeechProviders(KEY);
  const speechOverrides = { addressOf: fake.addressOf, bounds: { pauseMs: 1 } };
  w = await openWorld((options) => startServer({ ...options, speechOverrides }));
});
afterAll(async () => {
  await w?.stop();
  await fake?.close();
});

type Content = Omit<Parameters<World["client"]["personas"]["create"]>[0], "name">;
let count = 0;
const newPersona = async (content: Content = {}) =>
  (await w.admin.personas.create({ ...content, name: `speaker ${++count}`, projectId: w.project.id })).persona.id;
const get = (personaId: string, headers: Record<string, string> = {}, key = w.projectKey) =>
  send(w.url, { method: "GET", path: `/v1/personas/${personaId}/voice-sample`, key, headers });
const sampleOf = async (content?: Content) => {
  const reply = await get(await newPersona(content));
  expect([reply.status, reply.text.slice(0, 300)]).toEqual([200, expect.stringMatching(/^RIFF/)]);
  const { rate, channels } = readWav(reply.bytes);
  expect([rate, channels.length]).toEqual([16_000, 1]);
  return channels[0]!;
};

describe("the sample of a persona's voice", () => {
  test("the sample of a persona's voice is a WAV file of a few seconds, with a tag and ranges, without any key", async () => {
    const personaId = await newPersona();
    const { status, headers, bytes } = await get(personaId);
    expect([status, headers.get("content-type"), headers.get("accept-ranges")]).toEqual([200, "audio/wav", "bytes"]);
    expect(headers.get("etag")).toMatch(/^"[0-9a-f]{64}"$/);
    expect(headers.get("content-disposition")).toBe(`inline; filename="${personaId}.wav"`);
    const samples = readWav(bytes).channels[0]!;
    expect(samples.length / 16_000).toBeGreaterThan(3);
    expect(samples.length / 16_000).toBeLessThan(10);
    const part = await get(personaId, { range: "bytes=0-3" });
    expect([part.status, part.text]).toEqual([206, "RIFF"]);
    const again = await get(personaId, { "if-none-match": headers.get("etag")!, "cache-control": "max-age=0" });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  test("the sample of a persona's voice speaks as fast and as loud as the persona", async () => {
    const tts = { provider: "built_in", model: "flite" };
    const models = { tts, voiceId: "slt" };
    const [normal, fast, quiet] = await Promise.all([
      sampleOf({ models }),
      sampleOf({ models, traits: { pace: "fast" } }),
      sampleOf({ models: { ...models, volume: 0.5 } }),
    ]);
    const speechOf = (samples: Int16Array) => samples.length / 16_000 - 0.8;
    expect(speechOf(fast!) / speechOf(normal!)).toBeCloseTo(0.8, 1);
    expect(speechLevelOf(normal!, 16_000) - speechLevelOf(quiet!, 16_000)).toBeCloseTo(6, 0);
  });

  test("the sample of a persona's voice has the persona's surroundings at their level", async () => {
    const models = { tts: { provider: "built_in", model: "flite" }, voiceId: "rms" };
    const noiseOf = (samples: Int16Array) => 10 * Math.log10(powerOf(samples, 0, 4_000) + 1e-12);
    const quiet = await sampleOf({ models });
    const noisy = await sampleOf({ models, traits: { backgroundNoise: { kind: "office", level: "high" } } });
    expect(noiseOf(quiet)).toBeLessThan(-80);
    const snrDb = speechLevelOf(quiet, 16_000) - noiseOf(noisy);
    expect(snrDb).toBeGreaterThan(1);
    expect(snrDb).toBeLessThan(12);
  });

  test("the sample of a persona's voice comes from the provider of the persona's model, in the persona's language, once", async (context) => {
    needsProcess(context);
    await w.admin.providerKeys.set({ provider: "openai", apiKey: KEY });
    const models = { tts: { provider: "openai", model: "gpt-4o-mini-tts" }, voiceId: "ash" };
    const personaId = await newPersona({ models, traits: { language: "de", emotion: "angry" } });
    const replies = [await get(personaId), await get(personaId)];
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(fake.asked).toEqual([
      expect.objectContaining({
        text: expect.stringMatching(/^Guten Tag/),
        fields: expect.objectContaining({ voice: "ash" }),
      }),
    ]);
  });

  test("the sample of a persona's voice is refused with the remedy when no voice speaks the language, and when a key is missing", async () => {
    const foreign = await get(await newPersona({ traits: { language: "pt-BR" } }));
    expectRefusal(foreign, "unprocessable");
    expect(foreign.text).toContain("The built-in voices speak only English, and the persona speaks pt-BR.");
    const models = { tts: { provider: "deepgram", model: "aura-2" }, voiceId: "aura-2-thalia-en" };
    const keyless = await get(await newPersona({ models }));
    expectRefusal(keyless, "unprocessable");
    expect(keyless.text).toContain("svc provider-keys set deepgram");
  });

  test("the sample of a persona's voice is refused for a while when the provider does not answer", async () => {
    await w.admin.providerKeys.set({ provider: "openai", apiKey: KEY });
    fake.behave({ kind: "status", status: 500 });
    const models = { tts: { provider: "openai", model: "tts-1" }, voiceId: "nova" };
    const reply = await get(await newPersona({ models }));
    fake.behave({ kind: "right" });
    expectRefusal(reply, "provider_unavailable");
    expect(reply.headers.get("retry-after")).toBe("10");
  });

  test("exists for shipped personas, and for viewers; strangers see nothing", async () => {
    const { personas } = await w.client.personas.list({ projectId: w.project.id });
    const angry = personas.find(({ name }) => name === "angry")!;
    expect((await get(angry.id)).status).toBe(200);
    const personaId = await newPersona();
    const sound = await w.viewer.client.personas.voiceSample({ personaId, projectId: w.project.id });
    expect(Buffer.from(await new Response(sound).bytes()).toString("latin1", 0, 4)).toBe("RIFF");
    expectRefusal(await get(personaId, {}, w.strangersProjectKey), "not_found");
  });
});
