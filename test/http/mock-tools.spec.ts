import { LIMITS, ProjectMockTool } from "@svc/contract";
import { pages } from "@svc/sdk";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mocksFor } from "../../packages/server/src/authoring/mock-tools/mocks-for.ts";
import { send } from "../support/request.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { freshName } from "../support/world.ts";

let server: SharedServer;
beforeAll(async () => {
  server = await shareServer();
});
afterAll(() => server.stop());

const create = async (more: Record<string, unknown> = {}) =>
  (
    await server.client.mockTools.create({
      tool: freshName("tool"),
      ...("error" in more ? {} : { answer: 1 }),
      ...more,
    })
  ).mockTool;
const get = async (mockToolId: string) => (await server.client.mockTools.get({ mockToolId })).mockTool;
const edit = async (mockToolId: string, change: Record<string, unknown>) =>
  (await server.client.mockTools.edit({ mockToolId, ...change })).mockTool;
const newAgent = async () => (await server.client.agents.register({ name: freshName("agent") })).agent.id;
const taken = { code: "name_taken" };

describe("a mock tool", () => {
  test.each([null, false, 0, "", [], { a_b: { cD: [null] } }])(
    "a mock tool stores %j as its answer unchanged",
    async (answer) => {
      const made = await create({ answer });
      expect(made).toMatchObject({ answer, delayMs: 0, agentIds: [], projectId: server.project.id });
      expect(made).not.toHaveProperty("error");
      expect(await get(made.id)).toEqual(made);
    },
  );

  test("a mock tool stores an answer's member with the name __proto__", async () => {
    const body = `{"tool":"${freshName("tool")}","answer":{"__proto__":{"a":1}}}`;
    const headers = { "content-type": "application/json" };
    const ask = { method: "POST", path: "/v1/mock-tools", key: server.projectKey, body, headers };
    expect((await send(server.url, ask)).text).toContain('"answer":{"__proto__":{"a":1}}');
  });

  test("a mock tool keeps the members that an edit does not name; a new error replaces the answer, and a new answer replaces the error", async () => {
    const agentIds = [await newAgent(), await newAgent()].sort();
    const made = await create({ answer: { free: [9, 10] }, delayMs: 250, agentIds });
    const failing = await edit(made.id, { error: "down" });
    const { answer: _, ...rest } = made;
    expect(failing).toEqual({ ...rest, error: "down", updatedAt: failing.updatedAt });
    const answering = await edit(made.id, { answer: null, delayMs: 0, agentIds: [] });
    expect(answering).toEqual({ ...rest, answer: null, delayMs: 0, agentIds: [], updatedAt: answering.updatedAt });
    expect(await get(made.id)).toEqual(answering);
  });

  test("a mock tool accepts values at every limit and refuses values beyond a limit", async () => {
    const tool = "t".repeat(LIMITS.nameCharacters);
    const bytes = Buffer.byteLength(JSON.stringify({ tool, answer: "", delayMs: LIMITS.mockToolDelayMs }));
    const answer = "x".repeat(LIMITS.mockToolBytes - bytes);
    const made = await create({ tool, answer, delayMs: LIMITS.mockToolDelayMs });
    expect(ProjectMockTool.parse(made)).toEqual(made);
    await expect(edit(made.id, { answer: `${answer}x` })).rejects.toMatchObject({ code: "unprocessable" });
  });

  test("a deleted mock tool does not exist any more, and its tool can be mocked again", async () => {
    const { id, tool } = await create();
    await server.client.mockTools.delete({ mockToolId: id });
    await expect(get(id)).rejects.toMatchObject({ code: "not_found" });
    await expect(server.client.mockTools.delete({ mockToolId: id })).rejects.toMatchObject({ code: "not_found" });
    expect((await create({ tool })).id).not.toBe(id);
  });

  test("a mock tool is the only mock of its tool for the same agents, while other agents may have another", async () => {
    const [one, other] = [await newAgent(), await newAgent()];
    const everyones = await create();
    const { tool } = everyones;
    await create({ tool, agentIds: [one] });
    await expect(create({ tool })).rejects.toMatchObject(taken);
    await expect(create({ tool, agentIds: [other, one] })).rejects.toMatchObject(taken);
    const others = await create({ tool, agentIds: [other] });
    await expect(edit(others.id, { agentIds: [] })).rejects.toMatchObject(taken);
    expect(await get(others.id)).toEqual(others);
    expect(await edit(everyones.id, { tool: freshName("tool") })).toMatchObject({ agentIds: [] });
    expect(await edit(others.id, { agentIds: [] })).toMatchObject({ tool });
  });

  test("a mock tool is created once by twenty concurrent requests", async () => {
    const tool = freshName("tool");
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => create({ tool, answer: n })));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === "rejected") expect(outcome.reason).toMatchObject(taken);
  });

  test("a mock tool refuses an agent that is listed twice, and an agent of another project", async () => {
    const agentId = await newAgent();
    await expect(create({ agentIds: [agentId, agentId] })).rejects.toMatchObject({ code: "unprocessable" });
    const { project } = await server.admin.projects.create({ name: freshName("project") });
    const { agent } = await server.admin.agents.register({ name: freshName("agent"), projectId: project.id });
    await expect(create({ agentIds: [agent.id] })).rejects.toMatchObject({ code: "unprocessable" });
  });

  test("a mock tool is listed exactly once over all pages, newest first", async () => {
    const { project } = await server.admin.projects.create({ name: freshName("project") });
    const agent = (await server.admin.agents.register({ name: freshName("agent"), projectId: project.id })).agent;
    const made: unknown[] = [];
    for (let n = 0; n < 5; n++) {
      const more = { agentIds: n % 2 === 0 ? [] : [agent.id], projectId: project.id };
      made.unshift((await server.admin.mockTools.create({ tool: `tool ${n}`, answer: n, ...more })).mockTool);
    }
    const seen: unknown[] = [];
    const listed = pages(server.admin.mockTools.list, { projectId: project.id, pageSize: 2 });
    for await (const mockTool of listed) seen.push(mockTool);
    expect(seen).toEqual(made);
  });
});

describe("the mocks of an agent", () => {
  const projects = (tool: string, answer: string, ...agentIds: string[]) => ({
    tool,
    outcome: { answer },
    delayMs: 0,
    agentIds,
  });
  const answersOf = (mocks: ReturnType<typeof mocksFor>) =>
    Object.fromEntries([...mocks].map(([tool, { outcome }]) => [tool, outcome.answer ?? outcome.error]));

  test("the mocks of an agent are the test's mocks, then the mocks for the agent, then the mocks for every agent", () => {
    const mocks = mocksFor(
      [
        { tool: "own", error: "the test's", delay_ms: 5 },
        { tool: "twice", answer: "first", delay_ms: 0 },
        { tool: "twice", answer: "second", delay_ms: 0 },
      ],
      [
        projects("own", "the agent's", "agt_a"),
        projects("scoped", "the agent's", "agt_b", "agt_a"),
        projects("scoped", "everyone's"),
        projects("own", "everyone's"),
        projects("shared", "everyone's"),
        projects("other", "another agent's", "agt_b"),
      ],
      "agt_a",
    );
    expect(answersOf(mocks)).toEqual({
      own: "the test's",
      twice: "first",
      scoped: "the agent's",
      shared: "everyone's",
    });
    expect(mocks.get("own")).toEqual({ tool: "own", outcome: { error: "the test's" }, delayMs: 5 });
    expect(mocks.get("shared")!.delayMs).toBe(0);
  });

  test("the mocks of an agent do not depend on the order of the project's mock tools", () => {
    const tool = fc.constantFrom<string[]>("__proto__", "a", "b", "c");
    const ofProject = fc.uniqueArray(fc.record({ tool, agentId: fc.constantFrom(undefined, "agt_a", "agt_b") }), {
      selector: ({ tool, agentId }) => `${tool} ${agentId}`,
    });
    fc.assert(
      fc.property(ofProject, fc.uniqueArray(tool), (rows, tests) => {
        const mocks = rows.map(({ tool, agentId }) => projects(tool, `${agentId}`, ...(agentId ? [agentId] : [])));
        const own = tests.map((tool) => ({ tool, answer: "test", delay_ms: 0 }));
        const there = mocksFor(own, mocks, "agt_a");
        expect(new Map(mocksFor(own, mocks.toReversed(), "agt_a"))).toEqual(there);
        for (const [tool, { outcome }] of there) {
          const scoped = rows.some((row) => row.tool === tool && row.agentId === "agt_a");
          expect(outcome.answer).toBe(tests.includes(tool) ? "test" : scoped ? "agt_a" : "undefined");
        }
      }),
    );
  });
});
