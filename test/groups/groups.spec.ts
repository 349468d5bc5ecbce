import type { FailureGroup, ProjectEvent } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startChatAgent } from "../support/chat-agent.ts";
import { spanOf, traceIdOf } from "../support/ingest.ts";
import { conversation, graded, gradesOf, sendSpans } from "../support/production.ts";
import { chatConnection, played, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { placesWith } from "../support/stored-bytes.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    settings: { SVC_OUTBOUND_PRIVATE: "true" },
    productionPace: { everyMs: 50 },
    groups: { pace: { everyMs: 20 } },
  });
});
afterAll(() => server.stop());

/** Returns a client of a new project whose production conversations must not say "guarantee". */
async function newProject(checks: readonly string[] = ['never says "guarantee"']): Promise<Client> {
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  const client = server.clientOf((await server.admin.keys.create({ project_id: project.id })).secret);
  for (const check of checks)
    await client.graders.create({ name: check, definition: { kind: "check", check }, scope: "production" });
  return client;
}

/** Sends conversations with these words of the agent, and waits until they are graded. */
async function sendAll(client: Client, said: Record<number, string>, graders = 1): Promise<void> {
  await sendSpans(
    server,
    client,
    Object.entries(said).flatMap(([trace, words]) => conversation(Number(trace), words)),
  );
  for (const trace of Object.keys(said)) await graded(client, Number(trace), graders);
}

/** Returns a conversation that starts after all others, with or without a version of the agent. */
function laterConversation(trace: number, said: string, version?: string) {
  const startNs = `${Date.now() + 60_000}000000`;
  const named = version === undefined ? [] : [{ key: "svc.agent_version", value: { stringValue: version } }];
  return conversation(trace, said).map((span) => ({
    ...span,
    attributes: [...(span.attributes ?? []), ...named],
    startTimeUnixNano: startNs,
    endTimeUnixNano: startNs,
  }));
}

const groupsOf = async (client: Client) => (await client.groups.list({ sort: "size" })).groups;

/** Waits until the project's groups have these sizes, and returns the groups, the largest first. */
const grouped = (client: Client, ...sizes: number[]): Promise<FailureGroup[]> =>
  until(`groups of ${sizes.join(" and ")}`, async () => {
    const groups = await groupsOf(client);
    return groups.map(({ size }) => size).join() === sizes.join() && groups;
  });

const eventsOf = async (client: Client, type: "group.opened" | "group.regressed") =>
  (await client.events.list({ type })).events as Extract<ProjectEvent, { type: typeof type }>[];

const ROOM = (room: number) => `I guarantee that room ${room} is free.`;
const REFUND = (amount: string) => `We guarantee you get your money back: ${amount}.`;

describe("failures", () => {
  test("failures of one thing with similar words are one group, whatever names and numbers they have", async () => {
    const client = await newProject();
    await sendAll(client, {
      1: ROOM(12),
      2: ROOM(400),
      3: REFUND("$12.50"),
      4: ROOM(7),
      5: REFUND("30 euros"),
      6: "Perhaps.",
    });
    const [rooms, refunds] = await grouped(client, 3, 2);
    expect(rooms).toMatchObject({
      id: expect.stringMatching(/^grp_/),
      title: ROOM(12),
      words: ["guarantee", "room", "free"].toSorted(),
      what: { kind: "behavior", behavior: 'never says "guarantee"' },
      state: "open",
      agentNames: [null],
    });
    expect(refunds!.title).toBe(REFUND("$12.50"));
    expect(rooms!.trend).toHaveLength(14);
    const { members } = await client.groups.members({ groupId: rooms!.id });
    expect(members.map(({ traceId, turn, quote, source }) => [traceId, turn, quote, source].join()).toSorted()).toEqual(
      [1, 2, 4]
        .map((trace) => [traceIdOf(trace), 1, ROOM({ 1: 12, 2: 400, 4: 7 }[trace]!), "production"].join())
        .toSorted(),
    );
    const opened = await eventsOf(client, "group.opened");
    // If an older conversation is grouped later, the group gets another id. The former id still leads to the group.
    const led = await Promise.all(opened.map(({ data }) => client.groups.get({ groupId: data.group.id })));
    expect(led.map(({ group }) => group.id).toSorted()).toEqual([rooms!.id, refunds!.id].toSorted());
    expect(JSON.stringify(opened)).not.toMatch(/room|money/);
    expect(opened[0]!.link).toContain(`/groups/${opened[0]!.data.group.id}`);
  });

  test("failures of different things are in different groups, and one conversation can be in several", async () => {
    const client = await newProject(['never says "guarantee"', 'never says "free"']);
    await sendAll(client, { 1: ROOM(1), 2: "The room is free." }, 2);
    const groups = await until("both failed things have groups", async () => {
      const found = await groupsOf(client);
      return found.length >= 2 && found.reduce((sum, { size }) => sum + size, 0) === 3 && found;
    });
    expect(new Set(groups.map(({ whatText }) => whatText)).size).toBe(2);
  });

  test("failures of simulations and of production are in one group when the same thing fails", async () => {
    const client = await newProject();
    await sendAll(client, { 1: ROOM(5) });
    const agent = await startChatAgent(() => ({ message: ROOM(6), ended: true }));
    const target = await chatConnection(client, agent.url);
    const testVersions = await versionsOf(client, [
      { scenario: "Says: A room.", behaviors: ['never says "guarantee"'] },
    ]);
    const { id } = await startRun(client, { ...target, testVersions });
    const { simulations } = await played({ client }, id);
    agent.stop();
    const [group] = await until("both are in one group", async () => {
      const found = await groupsOf(client);
      return found[0]?.size === 2 && found;
    });
    const { members } = await client.groups.members({ groupId: group!.id });
    expect(members.find(({ source }) => source === "simulation")).toMatchObject({
      simulationId: simulations[0]!.id,
      runId: id,
      traceId: simulations[0]!.traceId,
      quote: ROOM(6),
    });
    const listed = (query: object) => client.groups.list(query).then(({ groups }) => groups.length);
    expect(await listed({ source: "simulation" })).toBe(1);
    expect(await listed({ agent: "Nobody" })).toBe(0);
    expect(await listed({ agent: group!.agentNames.at(-1)!, source: "simulation", state: "open" })).toBe(1);
    // When a simulation is graded again, the new grades replace the former ones.
    await client.simulations.regrade({ simulationId: simulations[0]!.id });
    await until("it is graded again", async () => {
      const { simulation } = await client.simulations.get({ simulationId: simulations[0]!.id });
      return simulation.gradings === 2;
    });
    expect((await client.groups.get({ groupId: group!.id })).group.size).toBe(2);
  });

  test("failures of a conversation that grows and is graded by another grader count once each", async () => {
    const client = await newProject();
    await sendAll(client, { 1: ROOM(1) });
    await grouped(client, 1);
    await client.graders.create({
      name: "another",
      definition: { kind: "check", check: 'never says "free"' },
      scope: "production",
    });
    const late = spanOf(1, 9, { name: "late", attributes: [{ key: "lk.job_id", value: { stringValue: "job-1" } }] });
    await sendSpans(server, client, [late]);
    await until("the other grader decided", async () => (await gradesOf(client, 1)).length === 2);
    await grouped(client, 1, 1);
  });
});

describe("a state", () => {
  test("a resolved group opens for a later conversation only, and says so once", async () => {
    const client = await newProject();
    await sendAll(client, { 1: ROOM(1) });
    const [{ id: groupId }] = (await grouped(client, 1)) as [FailureGroup];
    const { group: resolved } = await client.groups.edit({ groupId, state: "resolved" });
    expect(resolved).toMatchObject({ state: "resolved", resolvedBy: expect.any(String), regressedAt: null });
    // This conversation started before the group was resolved.
    await sendAll(client, { 2: ROOM(2) });
    expect((await grouped(client, 2))[0]).toMatchObject({ state: "resolved" });
    const later = laterConversation(3, ROOM(3));
    await sendSpans(server, client, later);
    const [regressed] = await grouped(client, 3);
    expect(regressed).toMatchObject({
      state: "open",
      resolvedAt: resolved.resolvedAt,
      regressedAt: regressed!.lastSeenAt,
    });
    expect(await eventsOf(client, "group.regressed")).toMatchObject([{ data: { group: { id: groupId, size: 3 } } }]);
    expect(await eventsOf(client, "group.opened")).toHaveLength(1);
  });

  test("a group that the next version mends opens for a failure of that version only", async () => {
    const client = await newProject();
    await sendSpans(server, client, laterConversation(1, ROOM(1), "41"));
    const [{ id: groupId, agentVersions }] = (await grouped(client, 1)) as [FailureGroup];
    expect(agentVersions).toEqual(["41"]);
    await client.groups.edit({ groupId, state: "resolved", exceptVersions: agentVersions });
    await sendSpans(server, client, laterConversation(2, ROOM(2), "41"));
    expect((await grouped(client, 2))[0]).toMatchObject({ state: "resolved", resolvedExceptVersions: ["41"] });
    await sendSpans(server, client, laterConversation(3, ROOM(3), "42"));
    expect((await grouped(client, 3))[0]).toMatchObject({ state: "open", agentVersions: ["42", "41"] });
    const { members } = await client.groups.members({ groupId });
    expect(members.map(({ agentVersion }) => agentVersion)).toEqual(["42", "41", "41"]);
    expect(await eventsOf(client, "group.regressed")).toHaveLength(1);
    const wrong = client.groups.edit({ groupId, state: "ignored", exceptVersions: ["42"] });
    await expect(wrong).rejects.toMatchObject({ code: "unprocessable" });
  });

  test("an ignored group stays ignored, and can be reopened", async () => {
    const client = await newProject();
    await sendAll(client, { 1: ROOM(1) });
    const [{ id: groupId }] = (await grouped(client, 1)) as [FailureGroup];
    await client.groups.edit({ groupId, state: "ignored" });
    await sendAll(client, { 2: ROOM(2) });
    expect((await grouped(client, 2))[0]!.state).toBe("ignored");
    expect((await client.groups.list({ state: "open" })).groups).toEqual([]);
    expect((await client.groups.edit({ groupId, state: "open" })).group.state).toBe("open");
  });
});

describe("the review queue", () => {
  test("the review queue gets the newest conversations of a group that opens, and of one that comes back, with the reason", async () => {
    const client = await newProject();
    const graderId = (await client.graders.list({})).graders[0]!.id;
    await client.review.configure({ enabled: true, sources: ["failure_group"], graderIds: [graderId] });
    await sendAll(client, { 1: ROOM(1) });
    const [group] = await grouped(client, 1);
    await sendAll(client, { 2: ROOM(2) });
    await grouped(client, 2);
    const reasonsOf = async () =>
      (await client.review.list({})).items.map(({ traceId, state, gradeIds, reasons }) => ({
        traceId,
        state,
        grades: gradeIds.length,
        sentences: reasons.map(({ reason, sentence }) => `${reason}: ${sentence}`),
      }));
    const isNew = 'failure_group: It is one of the failures of a group that is new: Behavior: never says "guarantee".';
    expect(await reasonsOf()).toEqual([{ traceId: traceIdOf(1), state: "open", grades: 1, sentences: [isNew] }]);
    await client.groups.edit({ groupId: group!.id, state: "resolved" });
    await sendSpans(server, client, laterConversation(3, ROOM(3)));
    await graded(client, 3);
    await grouped(client, 3);
    const came = isNew.replace("is new", "came back");
    const items = await reasonsOf();
    expect(items.find(({ traceId }) => traceId === traceIdOf(3))?.sentences).toEqual([came]);
    expect(items).toHaveLength(3);
    await client.traces.delete({ traceId: traceIdOf(3) });
    await until("the item is erased", async () => (await reasonsOf()).length === 2);
  });
});

describe("lists", () => {
  test("pages have every group and every member once, in their order", async () => {
    const client = await newProject();
    const said = ["guarantee apples", "guarantee the moon", "guarantee parking", "guarantee silence"];
    await sendAll(client, Object.fromEntries(said.map((words, n) => [n + 1, words])));
    await sendAll(client, { 11: said[0]!, 12: said[0]!, 13: said[1]! });
    const all = await grouped(client, 3, 2, 1, 1);
    for (const sort of ["size", "last_seen"] as const) {
      const seen: string[] = [];
      for (let pageToken: string | undefined; ;) {
        const page = await client.groups.list({ sort, pageSize: 1, pageToken });
        seen.push(...page.groups.map(({ id }) => id));
        if (page.nextPageToken === null) break;
        pageToken = page.nextPageToken;
      }
      expect(seen.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
      if (sort === "size") expect(seen).toEqual(all.map(({ id }) => id));
    }
    const groupId = all[0]!.id;
    const first = await client.groups.members({ groupId, pageSize: 2 });
    const rest = await client.groups.members({ groupId, pageSize: 2, pageToken: first.nextPageToken! });
    expect(rest.nextPageToken).toBeNull();
    expect(new Set([...first.members, ...rest.members].map(({ traceId }) => traceId)).size).toBe(3);
    const foreign = client.groups.list({ sort: "size", pageToken: first.nextPageToken! });
    await expect(foreign).rejects.toMatchObject({ code: "unprocessable" });
  });
});

describe("an erasure", () => {
  test("an erasure removes the words of a conversation from its groups, and a group without failures", async () => {
    const client = await newProject();
    await sendAll(client, { 1: "I guarantee a large blue kayak.", 2: "I guarantee a large kayak.", 3: REFUND("$5") });
    const [kayaks, refunds] = await grouped(client, 2, 1);
    const titled = kayaks!.title === "I guarantee a large blue kayak." ? 1 : 2;
    await client.traces.delete({ traceId: traceIdOf(titled) });
    const left = (await grouped(client, 1, 1)).find(({ id }) => id !== refunds!.id);
    expect(left).toMatchObject({ id: kayaks!.id });
    expect(left!.title).not.toBe(kayaks!.title);
    await client.traces.delete({ traceId: traceIdOf(3 - titled) });
    await until(
      "no store has its words",
      async () => Object.keys(await placesWith(server.dataDir, "kayak")).length === 0,
    );
    await client.traces.delete({ traceId: traceIdOf(3) });
    await grouped(client);
    await expect(client.groups.get({ groupId: refunds!.id })).rejects.toMatchObject({ code: "not_found" });
  });
});
