import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GroupMember } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OtlpSpan } from "../support/otlp.ts";
import { conversation, graded, sendSpans } from "../support/production.ts";
import { keySettings } from "../support/secret.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { openProcesses, type Processes } from "./processes.ts";
import { spawnService, type Spawned } from "./spawned.ts";

const OPTIONS = { productionPace: { everyMs: 100, leaseMs: 2_000 }, groups: { pace: { everyMs: 20, leaseMs: 2_000 } } };
const MATTERS = ["the room is free", "you get your money back", "the parcel comes tomorrow", "nobody reads your mail"];

let processes: Processes;
let spawned: Spawned | undefined;
const folder = mkdtempSync(join(tmpdir(), "svc-spec-"));
beforeAll(async () => {
  processes = await openProcesses(2, OPTIONS);
  const [{ client }] = services();
  await client.graders.create({
    name: "promises",
    definition: { kind: "check", check: 'never says "guarantee"' },
    scope: "production",
  });
});
afterAll(async () => {
  await spawned?.kill();
  await processes.stop();
  rmSync(folder, { recursive: true });
});

const services = () => processes.services as [TestServer, TestServer];

/** Sends `count` conversations that fail, numbered from `from`. Each process gets half of them at the same time. */
async function sendFailing(from: number, count: number): Promise<void> {
  const exports: OtlpSpan[][] = [[], []];
  for (let n = 0; n < count; n++) {
    const said = `I guarantee that ${MATTERS[n % MATTERS.length]}, number ${n}.`;
    exports[n % 2]!.push(...conversation(from + n, said));
  }
  await Promise.all(services().map((service, at) => sendSpans(service, service.client, exports[at]!)));
}

async function membersOf(service: TestServer): Promise<{ groupId: string; members: GroupMember[] }[]> {
  const { groups } = await service.client.groups.list({ pageSize: 200 });
  return Promise.all(
    groups.map(async ({ id: groupId }) => ({
      groupId,
      members: (await service.client.groups.members({ groupId, pageSize: 200 })).members,
    })),
  );
}

/** Waits until the groups contain this many failures, and expects each conversation in exactly one group. */
async function expectGrouped(count: number): Promise<void> {
  const groups = await until(`${count} failures are grouped`, async () => {
    const found = await membersOf(services()[1]);
    return found.reduce((sum, { members }) => sum + members.length, 0) >= count && found;
  });
  expect(groups.map(({ members }) => members.length)).toEqual(MATTERS.map(() => count / MATTERS.length));
  const conversations = groups.flatMap(({ members }) => members.map(({ traceId }) => traceId));
  expect(new Set(conversations).size).toBe(count);
  const { events } = await services()[0].client.events.list({ type: "group.opened", pageSize: 200 });
  expect(events).toHaveLength(MATTERS.length);
}

test("several processes put each failure into its group once", async () => {
  await sendFailing(1, 40);
  await expectGrouped(40);
});

test("a killed process loses no failure and counts none twice", async () => {
  const [{ adminKey, projectKey, client }] = services();
  for (let round = 0; round < 3; round++) {
    spawned = await spawnService({
      dataDir: folder,
      databases: processes.databases,
      settings: keySettings({ adminKey, projectKey }),
      ...OPTIONS,
    });
    await sendFailing(100 + 20 * round, 20);
    await graded(client, 100 + 20 * round);
    await spawned.kill();
  }
  await expectGrouped(100);
});
