import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clientOf } from "../support/server.ts";
import { idsOf, type Monitored, openMonitored } from "../support/monitoring.ts";
import { encodeJson, oneSpan } from "../support/otlp.ts";
import { withoutTranscript } from "../support/platform-a/calls.ts";
import { until } from "../support/until.ts";

let m: Monitored;
beforeAll(async () => {
  m = await openMonitored({ pace: { lateMs: 60_000 } });
});
afterEach(() => m.quiet());
afterAll(() => m.stop());

test("discover lists the voice agents by name and saves nothing", async () => {
  const p = await m.project();
  m.fake.addAgent("agent_z", "Alpha");
  m.fake.addAgent("agent_a", "Zulu");
  m.fake.addAgent("agent_chat", "Chat", "chat");
  const { agents } = await p.client().monitoring.discover({ api_key: m.fake.apiKey });
  const names = agents.map(({ name }) => name);
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, "en")));
  expect(agents).toContainEqual({ id: "agent_z", name: "Alpha" });
  expect(names).not.toContain("Chat");
  expect(await p.setups()).toEqual([]);
});

test("a save stores the platform's names and the hint of the key", async () => {
  const p = await m.project();
  const { setup } = await p.client().monitoring.savePlatformA({
    api_key: m.fake.apiKey,
    agents: [{ id: p.agentIds[0]!, name: "Renamed here" }, { id: p.agentIds[0]! }],
  });
  expect(setup).toMatchObject({
    agent_platform: "platform_a",
    strategy: "platform_a_api_polling",
    credentials_hint: m.fake.apiKey.slice(-4),
    last_received_at: null,
    agents: [{ platform_agent_id: p.agentIds[0], platform_agent_name: `Desk ${p.agentIds[0]}`, failures: [] }],
  });
  expect(JSON.stringify(setup)).not.toContain(m.fake.apiKey);
});

test("a refused save changes nothing", async () => {
  const p = await m.project();
  await p.save();
  const { agents } = await p.active();
  await expect(p.save([...p.agentIds, "agent_nowhere"])).rejects.toMatchObject({ code: "unprocessable" });
  await expect(p.save(p.agentIds, "key_unknown")).rejects.toMatchObject({ code: "unprocessable" });
  const setup = await p.setup();
  expect(setup.agents.map(({ id }) => id)).toEqual(agents.map(({ id }) => id));
  expect(setup.credentials_hint).toBe(m.fake.apiKey.slice(-4));
});

test("a second save keeps the progress of agents that stay, starts new agents, stops omitted agents and keeps every failure", async () => {
  const p = await m.project(3);
  const [stays, dropped, added] = p.agentIds as [string, string, string];
  const calls = [stays, dropped].map((agentId) => p.callBefore(10, { agentId }));
  const incomplete = [stays, dropped].map((agentId) => p.callBefore(60, { agentId }));
  m.fake.addCalls([...calls, ...incomplete.map(withoutTranscript)]);
  await p.save([stays, dropped]);
  const before = await p.until("both have a failure", ({ agents }) =>
    agents.every(({ failures }) => failures.length === 1),
  );
  const after = await p.save([stays, added]);
  expect(after.id).toBe(before.id);
  const idOf = (setup: typeof before, agent: string) =>
    setup.agents.find(({ platform_agent_id }) => platform_agent_id === agent)?.id;
  expect(idOf(after, stays)).toBe(idOf(before, stays));
  expect(idOf(after, dropped)).toBeUndefined();
  expect((await p.agent(stays)).failures.map(({ id }) => id)).toEqual(
    before.agents.find(({ platform_agent_id }) => platform_agent_id === stays)!.failures.map(({ id }) => id),
  );
  await until("the new agent is active", async () => (await p.agent(added)).state === "active");
  expect(p.lists().filter(({ agentId }) => agentId === stays).length).toBeGreaterThan(0);

  const ofDropped = () => p.lists().filter(({ agentId }) => agentId === dropped).length;
  const asked = ofDropped();
  const missed = p.callBefore(5, { agentId: dropped });
  m.fake.addCalls([missed, ...incomplete]);
  const polls = p.lists().length;
  await until("three more polls", () => p.lists().length >= polls + 3);
  expect(ofDropped()).toBe(asked);
  await p.imported([...calls, incomplete[0]!]);
  expect(await p.conversations()).toEqual(idsOf([...calls, incomplete[0]!]));

  await p.save([dropped]);
  expect(idOf(await p.setup(), dropped)).toBe(idOf(before, dropped));
  await p.imported([missed, ...incomplete, ...calls]);
  await p.active();
});

test("a removed setup sends no requests, keeps its conversations, and imports none of them again when it is created again", async () => {
  const p = await m.project();
  const call = p.callBefore(10);
  m.fake.addCalls([call]);
  await p.save();
  await p.imported([call]);
  await p.client().monitoring.remove({ platform: "platform_a" });
  const asked = p.lists().length;
  expect(await p.setups()).toEqual([]);
  await expect(p.client().monitoring.remove({ platform: "platform_a" })).rejects.toMatchObject({ code: "not_found" });
  const other = await m.project();
  await other.save();
  await until("another project keeps polling", () => other.lists().length > 3);
  expect(p.lists().length).toBe(asked);
  await p.save();
  await p.active();
  expect(p.reads(call)).toBe(1);
  expect(await p.conversations()).toEqual([call.call_id]);
  expect((await p.setup()).last_received_at).not.toBeNull();
});

test("two projects that monitor the same agent each have its conversations", async () => {
  const [p, q] = [await m.project(), await m.project()];
  const call = p.callBefore(10);
  m.fake.addCalls([call]);
  await Promise.all([p.save(), q.save(p.agentIds)]);
  await Promise.all([p.imported([call]), q.imported([call])]);
  expect(p.reads(call)).toBe(2);
});

test("twenty concurrent saves leave one setup", async () => {
  const p = await m.project(2);
  const saved = await Promise.all(Array.from({ length: 20 }, (_, n) => p.save(p.agentIds.slice(n % 2))));
  expect(new Set(saved.map(({ id }) => id)).size).toBe(1);
  expect(await p.setups()).toHaveLength(1);
  await p.active();
});

test("a platform_b setup exists next to the platform_a setup, and shows when a worker last sent a conversation", async () => {
  const p = await m.project();
  const call = p.callBefore(10);
  m.fake.addCalls([call]);
  const { setup } = await p.client().monitoring.savePlatformB();
  expect(setup).toMatchObject({
    agent_platform: "platform_b_agents",
    strategy: "platform_b_otlp",
    credentials_hint: null,
    health: { state: "healthy", consecutive_failures: 0 },
    last_received_at: null,
    agents: [],
  });
  expect((await p.client().monitoring.savePlatformB()).setup).toEqual(setup);
  await p.save();
  await p.imported([call]);
  const ofWorkers = async () => (await p.setups()).find(({ strategy }) => strategy === "platform_b_otlp")!;
  expect((await ofWorkers()).last_received_at).toBeNull();

  await clientOf(m.server().url, p.key).traces.ingest({ body: encodeJson(oneSpan()), contentType: "application/json" });
  await m.server().spansLoaded();
  expect(Date.parse((await ofWorkers()).last_received_at!)).toBeGreaterThan(Date.now() - 60_000);
  await p.client().monitoring.remove({ platform: "platform_b-agents" });
  expect((await p.setups()).map(({ agent_platform }) => agent_platform)).toEqual(["platform_a"]);
});
