import type { Answer, Grader, Operations } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { freshName } from "../support/world.ts";

let server: SharedServer;
let client: Client;
beforeAll(async () => {
  server = await shareServer();
  ({ client } = server);
});
afterAll(() => server.stop());

type Definition = Parameters<Client["graders"]["create"]>[0]["definition"];
const CHECK: Definition = { kind: "check", check: 'never says "guarantee"' };
const EXPECTED_BEHAVIORS = "grd_00000000000000000000000001";
const UNANSWERED_TURNS = "grd_000000000000000000000000b0";

const create = async (more: Partial<Parameters<Client["graders"]["create"]>[0]> = {}): Promise<Grader> =>
  (await client.graders.create({ name: freshName("grader"), definition: CHECK, ...more })).grader;
const edit = async (...call: Parameters<Client["graders"]["edit"]>) => (await client.graders.edit(...call)).grader;

describe("graders", () => {
  test("the service ships graders, of which the expected behaviors and unanswered turns count", async () => {
    const { graders } = await client.graders.list();
    const shipped = graders.filter(({ source }) => source === "shipped");
    expect(shipped).toHaveLength(9);
    expect(shipped.filter(({ counts }) => counts)).toMatchObject([
      { id: UNANSWERED_TURNS, definition: { kind: "built_in" } },
      { id: EXPECTED_BEHAVIORS, definition: { kind: "expected_behaviors" }, scope: "simulations", version: 1 },
    ]);
    const { versions } = await client.graders.versions({ graderId: UNANSWERED_TURNS });
    expect(versions).toMatchObject([{ version: 1, current: true, graderName: "Unanswered turns" }]);
  });

  test.each<[Definition]>([
    [{ kind: "expected_behaviors" }],
    [CHECK],
    [{ kind: "latency", maxMs: 1_500, percentile: 95 }],
    [{ kind: "llm", criterion: "Stays polite.", failsWhen: "It is rude." }],
    [{ kind: "built_in", name: "turn_taking" }],
  ])("graders are created from %j, and are enabled, count and grade simulations by default", async (definition) => {
    const grader = await create({ definition });
    expect(grader).toMatchObject({
      definition,
      source: "own",
      version: 1,
      enabled: true,
      counts: true,
      scope: "simulations",
      productionSampleRate: 1,
    });
    expect((await client.graders.get({ graderId: grader.id })).grader).toEqual(grader);
    await client.graders.archive({ graderId: grader.id });
  });

  test("graders are listed newest first and built-in graders last, at every page size", async () => {
    const made = [await create(), await create()].map(({ id }) => id).reverse();
    const whole = (await client.graders.list()).graders.map(({ id }) => id);
    expect(whole.slice(0, 2)).toEqual(made);
    const joined: string[] = [];
    for (let pageToken: string | undefined; ;) {
      const page: Answer<Operations["graders"]["list"]> = await client.graders.list({
        pageSize: 2,
        ...(pageToken !== undefined && { pageToken }),
      });
      joined.push(...page.graders.map(({ id }) => id));
      if (page.nextPageToken === null) break;
      pageToken = page.nextPageToken;
    }
    expect(joined).toEqual(whole);
  });

  test("graders get a new version for a new definition, and none for the same definition or a new name", async () => {
    const { id: graderId, versionId } = await create();
    const renamed = await edit({ graderId, expectedVersionId: versionId, name: freshName("renamed") });
    const same = await edit({ graderId, expectedVersionId: versionId, definition: { ...CHECK } });
    expect([renamed.versionId, same.versionId]).toEqual([versionId, versionId]);
    const definition: Definition = { kind: "llm", criterion: "Promises nothing." };
    const second = await edit({ graderId, expectedVersionId: versionId, definition });
    expect(second).toMatchObject({ version: 2, definition });
    const { versions } = await client.graders.versions({ graderId });
    expect(versions.map(({ version, current, definition: { kind } }) => [version, current, kind])).toEqual([
      [2, true, "llm"],
      [1, false, "check"],
    ]);
    await expect(edit({ graderId, expectedVersionId: versionId, name: "Late" })).rejects.toMatchObject({
      code: "version_conflict",
      details: { expectedVersionId: versionId, currentVersionId: second.versionId, current: second },
    });
  });

  test("graders are edited once when twenty edits arrive at once", async () => {
    const { id: graderId, versionId: expectedVersionId } = await create();
    const edits = Array.from({ length: 20 }, (_, n) =>
      edit({ graderId, expectedVersionId, definition: { kind: "check", check: `calls tool_${n}` } }),
    );
    const outcomes = await Promise.allSettled(edits);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await client.graders.versions({ graderId })).versions).toHaveLength(2);
  });

  test("graders have settings in each project, and a change of settings creates no version", async () => {
    const { id: graderId, versionId } = await create();
    for (const id of [graderId, UNANSWERED_TURNS]) {
      const before = (await client.graders.get({ graderId: id })).grader;
      const settings = { counts: !before.counts, scope: "both" as const, productionSampleRate: 0.25 };
      expect((await client.graders.configure({ graderId: id, ...settings })).grader).toEqual({
        ...before,
        ...settings,
      });
      const off = (await client.graders.configure({ graderId: id, enabled: false })).grader;
      expect(off).toEqual({ ...before, ...settings, enabled: false });
    }
    expect((await client.graders.get({ graderId })).grader.versionId).toBe(versionId);
    const { project } = await server.admin.projects.create({ name: freshName("project") });
    const elsewhere = await server.admin.graders.get({ graderId: UNANSWERED_TURNS, projectId: project.id });
    expect(elsewhere.grader).toMatchObject({ enabled: true, counts: true, scope: "simulations" });
  });

  test("graders are archived and restored, and a grader whose name is taken is restored under another name", async () => {
    const { id: graderId, name } = await create();
    const archived = (await client.graders.archive({ graderId })).grader;
    expect(archived).toMatchObject({ archived: true });
    expect((await client.graders.archive({ graderId })).grader).toEqual(archived);
    expect((await client.graders.list({ archived: true })).graders[0]).toEqual(archived);
    expect((await client.graders.list()).graders.map(({ id }) => id)).not.toContain(graderId);
    const heir = await create({ name });
    await expect(client.graders.restore({ graderId })).rejects.toMatchObject({ code: "name_taken" });
    const restored = (await client.graders.restore({ graderId, name: `${name} again` })).grader;
    expect(restored).toMatchObject({ archived: false, name: `${name} again` });
    await client.graders.archive({ graderId: heir.id });
  });

  test("graders are limited to fifty in a project, and archived ones do not count", async () => {
    const { project } = await server.admin.projects.create({ name: freshName("project") });
    const projectId = project.id;
    const make = () => server.admin.graders.create({ name: freshName("many"), definition: CHECK, projectId });
    const made = await Promise.allSettled(Array.from({ length: 55 }, make));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(50);
    await expect(make()).rejects.toMatchObject({ code: "conflict", message: expect.stringMatching(/50 live graders/) });
    const { graders } = await server.admin.graders.list({ projectId, pageSize: 1 });
    await server.admin.graders.archive({ graderId: graders[0]!.id, projectId });
    await make();
    await expect(server.admin.graders.restore({ graderId: graders[0]!.id, projectId })).rejects.toMatchObject({
      code: "conflict",
    });
  });
});

describe("a refused change of a grader", () => {
  test.each<[string, object, string, RegExp]>([
    [
      "a check that has no known form",
      { definition: { kind: "check", check: "Is polite." } },
      "unprocessable",
      /`llm`\. The forms, by example: calls book_room/,
    ],
    ["an invalid pattern", { definition: { kind: "check", check: "says /(/" } }, "unprocessable", /cannot be read/],
    ["a blank criterion", { definition: { kind: "llm", criterion: " " } }, "unprocessable", /criterion/],
    [
      "a criterion over the limit",
      { definition: { kind: "llm", criterion: "x".repeat(2_001) } },
      "unprocessable",
      /2000/,
    ],
    ["a latency of zero", { definition: { kind: "latency", maxMs: 0, percentile: 95 } }, "unprocessable", /maxMs/],
    [
      "an unknown percentile",
      { definition: { kind: "latency", maxMs: 5, percentile: 42 } },
      "invalid_request",
      /percentile/,
    ],
    ["an unknown built-in grader", { definition: { kind: "built_in", name: "charm" } }, "unprocessable", /name/],
    ["an unknown kind", { definition: { kind: "vibes" } }, "invalid_request", /expected_behaviors, check, latency/],
    ["a member of another kind", { definition: { ...CHECK, criterion: "x" } }, "invalid_request", /criterion/],
    ["a sample rate over 1", { productionSampleRate: 1.1 }, "unprocessable", /productionSampleRate/],
    [
      "expected behaviors for production",
      { definition: { kind: "expected_behaviors" }, scope: "both" },
      "unprocessable",
      /scope/,
    ],
    ["the name of a shipped grader", { name: "Turn taking" }, "name_taken", /choose another/],
  ])("%s is refused", async (_, more, code, message) => {
    await expect(create(more)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test("a grader cannot have the name of another live grader", async () => {
    const [one, other] = [await create(), await create()];
    await expect(create({ name: one.name })).rejects.toMatchObject({ code: "name_taken" });
    const { id: graderId, versionId: expectedVersionId } = other;
    await expect(edit({ graderId, expectedVersionId, name: one.name })).rejects.toMatchObject({ code: "name_taken" });
  });

  test("an edit that does not fit the grader's scope is refused", async () => {
    const { id: graderId, versionId: expectedVersionId } = await create({ scope: "production" });
    const definition: Definition = { kind: "expected_behaviors" };
    await expect(edit({ graderId, expectedVersionId, definition })).rejects.toMatchObject({ code: "unprocessable" });
    await client.graders.archive({ graderId });
  });

  test("every change of an archived grader is refused, except its restore", async () => {
    const { id: graderId, versionId: expectedVersionId } = await create();
    await client.graders.archive({ graderId });
    const refusal = { code: "conflict", message: expect.stringMatching(/Restore it first/) };
    await expect(edit({ graderId, expectedVersionId, name: "New" })).rejects.toMatchObject(refusal);
    await expect(client.graders.configure({ graderId, counts: false })).rejects.toMatchObject(refusal);
  });

  test("a change of a shipped grader's content is refused", async () => {
    const graderId = UNANSWERED_TURNS;
    const { versionId: expectedVersionId } = (await client.graders.get({ graderId })).grader;
    const refusal = { code: "conflict", message: expect.stringMatching(/settings/) };
    await expect(edit({ graderId, expectedVersionId, definition: CHECK })).rejects.toMatchObject(refusal);
    await expect(client.graders.archive({ graderId })).rejects.toMatchObject(refusal);
    await expect(client.graders.configure({ graderId: EXPECTED_BEHAVIORS, scope: "both" })).rejects.toMatchObject({
      code: "unprocessable",
    });
  });
});
