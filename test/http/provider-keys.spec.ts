import { KEY_PROVIDERS, type KeyProvider } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../support/request.ts";
import { startServer } from "../support/server.ts";
import { placesWith } from "../support/stored-bytes.ts";
import { openWorld, type World } from "../support/world.ts";
import { whole } from "../support/voice-listing.ts";
import { keySettings } from "../support/secret.ts";

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.stop());

const set = (provider: string, apiKey: string, more = {}) => w.admin.providerKeys.set({ provider, apiKey, ...more });
const listed = async () => (await w.admin.providerKeys.list()).providerKeys;

test("a key is stored, shown by its last four characters, replaced and removed", async () => {
  const { providerKey: made } = await set("elevenlabs", " sk_first-of-elevenlabs ");
  expect(made).toEqual({
    provider: "elevenlabs",
    hint: "labs",
    region: null,
    createdAt: made.updatedAt,
    updatedAt: expect.any(String),
  });
  const { providerKey: replaced } = await set("elevenlabs", "sk_second-one");
  expect(replaced).toMatchObject({ hint: "-one", createdAt: made.createdAt });
  expect(await listed()).toEqual([replaced]);
  await w.admin.providerKeys.delete({ provider: "elevenlabs" });
  expect(await listed()).toEqual([]);
  await expect(w.admin.providerKeys.delete({ provider: "elevenlabs" })).rejects.toMatchObject({ code: "not_found" });
});

test("every listed provider accepts a key with the fields that it requires", async () => {
  for (const provider of Object.keys(KEY_PROVIDERS) as KeyProvider[])
    expect(
      (await w.admin.providerKeys.set({ provider, ...whole(provider, "a-key-of-theirs") })).providerKey,
    ).toMatchObject({
      provider,
      region: KEY_PROVIDERS[provider].regional ? "westeurope" : null,
    });
  expect((await listed()).map(({ provider }) => provider)).toEqual(Object.keys(KEY_PROVIDERS).sort());
  for (const provider of Object.keys(KEY_PROVIDERS)) await w.admin.providerKeys.delete({ provider });
});

test("when twenty keys of a provider are set at the same time, exactly one remains", async () => {
  await Promise.all(Array.from({ length: 20 }, (_, at) => set("lmnt", `a-key-of-lmnt-${at + 10}`)));
  const keys = await listed();
  expect(keys).toEqual([expect.objectContaining({ provider: "lmnt", hint: expect.stringMatching(/^t-[12]\d$/) })]);
  await w.admin.providerKeys.delete({ provider: "lmnt" });
});

test("each organization has separate keys, and only its admins see and set them", async () => {
  await set("hume", "a-key-of-acme");
  await w.stranger.client.providerKeys.set({ provider: "hume", apiKey: "a-key-of-another" });
  expect((await listed()).map(({ hint }) => hint)).toEqual(["acme"]);
  await w.stranger.client.providerKeys.delete({ provider: "hume" });
  expect(await listed()).toHaveLength(1);
  for (const client of [w.member.client, w.viewer.client, w.client])
    await expect(client.providerKeys.list()).rejects.toMatchObject({ code: "not_permitted" });
  await w.admin.providerKeys.delete({ provider: "hume" });
});

test.each([
  ["an unknown provider", "rime", { apiKey: "long-enough" }, "not_found", /cartesia, elevenlabs/],
  [
    "a name that every object has",
    "constructor",
    { apiKey: "long-enough" },
    "not_found",
    /stores no keys for this provider/,
  ],
  ["a key that is too short", "hume", { apiKey: " 1234567 " }, "unprocessable", /apiKey/],
  ["a key that is too long", "hume", { apiKey: "k".repeat(4_097) }, "unprocessable", /apiKey/],
  ["a key over two lines", "hume", { apiKey: "long-enough\r\nx-evil: 1" }, "unprocessable", /visible ASCII/],
  ["a key with characters outside ASCII", "hume", { apiKey: "schlüssel-lang" }, "unprocessable", /visible ASCII/],
  ["a key of a regional provider without a region", "azure", { apiKey: "long-enough" }, "unprocessable", /region/],
  [
    "a region for a provider without regions",
    "hume",
    { apiKey: "long-enough", region: "eu-west-1" },
    "unprocessable",
    /[Oo]mit/,
  ],
  ["half of a pair", "polly", { apiKey: "long-enough", region: "eu-west-1" }, "unprocessable", /joined by a colon/],
])("%s is refused, and the refusal does not contain the key", async (_, provider, json, error, message) => {
  const reply = await send(w.url, { method: "PUT", path: `/v1/provider-keys/${provider}`, key: w.adminKey, json });
  expect(JSON.parse(reply.text)).toMatchObject({ error, message: expect.stringMatching(message) });
  expect(reply.text).not.toContain(json.apiKey.trim());
});

test.each([
  "evil.test/",
  "evil.test#",
  "evil.test?",
  "a.evil.test",
  "x@evil.test",
  "169.254.169.254",
  "-evil",
  "evil-",
  "West",
  "we\nst",
  "%2e%2e",
  "a:80",
  "a".repeat(33),
])("the region %j, which would change the host, is refused", async (region) => {
  await expect(set("azure", "long-enough", { region })).rejects.toMatchObject({ code: "unprocessable" });
});

test("no store contains a key in clear, and the key works after a restart", async () => {
  const server = await startServer();
  try {
    await server.admin.providerKeys.set({ provider: "deepgram", apiKey: "a-key-to-look-for" });
    await server.close();
    expect(await placesWith(server.dataDir, "deepgram")).not.toEqual({});
    expect(await placesWith(server.dataDir, "a-key-to-look-for")).toEqual({});
    const again = await startServer({
      dataDir: server.dataDir,
      settings: keySettings(server),
    });
    try {
      expect((await again.admin.providerKeys.list()).providerKeys).toMatchObject([
        { provider: "deepgram", hint: "-for" },
      ]);
      expect(await again.admin.organization.reseal()).toEqual({ resealed: 0, current: 1, unreadable: 0 });
    } finally {
      await again.stop();
    }
  } finally {
    server.remove();
  }
});
