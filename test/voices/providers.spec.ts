import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ListedVoice, VoiceListing } from "../../packages/server/src/voice/capabilities/voice-listing.ts";
import { answerJson, openFakeService } from "../support/fake-service.ts";
import { openVoiceListing, whole } from "../support/voice-listing.ts";
import { type Behavior, type Provider, PROVIDERS, openVoiceProviders, shapeOf } from "../support/voice-providers.ts";

const KEY = "a-key-that-nobody-may-see";
const BOUNDS = { pageMs: 5_000, overallMs: 20_000, pageBytes: 100_000 };
/** A short time limit for providers that never answer, so that such a request always times out. */
const IMPATIENT = { pageMs: 60 };

let fake: Awaited<ReturnType<typeof openVoiceProviders>>;
let elsewhere: Awaited<ReturnType<typeof openFakeService>>;
const listing = await openVoiceListing();
/** Marks the requests of a listing, because services of other specs in this process also send requests. */
const ofListing = new AsyncLocalStorage<true>();
/** Hosts of requests, recorded when a request starts, because an abandoned request may arrive during the next spec. */
let called: string[] = [];
const note = (message: unknown) => {
  if (ofListing.getStore() === undefined) return;
  const { request } = message as { request: ClientRequest };
  called.push(`${request.protocol}//${String(request.getHeader("host"))}`);
};

beforeAll(async () => {
  [fake, elsewhere] = [
    await openVoiceProviders(),
    await openFakeService((_, response) => answerJson(response, 200, { voices: [] })),
  ];
  subscribe("http.client.request.start", note);
});
afterAll(async () => {
  unsubscribe("http.client.request.start", note);
  await Promise.all([fake.close(), elsewhere.close(), listing.close()]);
});
beforeEach(async () => {
  called = [];
  listing.lines.length = 0;
  await listing.db.deleteFrom("voice_catalogs").execute();
});

/** Lists the voices once for an organization with its own key, and checks what must hold for every listing. */
async function list(provider: Provider, behavior: Behavior, bounds = {}): Promise<VoiceListing> {
  fake.behave(provider, behavior);
  const organizationId = await listing.organization();
  await listing.setKey(organizationId, provider, KEY);
  const voices = listing.open({ addressOf: fake.addressOf, bounds: { ...BOUNDS, ...bounds } });
  const answer = await ofListing.run(true, () => voices.list(organizationId, provider, { refresh: false }));
  expect([...new Set(called)], "hosts that were called").toEqual([fake.url]);
  expect(elsewhere.received).toEqual([]);
  expect(listing.lines).toHaveLength(1);
  for (const secret of [KEY, "a-secret-of-aws", "inner words"])
    expect(JSON.stringify([listing.lines, answer])).not.toContain(secret);
  return answer;
}

const ids = (answer: VoiceListing) => (answer.state === "listed" ? answer.voices.map(({ id }) => id) : []);
const some = (page: number, count = 3) =>
  Array.from({ length: count }, (_, at) => ({ id: `v-${page}-${at}`, name: `Voice ${page} ${at}` }));
const paged = PROVIDERS.filter((provider) => shapeOf(provider).pageOf);

describe.each(PROVIDERS)("%s", (provider) => {
  test("voices are listed with the key in the request", async () => {
    const asked: string[] = [];
    const answer = await list(provider, { voices: (key, page) => (asked.push(key), some(page)) });
    expect(answer).toMatchObject({ state: "listed", standardOnly: false });
    expect(ids(answer)).toEqual(["v-0-0", "v-0-1", "v-0-2"]);
    expect(new Set(asked)).toEqual(new Set([provider === "rime" ? "public" : KEY]));
  });

  test("an empty list has no voices", async () => {
    expect(await list(provider, {})).toEqual({ state: "listed", voices: [], standardOnly: false });
  });

  test.each<[string, Behavior["instead"], string]>([
    ["401", (response) => answerJson(response, 401, { detail: "inner words" }), `The ${provider} key was refused.`],
    ["403", (response) => answerJson(response, 403, { detail: "inner words" }), `The ${provider} key was refused.`],
    ["429", (response) => answerJson(response, 429, "inner words"), `${provider} accepts no more requests for now.`],
    ["500", (response) => answerJson(response, 500, "inner words"), `${provider} answered with HTTP 500.`],
    ["no list", (response) => answerJson(response, 200, "inner words"), "something other than a list of voices"],
    [
      "invalid JSON",
      (response) => void response.end('{"voices": [inner words'),
      "something other than a list of voices",
    ],
    [
      "too much",
      (response) => answerJson(response, 200, "x".repeat(100_001)),
      "sent a larger answer than the service reads",
    ],
    [
      "a redirect",
      (response) => void response.writeHead(302, { location: `${elsewhere.url}/${provider}` }).end(),
      "redirect",
    ],
    [
      "a redirect to where machines keep their secrets",
      (response) => void response.writeHead(307, { location: "http://169.254.169.254/latest" }).end(),
      "redirect",
    ],
    ["silence", () => {}, `${provider} did not answer in time.`],
    ["half an answer", (response) => void response.write('{"voices": ['), `${provider} did not answer in time.`],
    ["a closed connection", (response) => void response.socket!.destroy(), `${provider} could not be reached.`],
  ])("the answer %s is a failure with its reason", async (_, instead, reason) => {
    const bounds = reason.includes("in time") ? IMPATIENT : {};
    expect(await list(provider, { instead: instead! }, bounds)).toEqual({
      state: "failed",
      reason: expect.stringContaining(reason),
    });
  });

  test("a row that is not a voice is counted, and the other voices are listed", async () => {
    const spoiled = (body: unknown): unknown => {
      if (Array.isArray(body)) return [null, ...body.map(spoiled), 7, "", { id: 5 }, "\n"];
      if (body === null || typeof body !== "object") return body;
      return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, spoiled(value)]));
    };
    const rows = { page: 0, pages: 1 };
    const body = spoiled(shapeOf(provider).body(some(0), rows));
    const answer = await list(provider, { instead: (response) => answerJson(response, 200, body) });
    expect(ids(answer)).toEqual(["v-0-0", "v-0-1", "v-0-2"]);
    expect(listing.lines[0]).toMatch(/"ignored_rows":[1-9]/);
  });
});

describe.each(paged)("%s, with pages,", (provider) => {
  const hidden = provider === "hume" ? 1 : 0;

  test("the voices of two pages are one list", async () => {
    const answer = await list(provider, { pages: 2, voices: (_, page) => some(page) });
    expect(ids(answer)).toHaveLength(6);
    expect(called).toHaveLength(provider === "hume" ? 4 : 2);
  });

  test("a hundred pages are read; with more pages the list is marked as cut", async () => {
    const bounds = { pages: 100 };
    const whole = await list(provider, { pages: 100 - hidden * 50, voices: (_, page) => some(page, 1) }, bounds);
    expect(whole).toMatchObject({ state: "listed", standardOnly: false });
    expect(whole).not.toHaveProperty("cut");
    expect(ids(whole)).toHaveLength(100 - hidden * 50);
    listing.lines.length = 0;
    called = [];
    const cut = await list(provider, { pages: 101, voices: (_, page) => some(page, 1) }, bounds);
    expect(cut).toMatchObject({ state: "listed", cut: true });
    expect(ids(cut)).toHaveLength(100);
    expect(called).toHaveLength(100);
  });

  test("a second page that hangs is a failure", async () => {
    let pages = 0;
    const shape = shapeOf(provider);
    const instead: Behavior["instead"] = (response) => {
      if (pages++ === 0) answerJson(response, 200, shape.body(some(0), { page: 0, pages: 2 }));
    };
    expect(await list(provider, { instead }, { pageMs: 400 })).toMatchObject({ state: "failed" });
    expect(pages).toBe(2);
  });

  test("slow pages end at the limit for the whole list", async () => {
    const shape = shapeOf(provider);
    let page = 0;
    const instead: Behavior["instead"] = (response) =>
      void setTimeout(() => answerJson(response, 200, shape.body(some(page), { page: page++, pages: 99 })), 200);
    const answer = await list(provider, { instead }, { overallMs: 1_000 });
    expect(answer).toEqual({ state: "failed", reason: `${provider} did not list its voices in time.` });
  });
});

test.each(paged.filter((provider) => provider !== "hume"))("a repeated page of %s is a failure", async (provider) => {
  const same = shapeOf(provider).body(some(0), { page: 0, pages: 9 });
  const answer = await list(provider, { instead: (response) => answerJson(response, 200, same) });
  expect(answer).toEqual({ state: "failed", reason: `${provider} repeated a page of its voices.` });
  expect(called).toHaveLength(2);
});

describe("a refusal with HTTP status 200", () => {
  test.each([
    [1004, "The minimax key was refused."],
    [1002, "minimax accepts no more requests for now."],
    [1000, "minimax answered with something other than a list of voices."],
  ])("the minimax code %d is a failure", async (status_code, reason) => {
    const body = { base_resp: { status_code, status_msg: "inner words" }, system_voice: null };
    const answer = await list("minimax", { instead: (response) => answerJson(response, 200, body) });
    expect(answer).toEqual({ state: "failed", reason });
  });
});

describe("a listed voice", () => {
  const own = { id: "v-own", name: "Mine", own: true };
  const voice = (more: Partial<ListedVoice>) => ({
    id: "v",
    name: "Nora",
    source: "standard",
    presentation: "female",
    languages: ["en-US"],
    accents: [],
    ...more,
  });
  const unknown: Partial<ListedVoice> = { presentation: "unknown", languages: [] };
  test.each<[Provider, Partial<ListedVoice>, source?: "standard"]>([
    ["cartesia", { accents: ["american"] }],
    ["elevenlabs", { accents: ["american"] }],
    ["deepgram", { languages: ["en", "en-US"], accents: ["American"], models: ["aura-2"] }, "standard"],
    ["rime", { name: "V", languages: ["en", "es"], models: ["coda", "mistv3"], presentation: "unknown" }, "standard"],
    ["minimax", unknown],
    ["inworld", {}],
    ["hume", { ...unknown, models: ["1", "octave", "2", "octave2"] }],
    ["lmnt", { languages: [] }],
    [
      "azure",
      {
        languages: ["en-US", "de-DE"],
        accents: ["English (United States)"],
        models: ["neural"],
        emotions: ["cheerful"],
      },
      "standard",
    ],
    ["google", { name: "v", models: expect.arrayContaining(["gemini-2.5-pro-tts"]) as string[] }, "standard"],
    ["polly", { models: ["neural"] }, "standard"],
  ])("a voice of %s has the provider's values", async (provider, more, source) => {
    const answer = await list(provider, { voices: () => [{ id: "v", name: "Nora" }, own] });
    if (answer.state !== "listed") return expect.fail(JSON.stringify(answer));
    expect(answer.voices.find(({ id }) => id === "v")).toEqual(voice(more));
    expect(answer.voices.find(({ id }) => id === "v-own")?.source).toBe(source ?? "account");
    if (!source) expect(answer.voices[0]!.id).toBe("v-own");
  });

  test.each(PROVIDERS.filter((provider) => provider !== "rime"))(
    "a voice of a %s account is not shown with the deployment's key",
    async (provider) => {
      fake.behave(provider, { voices: () => [{ id: "v", name: "Nora" }, own] });
      const { apiKey, region } = { region: undefined, ...whole(provider, KEY) };
      const deploymentKeys = { [provider]: { apiKey, region } };
      const voices = listing.open({ addressOf: fake.addressOf, deploymentKeys });
      const answer = await voices.list(await listing.organization(), provider, { refresh: false });
      if (answer.state !== "listed") return expect.fail(JSON.stringify(answer));
      expect(answer.standardOnly).toBe(true);
      expect(answer.voices.every(({ source }) => source === "standard")).toBe(true);
      expect(ids(answer)).toContain("v");
    },
  );
});
