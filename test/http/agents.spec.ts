import { pages } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { traceIdOf } from "../support/ingest.ts";
import { answeredCall, sendSpans } from "../support/production.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { aConnection, freshName } from "../support/world.ts";

let server: SharedServer;
beforeAll(async () => {
  server = await shareServer();
});
afterAll(() => server.stop());

const register = (more: object = {}) => server.client.agents.register({ name: freshName("agent"), ...more });
const code = (expected: string) => expect.objectContaining({ code: expected });

test("the last conversation of an agent is the newest that a worker sent under its name", async () => {
  const name = freshName("agent");
  const { agent } = await register({ name });
  const other = (await register()).agent;
  const startMs = Date.now() - 60_000;
  const spans = [-1_000, 0].map((ms, at) =>
    answeredCall(700 + at, { agent: name, startMs: startMs + ms, latencyMs: 400 }),
  );
  await sendSpans(server, server.client, spans.flat());
  const trace = await server.client.traces.get({ traceId: traceIdOf(701) });
  const { agents } = await server.client.agents.list();
  const lastOf = (id: string) => agents.find((each) => each.id === id)!.lastReceivedAt;
  expect(lastOf(agent.id)).toBe(trace.lastReceivedAt);
  expect(lastOf(other.id)).toBeNull();
  expect((await server.client.agents.get({ agentId: agent.id })).agent.lastReceivedAt).toBe(trace.lastReceivedAt);
});

describe("registering", () => {
  test("a new agent has null for each unknown fact", async () => {
    const name = freshName("agent");
    const made = await server.client.agents.register({ name: ` ${name} ` });
    expect(made).toEqual({
      result: "created",
      agent: {
        id: expect.stringMatching(/^agt_/),
        projectId: server.project.id,
        name,
        agentPlatform: "custom",
        platformAgentId: null,
        platformAModality: null,
        monitoringKeyPresent: false,
        monitoringApiKeyHint: null,
        pullProductionCalls: false,
        monitoringConfigured: false,
        lastReceivedAt: null,
        archived: false,
        archivedAt: null,
        revision: 1,
        createdAt: made.agent.createdAt,
        updatedAt: made.agent.createdAt,
      },
    });
    expect(await server.client.agents.get({ agentId: made.agent.id })).toEqual({ agent: made.agent });
  });

  test("a second registration of the same platform agent returns the existing agent, under its name, with 200", async () => {
    const platformAgentId = freshName("id");
    const first = await register({ agentPlatform: "platform_a", platformAgentId });
    const again = await register({ agentPlatform: "platform_a", platformAgentId });
    expect(again).toEqual({ result: "reused", agent: first.agent });
    expect((await register({ agentPlatform: "platform_b_agents", platformAgentId })).result).toBe("created");
    const { project } = await server.admin.projects.create({ name: freshName("project") });
    const elsewhere = { name: "x", agentPlatform: "platform_a" as const, platformAgentId, projectId: project.id };
    expect((await server.admin.agents.register(elsewhere)).result).toBe("created");
  });

  test("a registration with a connection creates both, and the connection's type determines platform and modality", async () => {
    const connection = {
      connectionType: "platform_a_web_call",
      config: { platformAAgentId: "agent_1" },
      credential: { apiKey: "key_0123456789" },
    };
    const made = await register({ platformAgentId: freshName("id"), connection });
    expect(made).toMatchObject({
      result: "created",
      agent: { agentPlatform: "platform_a", platformAModality: "voice" },
      connection: { agentPlatform: "platform_a", agentId: made.agent.id, credentialsHint: "6789" },
    });
    const chat = { ...connection, connectionType: "platform_a_chat_api" };
    expect((await register({ connection: chat })).agent.platformAModality).toBe("chat");
  });

  test("a second registration with the same connection creates no second connection, and stores the new credential", async () => {
    const platformAgentId = freshName("id");
    const connection = aConnection();
    const first = await register({ platformAgentId, connection });
    const again = await register({
      platformAgentId,
      connection: { ...connection, credential: { apiKey: "new-key-5678" } },
    });
    expect(again.connection).toMatchObject({ id: first.connection!.id, credentialsHint: "5678" });
    const staging = await register({ platformAgentId, connection: { ...connection, environment: "staging" } });
    expect(staging.connection!.id).not.toBe(first.connection!.id);
    const { connections } = await server.client.connections.list({ agentId: first.agent.id });
    expect(connections.map(({ id }) => id)).toEqual([staging.connection!.id, first.connection!.id]);
  });

  test("a registration with an invalid connection creates no agent", async () => {
    const name = freshName("agent");
    const connection = { ...aConnection(), credential: { apiKey: "short" } };
    await expect(server.client.agents.register({ name, connection })).rejects.toMatchObject({
      code: "unprocessable",
      details: { issues: [{ path: "connection.credential.apiKey" }] },
    });
    expect((await server.client.agents.list({ search: name })).agents).toEqual([]);
  });

  test("32 concurrent requests for one platform agent create one agent with one connection", async () => {
    const platformAgentId = freshName("id");
    const outcomes = await Promise.all(
      Array.from({ length: 32 }, () => register({ platformAgentId, connection: aConnection() })),
    );
    expect(outcomes.filter(({ result }) => result === "created")).toHaveLength(1);
    expect(new Set(outcomes.map(({ agent }) => agent.id)).size).toBe(1);
    expect(new Set(outcomes.map(({ connection }) => connection!.id)).size).toBe(1);
    expect((await server.client.agents.list({ search: platformAgentId })).agents).toHaveLength(1);
  });

  test("32 concurrent requests for one name create one agent", async () => {
    const name = freshName("wanted");
    const outcomes = await Promise.allSettled(
      Array.from({ length: 32 }, () => server.client.agents.register({ name })),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === "rejected") expect(outcome.reason).toEqual(code("name_taken"));
  });
});

describe("the list", () => {
  test("the list has each agent exactly once over all pages, newest first", async () => {
    const { project } = await server.admin.projects.create({ name: freshName("project") });
    const projectId = project.id;
    const made: string[] = [];
    for (let n = 0; n < 7; n++) {
      made.unshift((await server.admin.agents.register({ projectId, name: freshName("agent") })).agent.id);
    }
    const seen: string[] = [];
    const listed = pages(server.admin.agents.list, { projectId, pageSize: 3 });
    for await (const { id } of listed) seen.push(id);
    expect(seen).toEqual(made);
  });

  test("the list finds a text in names and platform ids without regard to case, and treats % and _ as plain characters", async () => {
    const serial = freshName("x").replace(" ", "");
    const { agent } = await register({ name: `Ännchen 100%_${serial}`, platformAgentId: `Agent_AbC${serial}` });
    const found = async (search: string) => (await server.client.agents.list({ search })).agents.map(({ id }) => id);
    expect(await found(`äNNCHEN 100%_${serial}`)).toEqual([agent.id]);
    expect(await found(`agent_abc${serial}`)).toEqual([agent.id]);
    expect(await found(`%${serial}`)).toEqual([]);
    expect(await found(`ännchen_100%_${serial}`)).toEqual([]);
  });

  test("the list shows live agents, or archived agents when the request asks for them", async () => {
    const { agent } = await register();
    const listed = async (archived?: boolean) =>
      (await server.client.agents.list({ search: agent.name, ...(archived !== undefined && { archived }) })).agents;
    expect(await listed()).toEqual([agent]);
    expect([await listed(false), await listed(true)]).toEqual([[agent], []]);
    const archived = await server.client.agents.archive({ agentId: agent.id });
    expect([await listed(), await listed(true)]).toEqual([[], [archived.agent]]);
  });
});

test("a search finds the new name after a rename, and a rename to the same name changes nothing", async () => {
  const { agent } = await register();
  const name = freshName("renamed");
  const renamed = await server.client.agents.edit({ agentId: agent.id, name });
  expect(renamed.agent).toEqual({ ...agent, name, updatedAt: renamed.agent.updatedAt, revision: 2 });
  expect((await server.client.agents.list({ search: name })).agents).toEqual([renamed.agent]);
  expect(await server.client.agents.edit({ agentId: agent.id, name })).toEqual(renamed);
});

describe("archiving", () => {
  test("an archived agent has archived connections and a free name, and a second request changes nothing", async () => {
    const { agent, connection } = await register({ connection: aConnection() });
    const earlier = await server.client.connections.create({ agentId: agent.id, ...aConnection() });
    await server.client.connections.archive({ agentId: agent.id, connectionId: earlier.connection.id });

    const done = await server.client.agents.archive({ agentId: agent.id });
    const archivedAt = done.agent.archivedAt;
    expect(done.agent).toEqual({ ...agent, archived: true, archivedAt, updatedAt: archivedAt, revision: 2 });
    expect(done.archivedConnections).toEqual([
      { ...connection, archived: true, archivedAt, updatedAt: archivedAt, revision: 2 },
    ]);
    expect(done.canceledRunCount).toBe(0);
    expect(await server.client.agents.archive({ agentId: agent.id })).toEqual({ ...done, archivedConnections: [] });
    expect((await server.client.agents.register({ name: agent.name })).result).toBe("created");
  });
});

describe("restoring", () => {
  const archived = async (more: object = {}) => {
    const made = await register(more);
    return { ...made, ...(await server.client.agents.archive({ agentId: made.agent.id })) };
  };

  test("a restored agent is live, and its connections stay archived", async () => {
    const { agent, connection } = await archived({ connection: aConnection() });
    const restored = await server.client.agents.restore({ agentId: agent.id });
    expect(restored.agent).toEqual({
      ...agent,
      archived: false,
      archivedAt: null,
      revision: agent.revision + 1,
      updatedAt: restored.agent.updatedAt,
    });
    expect((await server.client.connections.list({ agentId: agent.id })).connections).toEqual([]);
    const { connections } = await server.client.connections.list({ agentId: agent.id, archived: true });
    expect(connections.map(({ id }) => id)).toEqual([connection!.id]);
  });

  test("a restore of a live agent changes nothing, not even the name", async () => {
    const { agent } = await register();
    expect(await server.client.agents.restore({ agentId: agent.id, name: freshName("other") })).toEqual({ agent });
  });

  test("a restore under a taken name is refused until the request names another", async () => {
    const { agent } = await archived();
    const successor = await server.client.agents.register({ name: agent.name });
    await expect(server.client.agents.restore({ agentId: agent.id })).rejects.toMatchObject({
      code: "name_taken",
      message: expect.stringContaining("`name`"),
    });
    expect((await server.client.agents.get({ agentId: agent.id })).agent).toEqual(agent);
    const name = freshName("agent");
    const restored = await server.client.agents.restore({ agentId: agent.id, name });
    expect(restored.agent).toMatchObject({ id: agent.id, name, archived: false });
    expect((await server.client.agents.get({ agentId: successor.agent.id })).agent.archived).toBe(false);
    expect((await server.client.agents.list({ search: name })).agents).toEqual([restored.agent]);
  });

  test("a restored agent is reused when the same platform agent is registered again", async () => {
    const platformAgentId = freshName("id");
    const { agent } = await archived({ platformAgentId });
    await expect(register({ platformAgentId })).rejects.toEqual(code("conflict"));
    await server.client.agents.restore({ agentId: agent.id });
    expect(await register({ platformAgentId })).toMatchObject({ result: "reused", agent: { id: agent.id } });
  });

  test("a restore during an archiving leaves the agent in one of the two states", async () => {
    const { agent } = await archived({ connection: aConnection() });
    const calls = Array.from({ length: 20 }, (_, n) =>
      n % 2 ? server.client.agents.restore({ agentId: agent.id }) : server.client.agents.archive({ agentId: agent.id }),
    );
    await Promise.all(calls);
    const { agent: end } = await server.client.agents.get({ agentId: agent.id });
    expect(end.archived).toBe(end.archivedAt !== null);
    expect((await server.client.connections.list({ agentId: agent.id })).connections).toEqual([]);
  });
});
