import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../support/server.ts";
import { chatConnection, voiceConnection } from "../support/runs.ts";
import { storedTest } from "../support/stored-behaviors.ts";
import { aTest, freshName } from "../support/world.ts";

const MODEL = { SVC_LLM_BASE_URL: "http://127.0.0.1:9/v1", SVC_LLM_API_KEY: "key", SVC_LLM_MODEL: "judge-1" };

let server: TestServer;
let judged: TestServer;
beforeAll(async () => {
  [server, judged] = await Promise.all([startServer(), startServer({ settings: MODEL })]);
});
afterAll(() => Promise.all([server.stop(), judged.stop()]));

const BEHAVIORS = ["never calls refund with amount=100", "Is kind.", 'says "recorded line"'];
const CALLS = {
  behavior: BEHAVIORS[0],
  form: "calls",
  reading: "The agent never calls `refund` with amount = 100.",
  suggestion: null,
  problem: null,
};
const inOrder = (decider: "nobody" | "judge") => [
  { ...CALLS, decided_by: "check" },
  { behavior: "Is kind.", decided_by: decider, form: null, problem: null },
  { behavior: BEHAVIORS[2], decided_by: "check", form: "says", reading: 'The agent says "recorded line".' },
];

describe("a test", () => {
  test("a test says how the service understands each expected behavior, in the same order, in every answer with its behaviors", async () => {
    const { client } = server;
    const made = await client.tests.create(aTest({ expected_behaviors: BEHAVIORS }));
    expect(made.readings).toMatchObject(inOrder("nobody"));
    const same = async (answer: Promise<{ readings: unknown }>) =>
      expect((await answer).readings).toEqual(made.readings);
    const newest = <T>({ items }: { items: T[] }) => items[0]!;
    await same(client.tests.get({ testId: made.id }));
    await same(client.tests.list({ limit: 1 }).then(newest));
    await same(client.tests.version({ versionId: made.version_id }));
    await same(client.tests.versions({ testId: made.id }).then(newest));
    await same(
      client.tests.edit({ testId: made.id, expected_version_id: made.version_id, name: freshName("renamed") }),
    );
    const { tests } = await client.tests.listOfSuite({ suiteId: made.suite_id, pageSize: 1 });
    expect(tests[0]!.readings[0]).toEqual({ ...CALLS, decidedBy: "check" });
    expect(tests[0]!.readings.map(({ behavior }) => behavior)).toEqual(tests[0]!.expectedBehaviors);
    for (const dry_run of [true, false]) {
      const imported = await client.tests.import({ tests: [aTest({ expected_behaviors: BEHAVIORS })], dry_run });
      expect(imported.tests[0]!.readings).toEqual(made.readings);
    }
  });

  test("the behaviors of a test that fit no form are decided by the judge at a service with a language model", async () => {
    const made = await judged.client.tests.create(aTest({ expected_behaviors: BEHAVIORS }));
    expect(made.readings).toMatchObject(inOrder("judge"));
  });
});

describe("unsaved behaviors", () => {
  test("unsaved behaviors are explained in order, with the remedy of broken ones and whether there is a judge, and nothing is stored", async () => {
    const before = await server.client.tests.list({ limit: 200 });
    const behaviors = [...BEHAVIORS, 'says "240', "says /(/"];
    const { readings, has_judge, forms } = await server.client.tests.readBehaviors({ behaviors });
    expect(has_judge).toBe(false);
    const read = (await server.client.tests.readBehaviors({ behaviors: forms })).readings;
    expect(new Set(read.map(({ form }) => form)).size).toBe(forms.length);
    expect(read.map(({ decided_by }) => decided_by)).toEqual(forms.map(() => "check"));
    expect(readings).toMatchObject([
      ...inOrder("nobody"),
      { decided_by: "nobody", form: null, problem: expect.stringContaining("does not close") },
      { decided_by: "nobody", form: null, problem: expect.stringMatching(/\S/) },
    ]);
    expect(await judged.client.tests.readBehaviors({ behaviors: BEHAVIORS })).toMatchObject({
      readings: inOrder("judge"),
      has_judge: true,
    });
    expect(await server.client.tests.list({ limit: 200 })).toEqual(before);
  });
});

describe("a behavior in a form", () => {
  const FORMS = [
    "calls book_room",
    'calls book_room with guests=2, name="Ana", code=/^A/i',
    "calls quote with exactly sku=A1",
    "calls lookup once",
    "calls lookup at most 2 times",
    "calls lookup at least 2 times",
    "does not call refund",
    "calls verify_identity before charge_card",
    "handles error of search_flights",
    "says /confirmation (number|code)/i within first 2 turns",
    'never says "guarantee"',
    "repeats back 555-0134",
    "responds within 1500 ms p95",
    "responds within 2 s",
    "no silence over 5 s",
    "stops within 500 ms when interrupted",
    "ends the call",
    "never ends the call",
    "transfers to human",
    "finishes within 12 turns",
  ];

  test("a behavior in a form is shown as one sentence, which differs from the sentences of other behaviors", async () => {
    const { readings } = await server.client.tests.readBehaviors({ behaviors: FORMS });
    expect(readings.filter(({ decided_by, form }) => decided_by !== "check" || form === null)).toEqual([]);
    expect(
      readings.filter(({ reading }) => !/^[A-Z0-9].+\.$/.test(reading) || /undefined|NaN|null/.test(reading)),
    ).toEqual([]);
    expect(new Set(readings.map(({ reading }) => reading)).size).toBe(FORMS.length);
  });
});

describe("a behavior that cannot be read", () => {
  const BROKEN = [
    'says "240',
    "The agent never says “guarantee",
    'repeats back "Ana Silva',
    'calls refund with amount="240',
    "says /(abc/",
    "never says /refund",
    "calls send_sms with to=/(/",
  ];

  test.each(BROKEN)(
    "a behavior that cannot be read is refused with the remedy in a new test, an edit and an import: %s",
    async (broken) => {
      const { client } = server;
      const { problem } = (await client.tests.readBehaviors({ behaviors: [broken] })).readings[0]!;
      const made = await client.tests.create(aTest());
      const edit = { testId: made.id, expected_version_id: made.version_id };
      const refused = (path: string) => ({
        status: 422,
        code: "unprocessable",
        message: expect.stringContaining(problem!),
        details: { issues: [{ path, message: problem }] },
      });
      const content = { expected_behaviors: ["Is kind.", broken] };
      await expect(client.tests.create(aTest(content))).rejects.toMatchObject(refused("expected_behaviors.1"));
      await expect(client.tests.edit({ ...edit, ...content })).rejects.toMatchObject(refused("expected_behaviors.1"));
      const tests = [aTest(), aTest(content)];
      await expect(client.tests.import({ tests })).rejects.toMatchObject(refused("tests.1.expected_behaviors.1"));
      expect(await client.tests.get({ testId: made.id })).toEqual(made);
    },
  );

  test("a behavior that cannot be read stays readable in a stored test, even when an edit changes something else", async () => {
    const { client } = server;
    const stored = 'says "240';
    const test = await storedTest(server, ["Is kind.", stored]);
    expect(test.expected_behaviors).toEqual(["Is kind.", stored]);
    expect(test.readings[1]).toMatchObject({
      decided_by: "nobody",
      problem: expect.stringContaining("does not close"),
    });
    const expected_version_id = test.version_id;
    const edited = await client.tests.edit({ testId: test.id, expected_version_id, scenario: "Another caller." });
    const kept = { expected_behaviors: [stored, "Is brief."] };
    const again = await client.tests.edit({ testId: test.id, expected_version_id: edited.version_id, ...kept });
    expect(again.expected_behaviors).toEqual(kept.expected_behaviors);
    const more = { expected_behaviors: [stored, 'says "241'] };
    await expect(
      client.tests.edit({ testId: test.id, expected_version_id: again.version_id, ...more }),
    ).rejects.toMatchObject({ code: "unprocessable", details: { issues: [{ path: "expected_behaviors.1" }] } });
  });

  test("a behavior that cannot be read is refused as a grader's check", async () => {
    const definition = { kind: "check", check: 'says "240' } as const;
    await expect(server.client.graders.create({ name: freshName("grader"), definition })).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringContaining("does not close"),
    });
  });

  test("a behavior that cannot be read is undecided in the plan of a run, with a warning that names the remedy", async () => {
    const { version_id } = await storedTest(judged, ['says "240', "Is kind."]);
    const target = await chatConnection(judged.client, "http://127.0.0.1:9");
    const answer = await judged.client.runs.create({ ...target, testVersions: [version_id], dryRun: "true" });
    expect(answer).toMatchObject({
      plan: {
        tests: [{ decidedByCheck: 0, decidedByJudge: 1, undecided: 1, readings: [{ decidedBy: "nobody" }, {}] }],
        warnings: [expect.stringMatching(/1 behavior cannot be read .*`svc tests edit`/)],
      },
    });
  });

  test("a behavior that cannot be read is undecided in the plan of a run without sound when it needs sound, with a warning that names it", async () => {
    const behavior = "stops within 500 ms when interrupted";
    const { version_id } = await storedTest(judged, [behavior, "responds within 2 s", "responds within 2 s as heard"]);
    const target = await chatConnection(judged.client, "http://127.0.0.1:9");
    const answer = await judged.client.runs.create({ ...target, testVersions: [version_id], dryRun: "true" });
    const unheard = (form: string) => ({
      decidedBy: "nobody",
      form,
      reading: expect.stringMatching(/carries no sound/),
    });
    expect(answer).toMatchObject({
      plan: {
        tests: [
          {
            decidedByCheck: 1,
            undecided: 2,
            readings: [unheard("stops_within"), { decidedBy: "check" }, unheard("responds_within")],
          },
        ],
        warnings: [
          expect.stringContaining(`need: "${behavior}", "responds within 2 s as heard". Run their tests over`),
        ],
      },
    });
    const spoken = await voiceConnection(judged.client, "ws://127.0.0.1:9");
    const overSound = await judged.client.runs.create({ ...spoken, testVersions: [version_id], dryRun: "true" });
    expect(overSound).toMatchObject({ plan: { tests: [{ decidedByCheck: 3, undecided: 0 }] } });
  });
});
