import { afterAll, beforeAll, expect, test } from "vitest";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { aTest, freshName, unknownId } from "../support/world.ts";

let server: SharedServer;
beforeAll(async () => void (server = await shareServer()));
afterAll(() => server.stop());

const create = () => server.client.tests.create(aTest());
const all = async () => (await server.client.tests.list({ limit: 200 })).items;

test("an import creates, edits and renames tests in one transaction, and reports a result for each test, even an unchanged one", async () => {
  const [edited, renamed, same] = [await create(), await create(), await create()];
  const asIs = ({ id, version_id, name, scenario, expected_behaviors }: typeof same) => ({
    id,
    expected_version_id: version_id,
    name,
    scenario,
    expected_behaviors,
  });
  const tests = [
    aTest({ name: "Brand new" }),
    { ...asIs(edited), scenario: "Another caller." },
    { ...asIs(renamed), name: "Renamed" },
    asIs(same),
  ];
  const before = await all();
  const dry = await server.client.tests.import({ tests, dry_run: true });
  expect(dry.tests.map(({ result, id, version_id }) => [result, id, version_id])).toEqual([
    ["created", null, null],
    ["edited", edited.id, null],
    ["renamed", renamed.id, renamed.version_id],
    ["unchanged", same.id, same.version_id],
  ]);
  expect(await all()).toEqual(before);

  const done = await server.client.tests.import({ tests });
  expect(done.tests.map(({ result, version }) => [result, version])).toEqual([
    ["created", 1],
    ["edited", 2],
    ["renamed", 1],
    ["unchanged", 1],
  ]);
  const now = await Promise.all(done.tests.map(({ id }) => server.client.tests.get({ testId: id! })));
  expect(now.map(({ name, version_id }) => [name, version_id])).toEqual(
    done.tests.map(({ name, version_id }) => [name, version_id]),
  );
});

test.each([
  [
    "a stale version",
    "version_conflict",
    async () => ({ ...aTest(), id: (await create()).id, expected_version_id: unknownId("tstv") }),
  ],
  [
    "a test that is not there",
    "not_found",
    () => ({ ...aTest(), id: unknownId("tst"), expected_version_id: unknownId("tstv") }),
  ],
  ["a taken name", "name_taken", async () => aTest({ name: (await create()).name })],
  ["an unknown persona", "unprocessable", () => aTest({ personas: ["nobody"] })],
  ["an id without its version", "unprocessable", () => aTest({ id: unknownId("tst") })],
])("an import with %s writes nothing", async (_, code, refused) => {
  const name = freshName("import");
  const wrong = await refused();
  const before = await all();
  const ask = server.client.tests.import({ tests: [aTest({ name }), wrong] });
  await expect(ask).rejects.toMatchObject({ code });
  expect(await all()).toEqual(before);
});

test("an import creates the suites that its tests name, and sets their tags; without `create_suites` an unknown suite is refused", async () => {
  const suite = freshName("suite");
  const tests = [aTest({ suite, tags: ["smoke", "smoke", "a"] }), aTest({ suite, tags: [] }), aTest()];
  const before = await all();
  await expect(server.client.tests.import({ tests })).rejects.toMatchObject({
    code: "unprocessable",
    details: { issues: [{ path: "tests.0.suite" }, { path: "tests.1.suite" }] },
  });
  await server.client.tests.import({ tests, create_suites: true, dry_run: true });
  expect(await all()).toEqual(before);
  const suites = async () => (await server.client.suites.list({ pageSize: 200 })).testSuites;
  expect((await suites()).map(({ name }) => name)).not.toContain(suite);

  const done = await server.client.tests.import({ tests, create_suites: true });
  const made = await Promise.all(done.tests.map(({ id }) => server.client.tests.get({ testId: id! })));
  const { id } = (await suites()).find(({ name }) => name === suite)!;
  expect(made.map(({ tags }) => tags)).toEqual([["a", "smoke"], [], []]);
  expect(made.map(({ suite_id }) => suite_id === id)).toEqual([true, true, false]);

  const [first] = made;
  const { name, scenario, expected_behaviors } = first!;
  const again = { id: first!.id, expected_version_id: first!.version_id, name, scenario, expected_behaviors };
  const resultOf = async (more: { tags?: string[] }) =>
    (await server.client.tests.import({ tests: [{ ...again, ...more }] })).tests[0]!.result;
  expect([await resultOf({}), await resultOf({ tags: ["b"] })]).toEqual(["unchanged", "tagged"]);
  const moved = server.client.tests.import({ tests: [{ ...again, suite: "Default" }] });
  await expect(moved).rejects.toMatchObject({ details: { issues: [{ path: "tests.0.suite" }] } });
});

test("the refusal of an import names what to correct in all of its tests", async () => {
  const tests = [
    aTest({ personas: ["calm", "clam"] }),
    aTest(),
    aTest({
      expected_behaviors: ["Is kind.", 'says "240'],
      mock_tools: [{ tool: "t", answer: 1, succeeds_when: "=" }],
    }),
    aTest({ personas: ["calm", "calm"] }),
  ];
  await expect(server.client.tests.import({ tests, dry_run: true })).rejects.toMatchObject({
    code: "unprocessable",
    details: {
      issues: [
        { path: "tests.0.personas.1", message: expect.stringContaining('no persona "clam"') },
        { path: "tests.2.expected_behaviors.1" },
        { path: "tests.2.mock_tools.0.succeeds_when" },
        { path: "tests.3.personas.1", message: expect.stringContaining("listed twice") },
      ],
    },
  });
});

test("when two imports edit the same version, one is written completely and the other is refused", async () => {
  const held = await create();
  const importOf = (scenario: string, name: string) =>
    server.client.tests.import({
      tests: [
        { ...aTest({ name }), scenario },
        { ...aTest({ name: held.name }), scenario, id: held.id, expected_version_id: held.version_id },
      ],
    });
  const names = [freshName("a"), freshName("b")];
  const results = await Promise.allSettled([importOf("First.", names[0]!), importOf("Second.", names[1]!)]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const present = (await all()).filter(({ name }) => names.includes(name)).map(({ scenario }) => scenario);
  expect(present).toEqual([(await server.client.tests.get({ testId: held.id })).scenario]);
});
