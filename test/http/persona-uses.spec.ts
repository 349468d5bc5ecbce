import { pages } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FULL_PERSONA } from "../support/full-persona.ts";
import { send } from "../support/request.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { aTest, freshName } from "../support/world.ts";

const CALM = "prs_00000000000000000000000001";

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
const archive = async (personaId: string) => (await server.client.personas.archive({ personaId })).persona;
const freshProject = async () => (await server.admin.projects.create({ name: freshName("project") })).project.id;

describe("an archived persona", () => {
  test("an archived persona is not listed, frees its name, and is unchanged after a restore", async () => {
    const made = await create(FULL_PERSONA);
    const archived = await archive(made.id);
    expect(archived).toMatchObject({ id: made.id, archived: true, archivedAt: expect.any(String), ...FULL_PERSONA });
    expect(await archive(made.id)).toEqual(archived);
    const idsIn = async (query: object) =>
      (await server.client.personas.list({ pageSize: 200, ...query })).personas.map(({ id }) => id);
    expect(await idsIn({})).not.toContain(made.id);
    expect(await idsIn({ archived: true })).toContain(made.id);
    expect(await idsIn({ archived: true })).not.toContain(CALM);
    const { persona } = await server.client.personas.restore({ personaId: made.id });
    expect(persona).toEqual({ ...made, updatedAt: persona.updatedAt });
    expect((await server.client.personas.restore({ personaId: made.id, name: "unheeded" })).persona).toEqual(persona);
  });

  test("an archived persona gets another name when it is restored and its name is taken", async () => {
    const made = await create();
    await archive(made.id);
    await create({ name: made.name });
    const restore = (more: object = {}) => server.client.personas.restore({ personaId: made.id, ...more });
    await expect(restore()).rejects.toMatchObject({ code: "name_taken" });
    await expect(restore({ name: "calm" })).rejects.toMatchObject({ code: "name_taken" });
    const name = freshName("back");
    expect((await restore({ name })).persona).toMatchObject({ name, archived: false });
  });

  test("an archived persona is never the default, in whatever order the two requests run", async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await create();
      await Promise.allSettled([
        archive(id),
        server.client.personas.makeDefault({ personaId: id }),
        archive(id),
        server.client.personas.makeDefault({ personaId: id }),
      ]);
      const { archived, isDefault } = await get(id);
      expect([archived, isDefault].filter(Boolean)).toHaveLength(1);
    }
    await server.client.personas.makeDefault({ personaId: CALM });
  });
});

describe("the default persona", () => {
  test("the default persona is one persona for each project, a shipped one or the project's own", async () => {
    const [projectId, elsewhere] = [await freshProject(), await freshProject()];
    const { persona: own } = await server.admin.personas.create({ name: "Own", projectId });
    const defaults = async (of: string) =>
      (await server.admin.personas.list({ projectId: of })).personas
        .filter(({ isDefault }) => isDefault)
        .map(({ id }) => id);
    const made = await server.admin.personas.makeDefault({ personaId: own.id, projectId });
    expect(made.persona).toEqual({ ...own, isDefault: true });
    expect(await defaults(projectId)).toEqual([own.id]);
    expect(await defaults(elsewhere)).toEqual([CALM]);
    await server.admin.personas.makeDefault({ personaId: "prs_0000000000000000000000000c", projectId });
    expect(await defaults(projectId)).toEqual(["prs_0000000000000000000000000c"]);
  });
});

describe("a test that names a persona of the project", () => {
  const usage = async (personaId: string) => (await server.client.personas.usage({ personaId })).tests;

  test("a test can name a persona by name or id, beside a shipped one, and is in the persona's usage", async () => {
    const made = await create();
    const byName = await server.client.tests.create(aTest({ personas: [made.name, "calm"] }));
    const byId = await server.client.tests.create(aTest({ personas: [made.id] }));
    const { id, suite_id: suiteId, name, version_id: versionId } = byName;
    expect(await usage(made.id)).toEqual([expect.objectContaining({ id: byId.id }), { id, suiteId, name, versionId }]);
    await server.client.tests.edit({ testId: id, expected_version_id: versionId, personas: [] });
    await server.client.tests.delete({ testId: byId.id });
    expect(await usage(made.id)).toEqual([]);
  });

  test("a test keeps a persona that is renamed or archived, even when other members of the test are edited", async () => {
    const made = await create();
    let current = await server.client.tests.create(aTest({ personas: [made.name] }));
    const change = async (more: object) =>
      (current = await server.client.tests.edit({
        testId: current.id,
        expected_version_id: current.version_id,
        ...more,
      }));
    const renamed = await edit(made, { name: freshName("renamed") });
    await create({ name: made.name });
    await change({ scenario: "After the rename." });
    await archive(renamed.id);
    await change({ scenario: "After the archive." });
    await change({ scenario: "As a form sends it.", personas: [made.name] });
    expect(current).toMatchObject({ version: 4, personas: [made.name] });
    expect((await usage(made.id)).map(({ id }) => id)).toEqual([current.id]);
  });

  test("a test that names an archived persona is refused, until another persona has the name", async () => {
    const made = await create();
    await archive(made.id);
    for (const personas of [[made.name], [made.id]]) {
      await expect(server.client.tests.create(aTest({ personas }))).rejects.toMatchObject({
        code: "unprocessable",
        message: expect.stringContaining("is archived"),
      });
    }
    const next = await create({ name: made.name });
    const { id } = await server.client.tests.create(aTest({ personas: [made.name] }));
    expect((await usage(next.id)).map((using) => using.id)).toEqual([id]);
    expect(await usage(made.id)).toEqual([]);
  });

  test("a test is refused when a reference is the id of one persona and the name of another, or repeats a persona", async () => {
    const made = await create();
    const namedLikeIt = await create({ name: made.id });
    for (const personas of [[made.id], [namedLikeIt.id, made.id], [made.name, made.name]]) {
      await expect(server.client.tests.create(aTest({ personas }))).rejects.toMatchObject({ code: "unprocessable" });
    }
  });

  test("a test that names another project's persona gets the same refusal as for an unknown persona", async () => {
    const made = await create();
    const elsewhere = await freshProject();
    const refusalOf = async (persona: string) => {
      const json = { ...aTest({ personas: [persona] }), project: elsewhere };
      const reply = await send(server.url, { method: "POST", path: "/api/tests", key: server.adminKey, json });
      return { status: reply.status, text: reply.text.replaceAll(persona, "it") };
    };
    const theirs = await refusalOf(made.id);
    expect(theirs.status).toBe(422);
    expect(theirs).toEqual(await refusalOf("prs_06ft2v8xk3n9q4w7r1y5z0abcd"));
  });

  test("the pages of a persona's usage have each test once", async () => {
    const made = await create();
    const tests: string[] = [];
    for (let n = 0; n < 5; n++) tests.unshift((await server.client.tests.create(aTest({ personas: [made.id] }))).id);
    const seen: string[] = [];
    const listed = pages(server.client.personas.usage, { personaId: made.id, pageSize: 2 });
    for await (const { id } of listed) seen.push(id);
    expect(seen).toEqual(tests);
  });
});
