import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chatConnection, versionsOf, voiceConnection } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let line: { agentId: string; connectionId: string };
beforeAll(async () => {
  server = await startServer({
    settings: { SVC_STT_BASE_URL: "http://127.0.0.1:9/v1", SVC_STT_MODEL: "whisper-1" },
  });
  line = await voiceConnection(server.client, "ws://127.0.0.1:9/");
});
afterAll(() => server.stop());

type Content = Omit<Parameters<TestServer["client"]["personas"]["create"]>[0], "name">;
let count = 0;
async function newPersona(content: Content = {}): Promise<string> {
  return (await server.client.personas.create({ ...content, name: `speaker ${++count}` })).persona.name;
}

/** Returns the warnings in the plan of a run with one test. Throws if the service refuses the plan. */
async function warningsOf(personas: string[], over = line, from: TestServer = server): Promise<string[]> {
  const tests = [{ scenario: "Says: I need a room.", behaviors: ['says "fine"'], personas }];
  const testVersions = await versionsOf(from.client, tests);
  const answer = await from.client.runs.create({ ...over, testVersions, dryRun: "true" });
  if (!("plan" in answer)) expect.fail("the answer is no plan");
  return answer.plan.warnings;
}

describe("the plan of a run with sound", () => {
  test("the plan of a run with sound says nothing about a persona whose traits a built-in voice expresses", async () => {
    const traits = { pace: "fast", backgroundNoise: { kind: "cafe" }, interruptionStyle: "often" } as const;
    expect(await warningsOf(["calm", await newPersona({ traits, models: { volume: 0.8 } })])).toEqual([]);
  });

  test("the plan of a run with sound names each trait that a built-in voice cannot express, once for each persona", async () => {
    const name = await newPersona({ traits: { accent: "irish", emotion: "sad" }, models: { speed: 3 } });
    expect(await warningsOf([name, "angry"])).toEqual([
      expect.stringContaining(`The persona "${name}": The voice does not have the accent "irish"`),
      `The persona "${name}": The voice does not have the emotion "sad": The built-in voices speak without emotion.`,
      `The persona "${name}": The voice's speed is 2 instead of 3: it can be from 0.5 to 2.`,
      'The persona "angry": The voice does not have the emotion "angry": The built-in voices speak without emotion.',
    ]);
  });

  test("the plan of a run with sound says nothing about voices when the conversation is a chat", async () => {
    const chat = await chatConnection(server.client, "http://127.0.0.1:9/");
    expect(await warningsOf([await newPersona({ traits: { language: "pt-BR", emotion: "sad" } })], chat)).toEqual([]);
  });

  test("the plan of a run with sound is refused when no voice speaks the persona's language, with the remedy", async () => {
    const name = await newPersona({ traits: { language: "pt-BR" } });
    await expect(warningsOf([name])).rejects.toMatchObject({
      code: "unprocessable",
      message: `The persona "${name}" cannot speak in this call. The built-in voices speak only English, and the persona speaks pt-BR. Choose a speech synthesis model of a provider for the persona, or another language.`,
    });
  });

  test("the plan of a run with sound is refused when the voice needs a key, and says which recognition does", async () => {
    const tts = { provider: "openai", model: "tts-1" };
    const name = await newPersona({ models: { tts, voiceId: "nova" } });
    await expect(warningsOf([name])).rejects.toThrow("svc provider-keys set openai");
    const hearing = await newPersona({ models: { stt: { provider: "deepgram", model: "nova-3" } } });
    expect(await warningsOf([hearing])).toEqual([
      expect.stringMatching(/^The persona ".*": Deepgram needs a key\. Use `svc provider-keys set deepgram`/),
    ]);
  });

  test("the plan of a run with sound says that the agent's words stay unknown when nothing writes them down", async () => {
    const other = await startServer();
    const over = await voiceConnection(other.client, "ws://127.0.0.1:9/");
    expect(await warningsOf(["calm", "hurried"], over, other)).toEqual([
      expect.stringMatching(/^Nothing writes down what the agent says to "calm", "hurried": .*Set SVC_STT_BASE_URL/),
    ]);
    await other.stop();
  });
});
