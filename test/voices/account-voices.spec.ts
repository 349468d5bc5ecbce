import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { VoiceListing } from "../../packages/server/src/voice/capabilities/voice-listing.ts";
import { needsStoreFile } from "../support/engine.ts";
import { answerJson } from "../support/fake-service.ts";
import { placesWith } from "../support/stored-bytes.ts";
import { until } from "../support/until.ts";
import { openVoiceListing } from "../support/voice-listing.ts";
import { openVoiceProviders } from "../support/voice-providers.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let fake: Awaited<ReturnType<typeof openVoiceProviders>>;
const listing = await openVoiceListing();
let nowMs = Date.parse("2026-11-21T09:00:00Z");
const around = { addressOf: (provider: string) => fake.addressOf(provider), now: () => nowMs };

beforeAll(async () => {
  fake = await openVoiceProviders();
});
afterAll(() => Promise.all([fake.close(), listing.close()]));
beforeEach(() => {
  fake.received.length = 0;
  lists(() => [voiceOf("one")]);
});

const voiceOf = (key: string) => ({ id: `own-${key}`, name: `Mine of ${key}`, own: true });
const lists = (voices: (key: string) => ReturnType<typeof voiceOf>[]) => fake.behave("cartesia", { voices });
const isDown = (status = 500) => fake.behave("cartesia", { instead: (response) => answerJson(response, status, {}) });
const asked = () => fake.asked("cartesia");
const namesIn = (answer: VoiceListing) =>
  answer.state === "listed" ? answer.voices.map(({ name }) => name) : answer.state;

async function organizationWith(apiKey = "the-first-key") {
  const organizationId = await listing.organization();
  await listing.setKey(organizationId, "cartesia", apiKey);
  return organizationId;
}

const ask = { refresh: false };
const insist = { refresh: true };

describe("a list of voices", () => {
  test("fifty requests at the same time cause one fetch, and no other fetch follows for five minutes", async () => {
    const [organizationId, { list }] = [await organizationWith(), listing.open(around)];
    const answers = await Promise.all(Array.from({ length: 50 }, () => list(organizationId, "cartesia", ask)));
    expect(asked()).toBe(1);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    nowMs += 5 * MINUTE - 1;
    await list(organizationId, "cartesia", ask);
    expect(asked()).toBe(1);
    nowMs += 1;
    await list(organizationId, "cartesia", ask);
    expect(asked()).toBe(2);
  });

  test("a list survives a restart and stays fresh for the same time as without a restart", async () => {
    const organizationId = await organizationWith();
    const before = await listing.open(around).list(organizationId, "cartesia", ask);
    nowMs += MINUTE;
    expect(await listing.open(around).list(organizationId, "cartesia", ask)).toEqual(before);
    expect(asked()).toBe(1);
    nowMs += 5 * MINUTE;
    await listing.open(around).list(organizationId, "cartesia", ask);
    expect(asked()).toBe(2);
  });

  test("a public list is fetched once an hour for everyone and cannot be refreshed sooner", async () => {
    fake.behave("rime", { voices: () => [{ id: "luna", name: "luna" }] });
    const { list } = listing.open(around);
    const [one, other] = [await listing.organization(), await listing.organization()];
    for (const organizationId of [one, other, one]) await list(organizationId, "rime", insist);
    expect(await list(other, "rime", ask)).toMatchObject({ state: "listed", voices: [{ id: "luna" }] });
    expect(fake.asked("rime")).toBe(1);
    nowMs += HOUR;
    await list(one, "rime", ask);
    expect(fake.asked("rime")).toBe(2);
  });

  test("a fetch continues while one caller waits and is canceled when the last caller leaves", async () => {
    const [organizationId, { list }] = [await organizationWith(), listing.open(around)];
    let answer = () => {};
    let closed = false;
    fake.behave("cartesia", {
      instead(response) {
        answer = () => answerJson(response, 200, { data: [], has_more: false });
        response.on("close", () => (closed = true));
      },
    });
    const leaving = new AbortController();
    const stayed = list(organizationId, "cartesia", ask);
    await until("the provider is asked", () => asked() === 1);
    const left = list(organizationId, "cartesia", { ...ask, signal: leaving.signal });
    leaving.abort();
    expect(await left).toEqual({ state: "failed", reason: "The request was canceled." });
    answer();
    expect(await stayed).toMatchObject({ state: "listed" });

    nowMs += 5 * MINUTE;
    closed = false;
    const last = new AbortController();
    const alone = list(organizationId, "cartesia", { ...ask, signal: last.signal });
    await until("the provider is asked again", () => asked() === 2);
    last.abort();
    expect(await alone).toMatchObject({ reason: "The request was canceled." });
    await until("the call is ended", () => closed);
    lists(() => [voiceOf("one")]);
    expect(await list(organizationId, "cartesia", ask)).not.toHaveProperty("ageSeconds");
  });

  test("a list shows the account's voices first, then sorts by name, and says that it is cut", async () => {
    const { list } = listing.open(around);
    const standard = Array.from({ length: 2_500 }, (_, at) => ({ id: `s-${at}`, name: `Voice ${2_500 - at}` }));
    fake.behave("lmnt", { voices: () => [...standard, { id: "mine", name: "Zoe", own: true }, standard[0]!] });
    const organizationId = await listing.organization();
    await listing.setKey(organizationId, "lmnt", "a-key-of-lmnt");
    const answer = await list(organizationId, "lmnt", ask);
    expect(answer).toMatchObject({ state: "listed", cut: true });
    const names = namesIn(answer) as string[];
    expect(names).toHaveLength(2_000);
    expect(names.slice(0, 3)).toEqual(["Zoe", "Voice 1", "Voice 10"]);
    expect(new Set(answer.state === "listed" ? answer.voices.map(({ id }) => id) : []).size).toBe(2_000);
  });
});

test("the limit of a list applies to each model separately, so that many voices of one model displace no voice of another", async () => {
  const { list } = listing.open(around);
  const many = Array.from({ length: 2_001 }, (_, at) => ({ id: `en-US-Chirp3-HD-${at}`, name: "" }));
  fake.behave("google", { voices: () => [...many, { id: "zu-ZA-Wavenet-A", name: "" }] });
  const organizationId = await listing.organization();
  await listing.setKey(organizationId, "google", "a-key-of-google");
  const answer = await list(organizationId, "google", ask);
  expect(answer).toMatchObject({ state: "listed", cut: true });
  expect(namesIn(answer)).toHaveLength(2_001);
  expect(namesIn(answer)).toContain("zu-ZA-Wavenet-A");
});

describe("when the provider fails", () => {
  test("a copy of up to 24 hours is shown with its age, and an older copy is not shown", async () => {
    const organizationId = await organizationWith();
    await listing.open(around).list(organizationId, "cartesia", ask);
    isDown();
    nowMs += 24 * HOUR - 1_000;
    for (const { list } of [listing.open(around), listing.open(around)]) {
      expect(await list(organizationId, "cartesia", ask)).toMatchObject({
        state: "listed",
        ageSeconds: 24 * 3_600 - 1,
        voices: [{ name: "Mine of one" }],
      });
    }
    nowMs += 1_000;
    expect(await listing.open(around).list(organizationId, "cartesia", ask)).toEqual({
      state: "failed",
      reason: "cartesia answered with HTTP 500.",
    });
  });

  test("after a refusal of the key, no older copy of the list is shown", async () => {
    const [organizationId, { list }] = [await organizationWith(), listing.open(around)];
    await list(organizationId, "cartesia", ask);
    isDown(401);
    nowMs += HOUR;
    expect(await list(organizationId, "cartesia", ask)).toEqual({
      state: "failed",
      reason: "The cartesia key was refused.",
    });
  });

  test("the provider receives no other request for half a minute, except for a refresh", async () => {
    const [organizationId, { list }] = [await organizationWith(), listing.open(around)];
    isDown();
    for (let times = 0; times < 5; times++) await list(organizationId, "cartesia", ask);
    expect(asked()).toBe(1);
    lists(() => [voiceOf("one")]);
    expect(await list(organizationId, "cartesia", insist)).toMatchObject({ state: "listed" });
    expect(asked()).toBe(2);

    isDown();
    nowMs += 6 * MINUTE;
    await list(organizationId, "cartesia", ask);
    nowMs += 30_000;
    await list(organizationId, "cartesia", ask);
    expect(asked()).toBe(4);
  });
});

describe("a refresh", () => {
  test("a refresh asks the provider at once; the same organization can refresh the same provider again after ten seconds", async () => {
    const [one, other, { list }] = [await organizationWith(), await organizationWith(), listing.open(around)];
    await list(one, "cartesia", ask);
    lists(() => [voiceOf("two")]);
    expect(namesIn(await list(one, "cartesia", insist))).toEqual(["Mine of two"]);
    nowMs += 3_500;
    await expect(list(one, "cartesia", insist)).rejects.toMatchObject({
      code: "too_many_requests",
      retryAfterSeconds: 7,
    });
    expect(namesIn(await list(one, "cartesia", ask))).toEqual(["Mine of two"]);
    await list(other, "cartesia", insist);
    nowMs += 6_500;
    await list(one, "cartesia", insist);
    expect(asked()).toBe(4);
  });

  test("a failed refresh keeps the copy", async () => {
    const [organizationId, { list }] = [await organizationWith(), listing.open(around)];
    await list(organizationId, "cartesia", ask);
    isDown();
    nowMs += MINUTE;
    expect(await list(organizationId, "cartesia", insist)).toMatchObject({ state: "listed", ageSeconds: 60 });
  });
});

describe("a provider key", () => {
  const deploymentKeys = { cartesia: { apiKey: "the-deployment-key", region: undefined } };

  test("the voices of an organization's key are invisible to other organizations", async () => {
    lists((key) => [voiceOf(key), { ...voiceOf("everybody"), own: false }]);
    const { list } = listing.open({ ...around, deploymentKeys });
    const [one, other, none] = [
      await organizationWith("key-of-one"),
      await organizationWith("key-of-other"),
      await listing.organization(),
    ];
    const seen = { [one]: new Set<string>(), [other]: new Set<string>(), [none]: new Set<string>() };
    const calls = Array.from({ length: 1_000 }, async (_, at) => {
      const organizationId = [one, other, none][at % 3]!;
      if (at % 100 === 0) nowMs += 6 * MINUTE;
      if (at % 10 === 0) await new Promise(setImmediate);
      const names = namesIn(await list(organizationId, "cartesia", ask)) as string[];
      for (const name of names) seen[organizationId]!.add(name);
    });
    await Promise.all(calls);
    expect([...seen[one]!]).toEqual(["Mine of key-of-one", "Mine of everybody"]);
    expect([...seen[other]!]).toEqual(["Mine of key-of-other", "Mine of everybody"]);
    expect([...seen[none]!]).toEqual(["Mine of everybody"]);
    expect(asked()).toBeLessThan(100);
  });

  test("a new key shows no voices of the earlier key, even while the earlier listing is still running", async () => {
    const organizationId = await organizationWith("the-first-key");
    const { list } = listing.open(around);
    let answer: (() => void) | undefined;
    fake.behave("cartesia", {
      instead: (response) =>
        (answer = () => answerJson(response, 200, { data: [{ id: "x", name: "First" }], has_more: false })),
    });
    const slow = list(organizationId, "cartesia", ask);
    await until("the provider is asked", () => answer);
    await listing.setKey(organizationId, "cartesia", "the-second-key");
    answer!();
    expect(namesIn(await slow)).toEqual(["First"]);
    expect(await catalogsOf(organizationId)).toEqual([]);

    lists((key) => [voiceOf(key)]);
    expect(namesIn(await list(organizationId, "cartesia", ask))).toEqual(["Mine of the-second-key"]);
    isDown();
    await listing.setKey(organizationId, "cartesia", "the-third-key");
    expect(await list(organizationId, "cartesia", ask)).toMatchObject({ state: "failed" });
    expect(await catalogsOf(organizationId)).toEqual([]);
  });

  test("the deletion of a provider's key deletes its voices; afterwards standard voices are listed with the service's own key, or the answer is `no_key`", async () => {
    lists((key) => [voiceOf(key), { ...voiceOf("everybody"), own: false }]);
    const organizationId = await organizationWith();
    await listing.open(around).list(organizationId, "cartesia", ask);
    expect(await catalogsOf(organizationId)).toHaveLength(1);
    await listing.keys.delete(organizationId, "cartesia");
    expect(await catalogsOf(organizationId)).toEqual([]);
    expect(await listing.open(around).list(organizationId, "cartesia", ask)).toEqual({ state: "no_key" });
    expect(await listing.open({ ...around, deploymentKeys }).list(organizationId, "cartesia", ask)).toMatchObject({
      state: "listed",
      standardOnly: true,
      voices: [{ name: "Mine of everybody" }],
    });
  });

  test("a provider's key that cannot be decrypted is a failure, and the service's own key does not replace it", async () => {
    const other = await openVoiceListing("another sealing key, long enough");
    try {
      const organizationId = await other.organization();
      await other.setKey(organizationId, "cartesia", "the-first-key");
      await other.db.updateTable("sealed_credentials").set({ envelope: "v1.gone.aaaa.bbbb" }).execute();
      const { list } = other.open({ ...around, deploymentKeys });
      expect(await list(organizationId, "cartesia", ask)).toEqual({
        state: "failed",
        reason: "The stored cartesia key cannot be opened; set it again.",
      });
      expect(asked()).toBe(0);
    } finally {
      await other.close();
    }
  });

  test("no store contains a key in clear", async () => {
    const organizationId = await organizationWith("a-key-to-look-for");
    await listing.open({ ...around, deploymentKeys }).list(organizationId, "cartesia", ask);
    await listing.open({ ...around, deploymentKeys }).list(await listing.organization(), "cartesia", ask);
    expect(await placesWith(listing.dataDir, organizationId)).not.toEqual({});
    for (const key of ["a-key-to-look-for", "the-deployment-key"])
      expect(await placesWith(listing.dataDir, key)).toEqual({});
  });
});

test("a provider without a list and an unknown provider are not listable", async () => {
  const { list } = listing.open(around);
  for (const provider of ["openai", "groq", "playht", "", "__proto__", "constructor", "toString"])
    expect(await list(await listing.organization(), provider, insist)).toEqual({ state: "not_listable" });
});

test("a list of voices is returned and kept in memory when the store cannot save it", async (context) => {
  needsStoreFile(context);
  const [organizationId, { list }] = [await organizationWith(), listing.open(around)];
  await sql`CREATE TRIGGER full_disk BEFORE INSERT ON voice_catalogs BEGIN SELECT RAISE (ABORT, 'no room'); END`.execute(
    listing.db,
  );
  try {
    for (let times = 0; times < 2; times++)
      expect(namesIn(await list(organizationId, "cartesia", ask))).toEqual(["Mine of one"]);
    expect(asked()).toBe(1);
  } finally {
    await sql`DROP TRIGGER full_disk`.execute(listing.db);
  }
});

const catalogsOf = (organizationId: string) =>
  listing.db.selectFrom("voice_catalogs").selectAll().where("owner", "=", organizationId).execute();
