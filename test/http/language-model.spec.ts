import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startChatAgent } from "../support/chat-agent.ts";
import { answers, fakeEndpoint, refuses } from "../support/language-model/fake-endpoint.ts";
import { judgement, passesWithProof } from "../support/language-model/judge-replies.ts";
import { aLanguageModel } from "../support/model-inputs.ts";
import { send } from "../support/request.ts";
import { chatConnection, played, startRun, versionsOf } from "../support/runs.ts";
import { keySettings } from "../support/secret.ts";
import { startServer } from "../support/server.ts";
import { placesWith } from "../support/stored-bytes.ts";
import { until } from "../support/until.ts";
import { openWorld, type World } from "../support/world.ts";

let w: World;
let ours: Awaited<ReturnType<typeof fakeEndpoint>>;
let theirs: Awaited<ReturnType<typeof fakeEndpoint>>;
beforeAll(async () => {
  w = await openWorld();
  ours = await fakeEndpoint(answers(passesWithProof));
  theirs = await fakeEndpoint(answers(judgement("fail")));
});
afterAll(async () => {
  ours.stop();
  theirs.stop();
  await w.stop();
});
beforeEach(async () => {
  for (const client of [w.admin, w.stranger.client]) await client.languageModel.delete();
  ours.asked.length = 0;
  theirs.asked.length = 0;
});

const at = ({ settings: { baseUrl } }: typeof ours, apiKey: string) => ({ ...aLanguageModel, baseUrl, apiKey });
const shown = async (client: Client) => (await client.languageModel.get()).languageModel;
const hasJudge = async (client: Client) => (await client.tests.readBehaviors({ behaviors: ["Is kind."] })).has_judge;

test("a language model is stored, shown without its key, replaced and removed", async () => {
  expect([await shown(w.admin), await hasJudge(w.client)]).toEqual([null, false]);
  const { languageModel: made } = await w.admin.languageModel.set({
    ...aLanguageModel,
    baseUrl: "https://models.example.com/v1//",
    prices: { input: 0, output: 2.5 },
  });
  expect(made).toEqual({
    source: "organization",
    model: "model-1",
    baseUrl: "https://models.example.com/v1",
    hint: "odel",
    prices: { input: 0, output: 2.5 },
    updatedAt: expect.any(String),
  });
  expect([await shown(w.admin), await hasJudge(w.client)]).toEqual([made, true]);
  expect((await w.client.service.get({})).service.languageModel).toEqual({ model: "model-1", hasPrices: true });

  const { apiKey: _, ...withoutKey } = { ...aLanguageModel, model: "model-2" };
  const { languageModel: replaced } = await w.admin.languageModel.set(withoutKey);
  expect(replaced).toMatchObject({ model: "model-2", hint: "odel", prices: null });
  await w.admin.languageModel.delete();
  expect([await shown(w.admin), await hasJudge(w.client)]).toEqual([null, false]);
  await w.admin.languageModel.delete();
  await expect(w.admin.languageModel.set(withoutKey)).rejects.toThrow(/Send the key of the language model/);
});

test.each(["https://models.example.org/v1", "http://models.example.com/v1", "https://models.example.com:8443/v1"])(
  "a move of the language model to %s needs the key again, so that no other host gets the stored one",
  async (baseUrl) => {
    await w.admin.languageModel.set(aLanguageModel);
    await expect(w.admin.languageModel.set({ baseUrl, model: "m" })).rejects.toMatchObject({
      code: "unprocessable",
      details: { issues: [{ path: "apiKey", message: expect.stringMatching(/Enter the key again/) }] },
    });
    await w.admin.languageModel.set({ baseUrl: "https://models.example.com/other", model: "m" });
    expect((await w.admin.languageModel.set({ baseUrl, model: "m", apiKey: "another" })).languageModel).toMatchObject({
      baseUrl,
      hint: "ther",
    });
  },
);

test.each([
  ["another scheme", { baseUrl: "ftp://models.example.com" }, "baseUrl"],
  ["no address", { baseUrl: "models" }, "baseUrl"],
  ["a login in the address", { baseUrl: "https://me:secret@models.example.com" }, "baseUrl"],
  ["an address that is too long", { baseUrl: `https://models.example.com/${"a".repeat(2_000)}` }, "baseUrl"],
  ["a key over two lines", { apiKey: "a\r\nx-evil: 1" }, "apiKey"],
  ["an empty key", { apiKey: " " }, "apiKey"],
  ["no name", { model: " " }, "model"],
  ["one price", { prices: { input: 1 } }, "prices.output"],
  ["a negative price", { prices: { input: -1, output: 1 } }, "prices.input"],
])(
  "a language model with %s is refused at its field, and the refusal does not contain the key",
  async (_, part, path) => {
    const json = { ...aLanguageModel, apiKey: "a-key-not-to-repeat", ...part };
    const reply = await send(w.url, { method: "PUT", path: "/v1/language-model", key: w.adminKey, json });
    expect(reply.status).toBe(path === "prices.output" ? 400 : 422);
    expect(JSON.parse(reply.text).details.issues[0].path).toBe(path);
    expect(reply.text).not.toContain("not-to-repeat");
  },
);

test("only admins see and set the language model of their organization", async () => {
  await w.admin.languageModel.set(aLanguageModel);
  for (const client of [w.member.client, w.viewer.client, w.client]) {
    await expect(client.languageModel.get()).rejects.toMatchObject({ code: "not_permitted" });
    await expect(client.languageModel.set(aLanguageModel)).rejects.toMatchObject({ code: "not_permitted" });
  }
  expect(await shown(w.stranger.client)).toBeNull();
  expect(await hasJudge(w.stranger.client)).toBe(false);
});

test("each organization is judged by its own model with its own key, and its calibrations are its own", async () => {
  await w.admin.languageModel.set(at(ours, "key-of-ours"));
  await w.stranger.client.languageModel.set(at(theirs, "key-of-theirs"));
  const agent = await startChatAgent(() => ({ message: "Of course, a room for two." }));
  const verdictOf = async (client: Client) => {
    const connection = await chatConnection(client, agent.url);
    const testVersions = await versionsOf(client, [
      { scenario: "Says: I'd like a room.", behaviors: ["The agent is warm and kind."] },
    ]);
    const run = await startRun(client, { ...connection, testVersions, caller: "scripted" });
    return (await played({ client }, run.id)).simulations.map(({ verdict }) => verdict);
  };
  const strangers = w.stranger.client;
  expect(await verdictOf(w.client)).toEqual(["passed"]);
  expect(await verdictOf(strangers)).toEqual(["failed"]);
  const keysAsked = ({ asked }: typeof ours) => [...new Set(asked.map(({ authorization }) => authorization))];
  expect([keysAsked(ours), keysAsked(theirs)]).toEqual([["Bearer key-of-ours"], ["Bearer key-of-theirs"]]);
  agent.stop();

  await w.client.judge.calibrate({});
  await until("the judge is calibrated", async () => (await w.client.judge.calibrations({})).running === null);
  expect((await w.client.judge.calibrations({})).calibrations).toHaveLength(1);
  expect(await strangers.judge.calibrations({})).toEqual({ running: null, failure: null, calibrations: [] });
});

test("the check asks the stored model, a replaced key is used at once, and a refusal names no key", async () => {
  const picky = await fakeEndpoint(answers("OK"), refuses(401), answers("OK"));
  const checked = async () => (await w.admin.service.check()).checks.find(({ name }) => name === "language model")!;
  await w.admin.languageModel.set(at(picky, "first-key"));
  expect((await checked()).state).toBe("ok");
  const wrong = await checked();
  expect(wrong).toMatchObject({ state: "wrong", finding: expect.stringMatching(/refuses the key \(401\)/) });
  expect(JSON.stringify(wrong)).not.toContain("first-key");
  await w.admin.languageModel.set(at(picky, "second-key"));
  expect((await checked()).state).toBe("ok");
  expect(picky.asked.at(-1)!.authorization).toBe("Bearer second-key");
  picky.stop();
});

test("a model of the settings takes precedence, says so, and cannot be replaced", async () => {
  const server = await startServer();
  await server.admin.languageModel.set(aLanguageModel);
  await server.close();
  const settings = {
    SVC_LLM_BASE_URL: ours.settings.baseUrl,
    SVC_LLM_API_KEY: "of-the-settings",
    SVC_LLM_MODEL: "m-1",
  };
  const again = await startServer({ dataDir: server.dataDir, settings: { ...keySettings(server), ...settings } });
  try {
    expect(await shown(again.admin)).toEqual({
      source: "settings",
      model: "m-1",
      baseUrl: null,
      hint: null,
      prices: null,
      updatedAt: null,
    });
    await expect(again.admin.languageModel.set(aLanguageModel)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/settings of the service name.*SVC_LLM_BASE_URL/),
    });
    expect((await again.client.service.get({})).service.languageModel?.model).toBe("m-1");
  } finally {
    await again.stop();
  }
});

test("no store contains the key of a language model in clear, and the model works after a restart", async () => {
  const server = await startServer();
  await server.admin.languageModel.set(at(ours, "a-key-to-look-for"));
  await server.close();
  expect(await placesWith(server.dataDir, "model-1")).not.toEqual({});
  expect(await placesWith(server.dataDir, "a-key-to-look-for")).toEqual({});
  const again = await startServer({ dataDir: server.dataDir, settings: keySettings(server) });
  try {
    await again.admin.service.check();
    expect(ours.asked.map(({ authorization }) => authorization)).toEqual(["Bearer a-key-to-look-for"]);
    expect(await again.admin.organization.reseal()).toEqual({ resealed: 0, current: 1, unreadable: 0 });
  } finally {
    await again.stop();
  }
});

test("an organization's model at a private address is not asked where the service refuses private addresses", async () => {
  const server = await startServer({ settings: { SVC_OUTBOUND_PRIVATE: "false" } });
  try {
    await server.admin.languageModel.set(at(ours, "never-sent"));
    const { checks } = await server.admin.service.check();
    expect(checks.find(({ name }) => name === "language model")).toMatchObject({
      state: "wrong",
      finding: expect.stringMatching(/private address/),
    });
    expect(ours.asked).toEqual([]);
  } finally {
    await server.stop();
  }
});
