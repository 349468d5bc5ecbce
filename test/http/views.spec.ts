import { LIMITS, listQueryOf, type ViewQuery } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { join } from "../support/people.ts";
import { send } from "../support/request.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { openStoreOf } from "../support/engine.ts";
import { aConnection, aTest, freshName, unknownId } from "../support/world.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const ERRORS: ViewQuery = { list: "conversations", status: "error", lastHours: 24, sort: "-slowest" };
const save = async (name = freshName("view"), query: ViewQuery = ERRORS) =>
  (await server.client.views.create({ name, query })).view;

test("a view is saved, listed, read, renamed, given other filters and deleted", async () => {
  const made = await save("  Errors  today ");
  expect(made).toEqual({
    id: expect.stringMatching(/^viw_/),
    projectId: server.project.id,
    name: "Errors today",
    query: ERRORS,
    problems: [],
    createdAt: made.createdAt,
    updatedAt: made.createdAt,
  });
  const slow: ViewQuery = { list: "turns", slowerThanMs: 2_000, interrupted: true, sort: "-answerMs" };
  const other = await save("Slow turns", slow);
  expect((await server.client.views.list()).views).toEqual([other, made]);
  expect((await server.client.views.list({ list: "turns" })).views).toEqual([other]);
  expect((await server.client.views.get({ viewId: made.id })).view).toEqual(made);

  const renamed = (await server.client.views.edit({ viewId: made.id, name: "Errors" })).view;
  expect(renamed).toEqual({ ...made, name: "Errors", updatedAt: renamed.updatedAt });
  const query: ViewQuery = { list: "conversations", agent: "Clinic", withoutAgent: true, from: "2026-11-01T00:00:00Z" };
  expect((await server.client.views.edit({ viewId: made.id, query })).view).toMatchObject({ name: "Errors", query });

  await server.client.views.delete({ viewId: made.id });
  await expect(server.client.views.get({ viewId: made.id })).rejects.toMatchObject({ status: 404 });
  await expect(server.client.views.delete({ viewId: made.id })).rejects.toMatchObject({ status: 404 });
  expect((await server.client.views.list()).views).toEqual([other]);
});

test("a view's query is the query of its list, and a moving range ends at the time of opening", async () => {
  const { query } = await save();
  expect(listQueryOf(query, Date.parse("2026-11-28T12:00:00Z"))).toEqual({
    status: "error",
    sort: "-slowest",
    from: "2026-11-27T12:00:00.000Z",
  });
  if (query.list === "conversations")
    expect(await server.client.traces.list(listQueryOf(query, Date.now()))).toMatchObject({ traces: [] });
  const turns = (await save(freshName("view"), { list: "turns", tool: "book_table" })).query;
  if (turns.list === "turns")
    expect(await server.client.turns.list(listQueryOf(turns, Date.now()))).toMatchObject({ turns: [] });
});

test("a taken name, another list and filters that the list does not have are refused with what to do", async () => {
  const made = await save("Taken");
  await expect(save("Taken")).rejects.toMatchObject({
    code: "name_taken",
    message: "Another view of the project has this name; choose another.",
  });
  const second = await save();
  await expect(server.client.views.edit({ viewId: second.id, name: "Taken" })).rejects.toMatchObject({ status: 409 });
  await expect(
    server.client.views.edit({ viewId: made.id, query: { list: "turns", tool: "book" } }),
  ).rejects.toMatchObject({
    code: "unprocessable",
    message: "This is a view of conversations. Save the filters of turns as another view.",
  });
  const refusals: [object, RegExp][] = [
    [{ list: "conversations", color: "red" }, /color/],
    [{ list: "turns", status: "error" }, /status/],
    [{ list: "turns", sort: "-duration" }, /sort/],
    [{ list: "conversations", slowerThanMs: "2000" }, /slowerThanMs/],
    [{ list: "conversations", slowerThanMs: null }, /slowerThanMs/],
    [{ list: "conversations", interrupted: "true" }, /interrupted/],
    [{ list: "conversations", agent: ["Clinic", "Hotel"] }, /agent/],
    [{ list: "conversations", lastHours: 0 }, /lastHours/],
    [{ list: "conversations", lastHours: LIMITS.viewHours + 1 }, /lastHours/],
    [{ list: "conversations", lastHours: 24, from: "2026-11-01T00:00:00Z" }, /either `lastHours`, or `from` and `to`/],
    [{ list: "conversations", from: "yesterday" }, /from/],
    [{ list: "calls" }, /list/],
    [{ status: "error" }, /list/],
  ];
  for (const [query, message] of refusals) {
    const ask = { method: "POST", path: "/v1/views", key: server.projectKey, json: { name: "Wrong", query } } as const;
    const reply = await send(server.url, ask);
    expect([400, 422], JSON.stringify(query)).toContain(reply.status);
    expect(reply.text, JSON.stringify(query)).toMatch(message);
  }
  for (const name of ["", " ", "x".repeat(LIMITS.nameCharacters + 1), "a\u200bb"])
    await expect(save(name), JSON.stringify(name)).rejects.toMatchObject({ status: 422 });
});

test("a run or an alert that the project does not have is refused, also one of another project", async () => {
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  const { agent } = await server.client.agents.register({ name: freshName("agent") });
  const { connection } = await server.client.connections.create({ agentId: agent.id, ...aConnection() });
  const { version_id } = await server.client.tests.create(aTest());
  const made = await server.client.runs.create({
    agentId: agent.id,
    connectionId: connection.id,
    testVersions: [version_id],
  });
  const runId = "run" in made ? made.run.id : "";
  expect((await save(freshName("view"), { list: "turns", runId })).query).toEqual({ list: "turns", runId });
  for (const filter of [{ runId: unknownId("run") }, { alertId: unknownId("alt") }, { runId: "nonsense" }])
    await expect(save(freshName("view"), { list: "conversations", ...filter })).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringMatching(/^The project has no (run|alert) with this id/),
    });
  const elsewhere = { name: "Elsewhere", projectId: project.id, query: { list: "turns", runId } as const };
  await expect(server.admin.views.create(elsewhere)).rejects.toMatchObject({ code: "unprocessable" });
});

test("a view says kindly which of its filters no longer exists", async () => {
  const name = freshName("agent");
  const { agent } = await server.client.agents.register({ name });
  const view = await save(freshName("view"), { list: "conversations", agent: name });
  expect(view.problems).toEqual([]);
  await server.client.agents.archive({ agentId: agent.id });
  const { problems } = (await server.client.views.get({ viewId: view.id })).view;
  expect(problems).toEqual([
    {
      filter: "agent",
      message: "The agent is archived, so only its earlier conversations match. Choose another agent.",
    },
  ]);
  // Alerts that are cleared go after a long time, and a later version may know fewer filters.
  const { db, close } = await openStoreOf(server.dataDir);
  const query = JSON.stringify({ list: "conversations", alertId: unknownId("alt"), color: "red", status: "error" });
  await db.updateTable("saved_views").set({ query }).where("id", "=", view.id).execute();
  await close();
  expect((await server.client.views.list()).views.find(({ id }) => id === view.id)).toMatchObject({
    query: { list: "conversations", status: "error" },
    problems: [
      { filter: "color", message: expect.stringMatching(/no longer exists/) },
      { filter: "alertId", message: expect.stringMatching(/^The alert no longer exists/) },
    ],
  });
});

test("a viewer sees the views, and only a member saves, edits or deletes one", async () => {
  const view = await save();
  const viewer = await join(server.url, server.admin, "views-viewer@acme.test", "viewer");
  const member = await join(server.url, server.admin, "views-member@acme.test", "member");
  const of = { projectId: server.project.id, viewId: view.id };
  expect((await viewer.client.views.get(of)).view).toEqual(view);
  for (const refused of [
    () => viewer.client.views.create({ projectId: server.project.id, name: "Mine", query: ERRORS }),
    () => viewer.client.views.edit({ ...of, name: "Mine" }),
    () => viewer.client.views.delete(of),
  ])
    await expect(refused()).rejects.toMatchObject({ code: "not_permitted" });
  expect((await member.client.views.edit({ ...of, name: freshName("mine") })).view.id).toBe(view.id);
  await member.client.views.delete(of);
});

test("of two people who save under one name at once, one wins; a project has only so many views", async () => {
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  const saveIn = (name: string) => server.admin.views.create({ projectId: project.id, name, query: ERRORS });
  const both = await Promise.allSettled([saveIn("Same"), saveIn("Same")]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const rest = Array.from({ length: LIMITS.views + 3 }, (_, n) => saveIn(`View ${n}`));
  const saved = await Promise.allSettled(rest);
  const refused = saved.filter((one) => one.status === "rejected");
  expect(refused).toHaveLength(4);
  expect(refused[0]!.reason).toMatchObject({
    code: "unprocessable",
    message: `A project has at most ${LIMITS.views} saved views. Delete one that you do not need.`,
  });
});
