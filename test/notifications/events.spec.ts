import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProjectEvent } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { startChatAgent } from "../support/chat-agent.ts";
import { idsOf, openMonitored, type Monitored } from "../support/monitoring.ts";
import { conversation, graded, sendSpans } from "../support/production.ts";
import { chatConnection, played, settled, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ settings: { SVC_OUTBOUND_PRIVATE: "true" }, productionPace: { everyMs: 100 } });
});
afterAll(() => server.stop());

type Type = ProjectEvent["type"];

async function newProject(): Promise<Client> {
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  return server.clientOf((await server.admin.keys.create({ project_id: project.id })).secret);
}

async function eventsOf<T extends Type>(client: Client, type: T): Promise<Extract<ProjectEvent, { type: T }>[]> {
  const { events } = await client.events.list({ type: type as "run.completed" });
  return events as Extract<ProjectEvent, { type: T }>[];
}

const firstEvent = <T extends Type>(client: Client, type: T) =>
  until(`an event ${type}`, async () => (await eventsOf(client, type))[0]);

describe("a run", () => {
  test("a run has one event when its last verdict is given, and one for each failed simulation", async () => {
    const client = await newProject();
    const agent = await startChatAgent(({ event }) => ({
      message: event === "start" ? "Hello." : "Bye.",
      ended: true,
    }));
    const target = await chatConnection(client, agent.url);
    const testVersions = await versionsOf(client, [
      { scenario: "Says: Good morning.", behaviors: ['says "Hello"'] },
      { scenario: "Says: Good morning.", behaviors: ['says "impossible"', "calls book_room"] },
    ]);
    const { id } = await startRun(client, { ...target, testVersions });
    await settled(client, id);
    const event = await firstEvent(client, "run.completed");
    const { run } = await client.runs.get({ runId: id });
    const { notes: _notes, ...shown } = run;
    expect(event.data.run).toEqual(shown);
    expect(event.link).toMatch(new RegExp(`/p/[\\w-]+/runs/${id}$`));
    const failed = await eventsOf(client, "simulation.failed");
    expect(failed).toHaveLength(1);
    expect(failed[0]!.data).toMatchObject({ simulation: { runId: id, verdict: "failed" } });
    expect(failed[0]!.data.failed).toContain('says "impossible"');
    expect(failed[0]!.data.simulation).not.toHaveProperty("message");
    // A second grading gives the same verdicts and causes no further event.
    const { simulations } = await client.runs.simulations({ runId: id });
    for (const simulation of simulations) await client.simulations.regrade({ simulationId: simulation.id });
    await until("they are graded again", async () => {
      const again = await Promise.all(
        simulations.map(({ id: simulationId }) => client.simulations.get({ simulationId })),
      );
      return again.every(({ simulation }) => simulation.gradings === 2);
    });
    expect(await eventsOf(client, "run.completed")).toHaveLength(1);
    expect(await eventsOf(client, "simulation.failed")).toHaveLength(1);
    agent.stop();
  });

  test("that is canceled has an event that says so", async () => {
    const client = await newProject();
    const agent = await startChatAgent(() => new Promise(() => undefined));
    const target = await chatConnection(client, agent.url);
    const testVersions = await versionsOf(client, [{ scenario: "Says: Good morning.", behaviors: ["calls a"] }]);
    const { id } = await startRun(client, { ...target, testVersions });
    await until("the agent was asked", () => agent.heard.length > 0);
    await client.runs.cancel({ runId: id });
    const event = await firstEvent(client, "run.completed");
    expect(event.data.run).toMatchObject({ id, status: "canceled", stopReason: "canceled_by_user" });
    agent.stop();
  });

  test("whose conversation is deleted leaves no event about it", async () => {
    const client = await newProject();
    const agent = await startChatAgent(() => ({ message: "Bye.", ended: true }));
    const target = await chatConnection(client, agent.url);
    const testVersions = await versionsOf(client, [{ scenario: "Says: Hello.", behaviors: ["calls book_room"] }]);
    const { id } = await startRun(client, { ...target, testVersions });
    const { simulations } = await played({ client }, id);
    expect(await eventsOf(client, "simulation.failed")).toHaveLength(1);
    await client.traces.get({ traceId: simulations[0]!.traceId!, wait: 30 });
    await client.traces.delete({ traceId: simulations[0]!.traceId! });
    await until("the event is gone", async () => (await eventsOf(client, "simulation.failed")).length === 0);
    expect(await eventsOf(client, "run.completed")).toHaveLength(1);
    agent.stop();
  });
});

describe("a production conversation", () => {
  test("a production conversation has one event when a grader that counts decided against it, and none otherwise", async () => {
    const client = await newProject();
    const definition = { kind: "check", check: 'never says "guarantee"' } as const;
    const wanted = { definition, scope: "production" } as const;
    const { grader } = await client.graders.create({ ...wanted, name: freshName("counts") });
    const { grader: quiet } = await client.graders.create({
      definition: { kind: "check", check: 'says "never"' },
      scope: "production",
      name: freshName("counts not"),
    });
    await client.graders.configure({ graderId: quiet.id, counts: false });
    await sendSpans(server, client, [...conversation(1, "I guarantee it."), ...conversation(2, "Perhaps.")]);
    await graded(client, 1, 2);
    await graded(client, 2, 2);
    const [event, ...others] = await eventsOf(client, "conversation.failed");
    expect(others).toEqual([]);
    expect(event!.data.failed).toEqual([{ graderId: grader.id, graderVersionId: grader.versionId, name: grader.name }]);
    expect(event!.link).toContain(`/conversations/${event!.data.conversation.traceId}`);
    expect(JSON.stringify(event)).not.toContain("guarantee it");
    await client.traces.delete({ traceId: event!.data.conversation.traceId });
    await until("the event is gone", async () => (await eventsOf(client, "conversation.failed")).length === 0);
  });
});

describe("an import", () => {
  let m: Monitored;
  beforeAll(async () => {
    m = await openMonitored();
  });
  afterAll(() => m.stop());

  test("an import has an event when its failure is shown, however often it is tried, and one when it is over", async () => {
    const p = await m.project();
    const calls = [p.callBefore(5), p.callBefore(6)];
    m.fake.addCalls(calls);
    const failing = calls[0]!.call_id;
    m.fake.faults.next({ kind: "garbage" }, { path: new RegExp(failing), times: 10_000 });
    await p.save();
    const client = p.client();
    const event = await firstEvent(client, "import.failed");
    expect(event.data.failure).toMatchObject({ callId: failing, kind: "unreadable", attempts: expect.any(Number) });
    await until("it is tried again", async () => ((await p.agent())?.failures[0]?.attempts ?? 0) > 2);
    m.fake.faults.stop();
    const over = await firstEvent(client, "import.resolved");
    expect(over.data.failure).toMatchObject({ id: event.data.failure.id, callId: failing });
    expect(await p.conversations()).toEqual(idsOf(calls));
    expect(await eventsOf(client, "import.failed")).toHaveLength(1);
  });
});

test("events are listed in order, and a project sees only its own", async () => {
  const [one, other] = [await newProject(), await newProject()];
  for (const n of [1, 2, 3]) await one.keys.create({ name: `key ${n}`, project_id: (await projectOf(one)).id });
  // The project's own key caused the first event.
  const events = await eventsOf(one, "key.created");
  expect(events.map(({ data }) => data.key.name)).toEqual(["key 3", "key 2", "key 1", null]);
  expect(events.toSorted((a, b) => (a.id < b.id ? 1 : -1))).toEqual(events);
  expect(await eventsOf(other, "key.created")).toHaveLength(1);
});

const projectOf = async (client: Client) => (await client.identity.get()).identity.project!;
