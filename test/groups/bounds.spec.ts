import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGroupingStore } from "../../packages/server/src/groups/store/grouping.ts";
import { BOUNDS } from "../../packages/server/src/groups/store/regroup.ts";
import { openStoreOf } from "../support/engine.ts";
import { traceIdOf } from "../support/ingest.ts";
import { conversation, graded, sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

const FAILURES = 6;
const GROUPS = 3;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    productionPace: { everyMs: 50 },
    groups: { pace: { everyMs: 20 }, bounds: { groups: GROUPS, failures: FAILURES } },
  });
});
afterAll(() => server.stop());

async function newProject(): Promise<{ id: string; client: Client }> {
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  const client = server.clientOf((await server.admin.keys.create({ project_id: project.id })).secret);
  const definition = { kind: "check", check: 'never says "guarantee"' } as const;
  await client.graders.create({ name: "No guarantee", definition, scope: "production" });
  return { id: project.id, client };
}

/** Sends a conversation that fails with these words and starts `trace` minutes after the first, and waits until it is graded. */
async function fail(client: Client, trace: number, words: string): Promise<void> {
  const atNs = `${Date.now() - 3_600_000 + trace * 60_000}000000`;
  const spans = conversation(trace, words).map((span) => ({
    ...span,
    startTimeUnixNano: atNs,
    endTimeUnixNano: atNs,
  }));
  await sendSpans(server, client, spans);
  await graded(client, trace);
}

const groupsOf = async (client: Client) => (await client.groups.list({ sort: "last_seen" })).groups;
const membersOf = async (client: Client) => {
  const all = await Promise.all((await groupsOf(client)).map(({ id }) => client.groups.members({ groupId: id })));
  return all.flatMap(({ members }) => members.map(({ traceId }) => String(traceId))).toSorted();
};
const traces = (...numbers: number[]) => numbers.map(traceIdOf).toSorted();

test("a project keeps its newest failures, and a group counts only those that are kept", async () => {
  const { client } = await newProject();
  for (let trace = 1; trace <= FAILURES + 2; trace++) await fail(client, trace, `I guarantee room ${trace}.`);
  await until("the newest are kept", async () => (await membersOf(client)).join() === traces(3, 4, 5, 6, 7, 8).join());
  expect(await groupsOf(client)).toMatchObject([{ size: FAILURES, title: expect.stringMatching(/room [3-8]/) }]);
});

test("a project keeps the groups that failed last, and forgets the failures of the others", async () => {
  const { client } = await newProject();
  const kinds = [
    "I guarantee that a blue kayak waits.",
    "We guarantee your money within a week.",
    "The chef gives a guarantee for fresh salmon.",
    "Parking is under guarantee in the garage below.",
  ];
  for (const [at, words] of kinds.entries()) await fail(client, at + 1, words);
  await until("the last groups are kept", async () => (await membersOf(client)).join() === traces(2, 3, 4).join());
  expect((await groupsOf(client)).map(({ title }) => title)).toEqual(kinds.slice(1).toReversed());
  // When the first cause fails again, the service deletes the group whose last failure is oldest.
  await fail(client, 5, kinds[0]!);
  await until("it has come back", async () => (await membersOf(client)).join() === traces(3, 4, 5).join());
});

test("what was decided before a time goes with its group, in one project or in all", async () => {
  const [one, other] = [await newProject(), await newProject()];
  for (const { client } of [one, other]) {
    await fail(client, 1, "I guarantee that a blue kayak waits.");
    await until("it has a group", async () => (await groupsOf(client)).length === 1);
  }
  const store = await openStoreOf(server.dataDir);
  const { removeBefore } = createGroupingStore(store.db, { bounds: BOUNDS });
  const later = new Date(Date.now() + 60_000).toISOString();
  await removeBefore(new Date(0).toISOString(), undefined);
  await removeBefore(later, one.id);
  expect([(await groupsOf(one.client)).length, (await groupsOf(other.client)).length]).toEqual([0, 1]);
  await removeBefore(later, undefined);
  expect(await groupsOf(other.client)).toEqual([]);
  await store.close();
});
