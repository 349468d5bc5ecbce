import type { PersonaCapabilities } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

let server: SharedServer;
let home: ReturnType<typeof openHome>;
beforeAll(async () => {
  server = await shareServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
});
afterAll(async () => {
  await server?.stop();
  home?.remove();
});

const PAIR = ["capabilities", "--tts", "deepgram/aura-2", "--stt", "deepgram/nova-3"];

test("the capabilities of a pair are printed one by one, with a table of voices", async () => {
  const { exitCode, stdout } = await home.svc([
    ...PAIR,
    "--language",
    "fr",
    "--voice",
    "aura-2-agathe-fr",
    "--limit",
    "2",
  ]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^deepgram\/aura-2 with deepgram\/nova-3\n\nLanguage +fixed {2}fr\n/);
  expect(stdout).toMatch(/\nSpeed +fixed {2}1\n +Aura-2 changes its speed in English and Spanish only\.\n/);
  expect(stdout).toMatch(/\nVolume +supported\n +from 0\.5 to 1\.5 in steps of 0\.1\n/);
  expect(stdout).toMatch(/\nVoices +supported\n +Agathe \(aura-2-agathe-fr\)\n +.*add your Deepgram key/);
  expect(stdout).toMatch(
    /\n\nVOICE +NAME +SOURCE +PRESENTATION +LANGUAGES +ACCENTS\n(aura-2-\S+ .*\n){2}\nThere are 88 more\. Set --limit/,
  );
});

test("--json prints the capabilities in the shape of the endpoint", async () => {
  const answer = await home.json<PersonaCapabilities>([...PAIR, "--refresh"]);
  const asked = { ttsProvider: "deepgram", ttsModel: "aura-2", sttProvider: "deepgram", sttModel: "nova-3" };
  expect(answer).toEqual(await server.client.capabilities.get(asked));
});

test("an unsupported provider is printed with the reason", async () => {
  const { exitCode, stdout } = await home.svc(["capabilities", "--tts", "playht/any", "--stt", "deepgram/nova-3"]);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/Voices +unsupported\n +PlayHT shut its API down/)]);
});

test("a model without its provider and an invalid language are refused, and the message says what to write", async () => {
  const model = await home.svc(["capabilities", "--tts", "tts-1", "--stt", "deepgram/nova-3"]);
  expect([model.exitCode, model.stderr]).toEqual([
    2,
    expect.stringContaining("See the models with `svc capabilities models`"),
  ]);
  const language = await home.svc([...PAIR, "--language", "en_US"]);
  expect([language.exitCode, language.stderr]).toEqual([1, expect.stringContaining("such as en or en-GB")]);
});

test("the models are listed, of all providers or of one", async () => {
  const { stdout } = await home.svc(["capabilities", "models"]);
  expect(stdout).toMatch(
    /^FLAG +MODEL +CALLS +NOTICE\n--tts +built_in\/flite +ready\n--tts +openai\/gpt-4o-mini-tts +need a key +OpenAI has announced .*2027-01-06\.\n/,
  );
  expect(stdout).toMatch(/\n--stt +deepgram\/nova-3 +need a key\n/);
  const cartesia = await home.json<{ textToSpeech: object[]; speechToText: object[] }>([
    "capabilities",
    "models",
    "--provider",
    "Cartesia",
  ]);
  expect([cartesia.textToSpeech.length, cartesia.speechToText.length]).toEqual([13, 2]);
  expect((await home.svc(["capabilities", "models", "--provider", "acme"])).stdout).toContain(
    'no model of the provider "acme". To see all models',
  );
});
