import { createHash } from "node:crypto";
import { LIMITS, Persona } from "@svc/contract";
import { type SvcError, pages } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStoreOf } from "../support/engine.ts";
import { FULL_PERSONA } from "../support/full-persona.ts";
import { send } from "../support/request.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { freshName } from "../support/world.ts";

const CALM = "prs_00000000000000000000000001";
const SHIPPED_NAMES = [
  "adversarial",
  "spelling-names",
  "code-switching",
  "silent",
  "interrupting",
  "noisy-line",
  "non-native",
  "elderly",
  "angry",
  "confused",
  "hurried",
  "calm",
];

/** Digests of the built-in persona versions. If a digest differs, restore the old version and add your change as a new version. */
const FROZEN = {
  "adversarial 1": "80639c743cdd",
  "angry 1": "2f1c18cf94ce",
  "calm 1": "8240492580b8",
  "code-switching 1": "4c9e05b9a423",
  "confused 1": "a7b217f0e554",
  "elderly 1": "561ee6c4a105",
  "hurried 1": "37908dcab484",
  "interrupting 1": "efccb770ae9b",
  "noisy-line 1": "6b67a820a444",
  "non-native 1": "507fb9a6cae7",
  "silent 1": "a90dece5029d",
  "spelling-names 1": "cd03baed7fcf",
};

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

type Made = Awaited<ReturnType<typeof create>>;

const create = async (more: Record<string, unknown> = {}) =>
  (await server.client.personas.create({ name: freshName("persona"), ...more })).persona;
const get = async (personaId: string) => (await server.client.personas.get({ personaId })).persona;
const edit = async ({ id, versionId }: Made, change: Record<string, unknown>) =>
  (await server.client.personas.edit({ personaId: id, expectedVersionId: versionId, ...change })).persona;
const versionOf = async (versionId: string) => (await server.client.personas.version({ versionId })).version;
const archive = async (personaId: string) => (await server.client.personas.archive({ personaId })).persona;
const bytesOf = async (path: string) => (await send(server.url, { method: "GET", path, key: server.projectKey })).text;
const freshProject = async () => (await server.admin.projects.create({ name: freshName("project") })).project.id;

describe("the shipped personas", () => {
  test("every project has twelve shipped personas, all with traits; calm is the default", async () => {
    const { personas, nextPageToken } = await server.admin.personas.list({ projectId: await freshProject() });
    expect(personas.map(({ name }) => name)).toEqual(SHIPPED_NAMES);
    expect(personas.filter(({ isDefault }) => isDefault).map(({ id }) => id)).toEqual([CALM]);
    expect(nextPageToken).toBeNull();
    for (const persona of personas) {
      expect(persona).toMatchObject({ source: "shipped", version: 1, projectId: null, createdAt: null });
      expect(persona.traits.personality!.length).toBeGreaterThan(40);
      expect(Object.keys(persona.traits).length).toBeGreaterThan(2);
      expect((await get(persona.id)).name).toBe(persona.name);
      expect(await versionOf(persona.versionId)).toMatchObject({ personaId: persona.id, current: true });
    }
  });

  test("the shipped personas keep the content of each version, because runs pin it", async () => {
    const { personas } = await server.admin.personas.list({ projectId: await freshProject() });
    const digests: Record<string, string> = {};
    for (const { id, name } of personas) {
      const { versions } = await server.client.personas.versions({ personaId: id });
      for (const { id: versionId, version, traits, models } of versions) {
        expect(versionId).toMatch(/^prsv_0{21}[1-9a-c]\d{4}$/);
        const hash = createHash("sha256").update(JSON.stringify({ traits, models }));
        digests[`${name} ${version}`] = hash.digest("hex").slice(0, 12);
      }
    }
    expect(digests).toEqual(FROZEN);
  });

  test("the shipped personas are forked into personas of the project, whose edits leave the shipped ones unchanged", async () => {
    const angry = (await server.client.personas.list({ search: "angry" })).personas[0]!;
    const name = freshName("angrier");
    const { persona } = await server.client.personas.fork({ personaId: angry.id, name });
    expect(persona).toMatchObject({ name, source: "own", version: 1, traits: angry.traits, isDefault: false });
    const edited = await edit(persona, { traits: { ...angry.traits, patience: "high" } });
    expect(edited.traits.patience).toBe("high");
    expect(await get(angry.id)).toEqual(angry);
  });
});

describe("a persona", () => {
  test("a persona is created with all its traits and reads back as created", async () => {
    const made = await create(FULL_PERSONA);
    expect(made).toMatchObject({
      ...FULL_PERSONA,
      version: 1,
      source: "own",
      archived: false,
      projectId: server.project.id,
    });
    expect(Persona.parse(made)).toEqual(made);
    expect(await get(made.id)).toEqual(made);
    expect(await versionOf(made.versionId)).toEqual({
      id: made.versionId,
      personaId: made.id,
      personaName: made.name,
      version: 1,
      current: true,
      ...FULL_PERSONA,
      createdAt: made.createdAt,
    });
  });

  test("a persona may have only a name; absent traits and models stay absent", async () => {
    const name = freshName("bare");
    expect(await create({ name: `  ${name} ` })).toMatchObject({ name, traits: {}, models: {} });
  });

  test.each([
    ["traits", { traits: { pace: "slow" } }],
    ["models", { models: { speed: 0.9 } }],
  ])("a persona gets a new version when its %s change, and the earlier version stays unchanged", async (_, change) => {
    const made = await create(FULL_PERSONA);
    const frozen = await versionOf(made.versionId);
    const edited = await edit(made, change);
    expect(edited).toMatchObject({ ...FULL_PERSONA, ...change, id: made.id, version: 2 });
    expect(await versionOf(made.versionId)).toEqual({ ...frozen, current: false });
    expect(await versionOf(edited.versionId)).toMatchObject({ ...FULL_PERSONA, ...change, version: 2, current: true });
  });

  test("a persona does not change when an edit sends the same content, untrimmed and in another order", async () => {
    const made = await create(FULL_PERSONA);
    const before = await bytesOf(`/v1/personas/${made.id}`);
    const traits = Object.fromEntries(Object.entries({ ...FULL_PERSONA.traits, accent: " brazilian" }).reverse());
    expect(await edit(made, { traits, models: FULL_PERSONA.models, name: ` ${made.name} ` })).toEqual(made);
    expect(await edit(made, {})).toEqual(made);
    expect(await bytesOf(`/v1/personas/${made.id}`)).toBe(before);
  });

  test("a persona keeps its version when it is renamed, and the version shows the new name", async () => {
    const made = await create();
    const name = freshName("renamed");
    expect(await edit(made, { name })).toMatchObject({ name, versionId: made.versionId, version: 1 });
    expect(await versionOf(made.versionId)).toMatchObject({ personaName: name, version: 1 });
  });

  test("a persona may have the name of an archived persona, and of another project's persona", async () => {
    const first = await create();
    const projectId = await freshProject();
    expect((await server.admin.personas.create({ name: first.name, projectId })).persona.name).toBe(first.name);
    await archive(first.id);
    expect((await create({ name: first.name })).id).not.toBe(first.id);
  });

  test("a persona gets one version in each round in which twenty writers expect the same version", async () => {
    let current = await create();
    const seen = new Map<string, string>();
    for (let round = 2; round <= 5; round++) {
      seen.set(current.versionId, await bytesOf(`/v1/persona-versions/${current.versionId}`));
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) => edit(current, { traits: { personality: `Round ${round}, ${n}.` } })),
      );
      const won = outcomes.filter((outcome) => outcome.status === "fulfilled").map(({ value }) => value);
      expect(won).toHaveLength(1);
      for (const outcome of outcomes.filter(({ status }) => status === "rejected") as PromiseRejectedResult[]) {
        const { code, details } = outcome.reason as SvcError;
        expect({ code, ...details }).toMatchObject({
          code: "version_conflict",
          expectedVersionId: current.versionId,
          currentVersionId: won[0]!.versionId,
          current: won[0],
        });
      }
      current = won[0]!;
    }
    const { versions } = await server.client.personas.versions({ personaId: current.id });
    expect(versions.map(({ version }) => version)).toEqual([5, 4, 3, 2, 1]);
    expect(versions.map(({ current: isCurrent }) => isCurrent)).toEqual([true, false, false, false, false]);
    for (const [id, bytes] of seen) {
      expect(await bytesOf(`/v1/persona-versions/${id}`)).toBe(bytes.replace('"current":true', '"current":false'));
    }
  });

  test("a persona has versions that not even SQL can change", async () => {
    const { versionId } = await create();
    const { db, close } = await openStoreOf(server.dataDir);
    const change = db.updateTable("persona_versions").set({ traits: "{}" }).where("id", "=", versionId).execute();
    await expect(change).rejects.toThrow("a persona version is never changed");
    await close();
  });

  test("a persona may reach every limit of the interface exactly", async () => {
    const text = "x".repeat(LIMITS.capabilityNameCharacters);
    const made = await create({
      name: "p".repeat(LIMITS.nameCharacters),
      traits: { personality: "x".repeat(LIMITS.personalityCharacters), accent: text, emotion: text },
      models: { llm: text, speed: LIMITS.multipleMin, volume: LIMITS.multipleMax },
    });
    expect(Persona.parse(made)).toEqual(made);
  });
});

describe("a persona's models", () => {
  const tts = (provider: string, model: string) => ({ models: { tts: { provider, model } } });
  const openai = tts("openai", "tts-1");

  test.each([
    ["emotion", { ...openai, traits: { emotion: "angry" } }, "accept no instructions for the delivery"],
    ["accent", { ...openai, traits: { accent: "british" } }, "accept no instructions for the delivery"],
    ["speed", { models: { ...openai.models, speed: 9 } }, "9 is not among 0.25 to 4 in steps"],
    ["speechVolume", { models: { ...openai.models, volume: 3 } }, "3 is not among 0.5 to 1.5"],
    ["voices", tts("playht", "play3.0-mini"), "shut its API down"],
    ["voices", tts("openai", "tts-99"), "is not known to this release"],
    [
      "language",
      { models: { ...openai.models, stt: { provider: "cartesia", model: "ink-2" } }, traits: { language: "fr" } },
      "does not recognize fr",
    ],
  ])(
    "a persona is refused with the reason when its models do not support the member %s, and nothing is saved",
    async (member, content, reason) => {
      const refusal = { code: "unprocessable", message: expect.stringContaining(reason), details: { member } };
      await expect(create(content)).rejects.toMatchObject(refusal);
      const made = await create();
      await expect(edit(made, content)).rejects.toMatchObject(refusal);
      expect(await get(made.id)).toEqual(made);
    },
  );

  test("an edit is refused when it adds an unsupported trait, and when it adds models that do not support a trait", async () => {
    const speaking = await create(openai);
    await expect(edit(speaking, { traits: { emotion: "angry" } })).rejects.toMatchObject({ code: "unprocessable" });
    const { persona: angry } = await server.client.personas.fork({
      personaId: "prs_00000000000000000000000004",
      name: freshName("angry"),
    });
    await expect(edit(angry, openai)).rejects.toMatchObject({ code: "unprocessable" });
    expect(await edit(angry, tts("openai", "gpt-4o-mini-tts"))).toMatchObject({ version: 2 });
  });

  test("a stale edit is refused as stale, even if the models do not support a trait", async () => {
    const made = await create();
    await edit(made, { traits: { pace: "slow" } });
    await expect(edit(made, tts("openai", "tts-99"))).rejects.toMatchObject({ code: "version_conflict" });
  });

  test("models are saved unchecked with an unlisted voice of an account, and so are traits without a synthesis model", async () => {
    const unlisted = { tts: { provider: "cartesia", model: "sonic-3" }, voiceId: "a-clone-of-mine" };
    expect(await create({ models: unlisted })).toMatchObject({ models: unlisted });
    const traits = { accent: "martian", emotion: "sublime", language: "tlh" };
    const models = { stt: { provider: "nobody", model: "nothing" }, speed: 9 };
    expect(await create({ traits, models })).toMatchObject({ traits, models });
  });
});

describe("a list of personas", () => {
  test("a list has the project's personas newest first, then the shipped ones, each once at every page size", async () => {
    const projectId = await freshProject();
    const own: string[] = [];
    for (let n = 0; n < 5; n++)
      own.unshift((await server.admin.personas.create({ name: freshName("persona"), projectId })).persona.name);
    for (let pageSize = 1; pageSize <= 18; pageSize++) {
      const seen: string[] = [];
      const listed = pages(server.admin.personas.list, { projectId, pageSize });
      for await (const { name } of listed) seen.push(name);
      expect(seen).toEqual([...own, ...SHIPPED_NAMES]);
    }
  });

  test("a search finds a part of a name in either case, and treats a wildcard as a plain character", async () => {
    const projectId = await freshProject();
    const named = async (search: string) =>
      (await server.admin.personas.list({ projectId, search })).personas.map(({ name }) => name);
    await server.admin.personas.create({ name: "Ärgerlicher Kunde 100%", projectId });
    expect(await named("ÄRGER")).toEqual(["Ärgerlicher Kunde 100%"]);
    expect(await named("0%")).toEqual(["Ärgerlicher Kunde 100%"]);
    expect(await named("%r%")).toEqual([]);
    expect(await named("ANGRY")).toEqual(["angry"]);
  });
});
