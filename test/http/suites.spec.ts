import { pages } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { aTest, freshName } from "../support/world.ts";

let server: SharedServer;
beforeAll(async () => {
  server = await shareServer();
});
afterAll(() => server.stop());

const create = async (name = freshName("suite")) => (await server.client.suites.create({ name })).testSuite;

test("a new project has exactly one suite, named Default", async () => {
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  const { testSuites, nextPageToken } = await server.admin.suites.list({ projectId: project.id });
  expect(testSuites).toMatchObject([{ name: "Default", isDefault: true, testCount: 0, projectId: project.id }]);
  expect(nextPageToken).toBeNull();
});

test("a suite is created, read, renamed and listed with the number of its tests", async () => {
  const made = await create();
  expect(made).toMatchObject({ isDefault: false, testCount: 0 });
  await server.client.tests.create({ ...aTest(), suite: made.id });
  await server.client.tests.create({ ...aTest(), suite: made.name });
  const gone = await server.client.tests.create({ ...aTest(), suite: made.id });
  await server.client.tests.delete({ testId: gone.id });
  const name = freshName("renamed");
  const { testSuite } = await server.client.suites.edit({ suiteId: made.id, name: ` ${name} ` });
  expect(testSuite).toEqual({ ...made, name, testCount: 2, updatedAt: testSuite.updatedAt });
  expect((await server.client.suites.get({ suiteId: made.id })).testSuite).toEqual(testSuite);
  expect((await server.client.suites.list({ pageSize: 200 })).testSuites).toContainEqual(testSuite);
});

test("a test that is created while its suite is deleted is refused or deleted with it", async () => {
  for (let n = 0; n < 5; n++) {
    const suite = await create();
    const [created] = await Promise.allSettled([
      server.client.tests.create(aTest({ suite: suite.id })),
      server.client.suites.delete({ suiteId: suite.id }),
    ]);
    if (created.status === "rejected") expect(created.reason).toMatchObject({ code: "unprocessable" });
    else await expect(server.client.tests.get({ testId: created.value.id })).rejects.toMatchObject({ status: 404 });
  }
});

test("a suite's list of tests has lowerCamelCase members and leaves the author's JSON unchanged", async () => {
  const suite = await create();
  const made = await server.client.tests.create({
    ...aTest({ suite: suite.id }),
    mock_tools: [{ tool: "t", answer: { snake_case: { camelCase: 1 } }, delay_ms: 5 }],
  });
  expect(await server.client.tests.listOfSuite({ suiteId: suite.id })).toEqual({
    tests: [
      {
        id: made.id,
        projectId: made.project_id,
        suiteId: suite.id,
        name: made.name,
        version: 1,
        versionId: made.version_id,
        scenario: made.scenario,
        expectedBehaviors: made.expected_behaviors,
        readings: made.readings.map(({ decided_by, ...reading }) => ({ ...reading, decidedBy: decided_by })),
        personas: [],
        tags: [],
        mockTools: [{ tool: "t", answer: { snake_case: { camelCase: 1 } }, delayMs: 5 }],
        createdAt: made.created_at,
        updatedAt: made.updated_at,
      },
    ],
    nextPageToken: null,
  });
});

test("lists page by token, newest first, without loss", async () => {
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  const projectId = project.id;
  const made: string[] = [];
  for (let n = 0; n < 7; n++)
    made.unshift((await server.admin.suites.create({ projectId, name: freshName("suite") })).testSuite.id);
  const suiteId = made[0]!;
  const tests: string[] = [];
  for (let n = 0; n < 5; n++)
    tests.unshift((await server.admin.tests.create({ ...aTest({ suite: suiteId }), project: projectId })).id);

  const suitesSeen: string[] = [];
  const suitePages = pages(server.admin.suites.list, { projectId, pageSize: 3 });
  for await (const { id, isDefault } of suitePages) if (!isDefault) suitesSeen.push(id);
  expect(suitesSeen).toEqual(made);

  const testsSeen: string[] = [];
  const testPages = pages(server.admin.tests.listOfSuite, { projectId, suiteId, pageSize: 2 });
  for await (const { id } of testPages) testsSeen.push(id);
  expect(testsSeen).toEqual(tests);
});

describe("deleting a suite", () => {
  test("a deletion deletes the suite's tests, keeps their versions readable and frees the names", async () => {
    const suite = await create();
    const held = await server.client.tests.create({ ...aTest(), suite: suite.id });
    await server.client.suites.delete({ suiteId: suite.id });
    await expect(server.client.suites.get({ suiteId: suite.id })).rejects.toMatchObject({ code: "not_found" });
    await expect(server.client.suites.delete({ suiteId: suite.id })).rejects.toMatchObject({ code: "not_found" });
    await expect(server.client.tests.get({ testId: held.id })).rejects.toMatchObject({ code: "not_found" });
    await expect(server.client.tests.listOfSuite({ suiteId: suite.id })).rejects.toMatchObject({ code: "not_found" });
    expect(await server.client.tests.version({ versionId: held.version_id })).toMatchObject({
      test_name: held.name,
      current: false,
    });
    expect((await create(suite.name)).id).not.toBe(suite.id);
    expect((await server.client.tests.create(aTest({ name: held.name }))).id).not.toBe(held.id);
  });
});

test("twenty requests for the same name create one suite", async () => {
  const name = freshName("wanted");
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => create(name)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  for (const { reason } of refused) expect(reason).toMatchObject({ code: "name_taken" });
});
