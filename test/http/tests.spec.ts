import { LIMITS, Test, TestVersion } from "@svc/contract";
import { pages, type SvcError } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStoreOf } from "../support/engine.ts";
import { jsonOf, send } from "../support/request.ts";
import { chatConnection } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { aTest, freshName, unknownId } from "../support/world.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const create = (more: Record<string, unknown> = {}) => server.client.tests.create(aTest(more));
const versionOf = (versionId: string) => server.client.tests.version({ versionId });
const bytesOf = async (path: string) => (await send(server.url, { method: "GET", path, key: server.projectKey })).text;

describe("a new test", () => {
  test("a new test has version 1 in the project's default suite, and reads back as created", async () => {
    const content = {
      scenario: "A caller asks for the opening hours.",
      expected_behaviors: ["Names the hours.", "Says goodbye."],
      personas: ["calm", "prs_00000000000000000000000002"],
      mock_tools: [
        { tool: "hours", answer: { open: [9, 17] }, delay_ms: 250 },
        { tool: "book", error: "down", delay_ms: 0 },
      ],
    };
    const made = await create(content);
    expect(made).toMatchObject({ ...content, version: 1, project_id: server.project.id });
    expect(made.created_at).toBe(made.updated_at);
    expect(await server.client.tests.get({ testId: made.id })).toEqual(made);
    const { testSuites } = await server.client.suites.list();
    expect(testSuites.find(({ isDefault }) => isDefault)!.id).toBe(made.suite_id);
    expect(await versionOf(made.version_id)).toEqual({
      id: made.version_id,
      test_id: made.id,
      test_name: made.name,
      version: 1,
      current: true,
      ...content,
      readings: made.readings,
      created_at: made.created_at,
    });
  });

  test("a new test is trimmed, except the answers of its mock tools", async () => {
    const name = freshName("trimmed");
    const made = await create({
      name: `  ${name}\n`,
      scenario: "\t text ",
      expected_behaviors: [" a "],
      personas: [" calm "],
      mock_tools: [{ tool: " t ", answer: " as is " }],
    });
    expect(made).toMatchObject({
      name,
      scenario: "text",
      expected_behaviors: ["a"],
      personas: ["calm"],
      mock_tools: [{ tool: "t", answer: " as is ", delay_ms: 0 }],
    });
  });

  test("a new test may reach each limit of the API exactly", async () => {
    const text = (characters: number) => "x".repeat(characters);
    const bytes = Buffer.byteLength(JSON.stringify({ tool: "t", answer: "" }));
    const made = await create({
      name: text(LIMITS.nameCharacters),
      scenario: text(LIMITS.scenarioCharacters),
      expected_behaviors: [
        ...Array.from({ length: LIMITS.behaviors - 1 }, (_, n) => `${n}`),
        text(LIMITS.behaviorCharacters),
      ],
      mock_tools: [
        { tool: "t", answer: text(LIMITS.mockToolBytes - bytes) },
        { tool: "u", answer: JSON.parse("[".repeat(LIMITS.mockToolDepth) + "]".repeat(LIMITS.mockToolDepth)) },
        ...Array.from({ length: LIMITS.mockTools - 2 }, (_, n) => ({
          tool: `t${n}`,
          answer: 1,
          delay_ms: LIMITS.mockToolDelayMs,
        })),
      ],
    });
    expect(Test.parse(made)).toEqual(made);
  });

  test.each([null, false, 0, "", [], {}, { "": null }, { a_b: { cD: [null] } }])(
    "a new test keeps the answer %j of a mock tool unchanged",
    async (answer) => {
      const made = await create({ mock_tools: [{ tool: "t", answer }] });
      expect(made.mock_tools).toEqual([{ tool: "t", answer, delay_ms: 0 }]);
      const { tests } = await server.client.tests.listOfSuite({ suiteId: made.suite_id, pageSize: 1 });
      expect(tests[0]!.mockTools).toEqual([{ tool: "t", answer, delayMs: 0 }]);
    },
  );

  test("a new test keeps a character that was sent as an escaped surrogate pair", async () => {
    const headers = { "content-type": "application/json" };
    const body = String.raw`{"name":"\ud83d\ude00","scenario":"\uD83D\uDE00","expected_behaviors":["x"]}`;
    const reply = await send(server.url, { method: "POST", path: "/api/tests", key: server.projectKey, body, headers });
    expect(jsonOf(reply)).toMatchObject({ name: "😀", scenario: "😀" });
  });

  test("a new test keeps a mock tool's answer with a member named __proto__", async () => {
    const body = `{"name":"${freshName("proto")}","scenario":"x","expected_behaviors":["x"],"mock_tools":[{"tool":"t","answer":{"__proto__":{"a":1}}}]}`;
    const headers = { "content-type": "application/json" };
    const reply = await send(server.url, { method: "POST", path: "/api/tests", key: server.projectKey, body, headers });
    expect(reply.status).toBe(201);
    expect(await bytesOf(`/api/tests/${jsonOf<{ id: string }>(reply).id}`)).toContain('"answer":{"__proto__":{"a":1}}');
  });

  test("a new test may have the name of a deleted test, and of another project's test", async () => {
    const first = await create();
    await server.client.tests.delete({ testId: first.id });
    const second = await create({ name: first.name });
    expect(second.id).not.toBe(first.id);
    const { project } = await server.admin.projects.create({ name: freshName("elsewhere") });
    expect((await server.admin.tests.create({ ...aTest({ name: first.name }), project: project.id })).name).toBe(
      first.name,
    );
  });
});

describe("an edit", () => {
  const edit = (made: { id: string; version_id: string }, change: Record<string, unknown>) =>
    server.client.tests.edit({ testId: made.id, expected_version_id: made.version_id, ...change });

  test.each([
    { scenario: "Another." },
    { expected_behaviors: ["Another."] },
    { personas: ["hurried"] },
    { mock_tools: [{ tool: "t", answer: null }] },
  ])(
    "an edit creates the next version when it changes the content to %j, and leaves the earlier version unchanged",
    async (change) => {
      const made = await create();
      const frozen = await versionOf(made.version_id);
      const edited = await edit(made, change);
      expect(edited).toMatchObject({ ...change, id: made.id, name: made.name, version: 2 });
      expect(edited.version_id > made.version_id).toBe(true);
      expect(await versionOf(made.version_id)).toEqual({ ...frozen, current: false });
      expect(await versionOf(edited.version_id)).toMatchObject({ ...change, version: 2, current: true });
    },
  );

  test("an edit changes nothing when it sends the default delay of a mock tool, whether the version was stored with it or without", async () => {
    const made = await create({ mock_tools: [{ tool: "t", answer: 1 }] });
    expect(made.mock_tools).toEqual([{ tool: "t", answer: 1, delay_ms: 0 }]);
    const withDelay = { mock_tools: [{ tool: "t", answer: 1, delay_ms: 0 }] };
    expect(await edit(made, withDelay)).toEqual(made);

    const { db, close } = await openStoreOf(server.dataDir);
    const old = unknownId("tstv");
    const version = db.selectFrom("test_versions").selectAll().where("id", "=", made.version_id);
    const mock_tools = JSON.stringify([{ tool: "t", answer: 1 }]);
    await db
      .insertInto("test_versions")
      .values({ ...(await version.executeTakeFirstOrThrow()), id: old, version: 2, mock_tools })
      .execute();
    await db.updateTable("tests").set({ current_version_id: old }).where("id", "=", made.id).execute();
    await close();
    expect(await versionOf(old)).toMatchObject(withDelay);
    for (const change of [withDelay, { mock_tools: [{ tool: "t", answer: 1 }] }])
      expect(await edit({ ...made, version_id: old }, change)).toMatchObject({ version: 2, version_id: old });
  });

  test("an edit changes nothing when it sends the same content apart from white space", async () => {
    const made = await create({ personas: ["calm"], mock_tools: [{ tool: "t", answer: { a: 1, b: [2] } }] });
    const before = await bytesOf(`/api/tests/${made.id}`);
    const same = {
      scenario: `  ${made.scenario}\n`,
      expected_behaviors: made.expected_behaviors.map((text) => ` ${text} `),
      personas: [" calm"],
    };
    expect(await edit(made, { ...same, mock_tools: [{ answer: { b: [2], a: 1 }, tool: "t" }] })).toEqual(made);
    expect(await edit(made, {})).toEqual(made);
    expect(await bytesOf(`/api/tests/${made.id}`)).toBe(before);
  });

  test("an edit creates no version when it changes only the name, and versions show the new name", async () => {
    const made = await create();
    const name = freshName("renamed");
    const renamed = await edit(made, { name });
    expect(renamed).toEqual({ ...made, name, updated_at: renamed.updated_at });
    expect(await versionOf(made.version_id)).toMatchObject({ test_name: name, version: 1, current: true });
  });

  test("an edit does not change the content when its name is refused", async () => {
    const [one, other] = [await create(), await create()];
    await expect(edit(one, { name: other.name, scenario: "Not kept." })).rejects.toMatchObject({ code: "name_taken" });
    expect(await server.client.tests.get({ testId: one.id })).toEqual(one);
    expect((await server.client.tests.versions({ testId: one.id })).items).toHaveLength(1);
  });

  test("an edit replaces a whole list; [] means the default persona, an absent list stays unchanged", async () => {
    const made = await create({ personas: ["calm"], expected_behaviors: ["a", "b"] });
    const second = await edit(made, { expected_behaviors: ["b"] });
    expect(second).toMatchObject({ expected_behaviors: ["b"], personas: ["calm"] });
    expect(await edit(second, { personas: [] })).toMatchObject({ personas: [], version: 3 });
  });

  test("an edit creates a new version when it returns to an earlier content", async () => {
    const made = await create();
    const away = await edit(made, { scenario: "Away." });
    expect(await edit(away, { scenario: made.scenario })).toMatchObject({ version: 3, scenario: made.scenario });
  });

  test("an edit succeeds for one of twenty writers who expect the same version, in each round; version numbers have no gaps", async () => {
    let current = await create();
    const seen = new Map<string, string>();
    for (let round = 2; round <= 6; round++) {
      seen.set(current.version_id, await bytesOf(`/api/test-versions/${current.version_id}`));
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) => edit(current, { scenario: `Round ${round}, writer ${n}.` })),
      );
      const won = outcomes.filter((outcome) => outcome.status === "fulfilled").map(({ value }) => value);
      expect(won).toHaveLength(1);
      const lost = outcomes.filter((outcome) => outcome.status === "rejected").map(({ reason }) => reason as SvcError);
      for (const { code, details } of lost) {
        expect(code).toBe("version_conflict");
        expect(details).toMatchObject({
          expected_version_id: current.version_id,
          current_version_id: won[0]!.version_id,
          current: won[0],
        });
      }
      current = won[0]!;
      expect(current.version).toBe(round);
    }
    const { items } = await server.client.tests.versions({ testId: current.id });
    expect(items.map(({ version }) => version)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(items.filter(({ current }) => current).map(({ version }) => version)).toEqual([6]);
    for (const [id, bytes] of seen) {
      const after = await bytesOf(`/api/test-versions/${id}`);
      expect(after).toBe(bytes.replace('"current":true', '"current":false'));
    }
  });
});

describe("a deleted test", () => {
  test("a deleted test is in no list; its versions stay readable and are not current", async () => {
    const made = await create();
    const version = await versionOf(made.version_id);
    await server.client.tests.delete({ testId: made.id });
    const gone = { code: "not_found" };
    await expect(server.client.tests.get({ testId: made.id })).rejects.toMatchObject(gone);
    await expect(server.client.tests.delete({ testId: made.id })).rejects.toMatchObject(gone);
    await expect(
      server.client.tests.edit({ testId: made.id, expected_version_id: made.version_id }),
    ).rejects.toMatchObject(gone);
    expect((await server.client.tests.list({ limit: 200 })).items.map(({ id }) => id)).not.toContain(made.id);
    expect(await versionOf(made.version_id)).toEqual({ ...version, current: false });
    expect((await server.client.tests.versions({ testId: made.id })).items.map(({ id }) => id)).toEqual([
      made.version_id,
    ]);
  });
});

describe("an unlisted test", () => {
  test("an unlisted test is a deleted test from the start, and a run plays its version", async () => {
    const name = freshName("unlisted");
    const made = await create({ name, unlisted: true });
    await expect(server.client.tests.get({ testId: made.id })).rejects.toMatchObject({ code: "not_found" });
    expect((await server.client.tests.list({ limit: 200 })).items.map(({ id }) => id)).not.toContain(made.id);
    expect(await versionOf(made.version_id)).toMatchObject({ test_name: name, current: false });
    const { agentId, connectionId } = await chatConnection(server.client, "http://127.0.0.1:9/");
    const planned = await server.client.runs.create({
      testVersions: [made.version_id],
      agentId,
      connectionId,
      dryRun: "true",
    });
    expect(planned).toMatchObject({ plan: { simulationCount: 1 } });
    expect((await create({ name })).id).not.toBe(made.id);
  });
});

describe("a list of tests", () => {
  test("the pages of a list have each test once, newest first, while new tests are created", async () => {
    const { project } = await server.admin.projects.create({ name: freshName("paging") });
    const make = async () => (await server.admin.tests.create({ ...aTest(), project: project.id })).id;
    const old: string[] = [];
    for (let n = 0; n < 23; n++) old.unshift(await make());
    const seen: string[] = [];
    const list = pages(server.admin.tests.list, { project: project.id, limit: 5 });
    for await (const { id } of list) {
      if (seen.push(id) % 3 === 0) await make();
    }
    expect(seen).toEqual(old);
  });

  test("a list of tests ends with a null cursor exactly at the last item", async () => {
    const { project } = await server.admin.projects.create({ name: freshName("exact") });
    expect(await server.admin.tests.list({ project: project.id })).toEqual({ items: [], next_cursor: null });
    for (let n = 0; n < 4; n++) await server.admin.tests.create({ ...aTest(), project: project.id });
    const first = await server.admin.tests.list({ project: project.id, limit: 2 });
    expect(first.next_cursor).toBe(first.items[1]!.id);
    const last = await server.admin.tests.list({ project: project.id, limit: 2, cursor: first.next_cursor! });
    expect(last).toMatchObject({ items: [{}, {}], next_cursor: null });
  });

  test("the pages of a test's versions are newest first too", async () => {
    let current = await create();
    for (let n = 2; n <= 5; n++) {
      current = await server.client.tests.edit({
        testId: current.id,
        expected_version_id: current.version_id,
        scenario: `${n}`,
      });
    }
    const seen: number[] = [];
    const list = pages(server.client.tests.versions, { testId: current.id, limit: 2 });
    for await (const version of list) seen.push(TestVersion.parse(version).version);
    expect(seen).toEqual([5, 4, 3, 2, 1]);
  });
});
