import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { join } from "../support/people.ts";
import { conversation, sendSpans } from "../support/production.ts";
import { queued } from "../support/review.ts";
import type { TestServer } from "../support/server.ts";
import { openProcesses, type Processes } from "./processes.ts";

const ITEMS = 60;

let processes: Processes;
beforeAll(async () => {
  processes = await openProcesses(2, { productionPace: { everyMs: 50 } });
});
afterAll(() => processes.stop());

test("people who take items from two processes at once never get the same one, and each item is done once", async () => {
  const [one, other] = processes.services as [TestServer, TestServer];
  const definition = { kind: "check", check: 'says "fine"' } as const;
  const { grader } = await one.client.graders.create({ name: "Fine", definition, scope: "production" });
  await one.client.review.configure({ enabled: true, sources: ["random"], randomShare: 1, graderIds: [grader.id] });
  const traces = Array.from({ length: ITEMS }, (_, trace) => trace);
  await sendSpans(
    one,
    one.client,
    traces.flatMap((trace) => conversation(trace, "I am fine.")),
  );
  const items = await queued(other.client, ITEMS);
  expect(items).toHaveLength(ITEMS);

  const taken: string[] = [];
  const names = Array.from({ length: 6 }, (_, n) => `reviewer-${n}`);
  const people = await Promise.all(names.map((name) => join(one.url, one.admin, `${name}@acme.test`, "member")));
  const work = async (client: Client) => {
    for (;;) {
      const { item } = await client.review.next({ projectId: one.project.id });
      if (item === null) return;
      taken.push(item.id);
      await client.review.label({ reviewItemId: item.id, verdict: "passed", projectId: one.project.id });
    }
  };
  const clients = people.map(({ key }, n) => [one, other][n % 2]!.clientOf(key));
  await Promise.all(clients.map(work));
  expect(taken.toSorted()).toEqual(items.map(({ id }) => id).toSorted());
  expect((await other.client.review.queue()).queue.counts).toEqual({
    waiting: 0,
    open: 0,
    inWork: 0,
    done: ITEMS,
    skipped: 0,
  });
});
