import type { ListedTrace, ProjectChange } from "@svc/contract";
import { createClient, followChanges } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conversation, sendSpans } from "../support/production.ts";
import { traceIdOf } from "../support/ingest.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ changeLimits: { paceMs: 100, heartbeatMs: 50, atOnceOfOne: 30 } });
});
afterAll(() => server.stop());

async function newProject() {
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  const key = await server.admin.keys.create({ project_id: project.id });
  return { project, key, client: server.clientOf(key.secret) };
}

/** Follows the changes and returns a function that waits for the next event of a kind. */
function follow(client: Parameters<typeof followChanges>[0], options: { after?: string } = {}) {
  const stop = new AbortController();
  const changes = followChanges(client, { ...options, signal: stop.signal });
  return {
    stop: () => stop.abort(),
    async next<Kind extends ProjectChange["kind"]>(kind: Kind): Promise<Extract<ProjectChange, { kind: Kind }>> {
      for (;;) {
        const { value, done } = await changes.next();
        if (done) throw new Error("the stream has ended");
        if (value.kind === kind) return value as Extract<ProjectChange, { kind: Kind }>;
      }
    },
  };
}

describe("a stream of changes", () => {
  test("a stream of changes sends each conversation as the list shows it once the service has read its spans, and again after new spans", async () => {
    const { client } = await newProject();
    const { next, stop } = follow(client);
    await next("ready");
    await sendSpans(server, client, conversation(1, "Hello.", { isOver: false }));
    const first = await next("conversations");
    const { traces } = await client.traces.list();
    const [{ verdicts: _, searchMatch: __, ...row }] = traces as [ListedTrace];
    expect(first).toMatchObject({ traces: [row], isMore: false });
    await sendSpans(server, client, conversation(1, "Hello.").slice(0, 1));
    const second = await next("conversations");
    expect(second.traces).toMatchObject([{ traceId: traceIdOf(1), complete: true }]);
    stop();
  });

  test("a stream of changes has no conversation of another project", async () => {
    const [own, other] = [await newProject(), await newProject()];
    const { next, stop } = follow(own.client);
    await next("ready");
    await sendSpans(server, other.client, conversation(1, "Theirs."));
    await sendSpans(server, own.client, conversation(2, "Ours."));
    expect((await next("conversations")).traces.map(({ traceId }) => traceId)).toEqual([traceIdOf(2)]);
    stop();
  });

  test("a stream of changes continues after a given cursor, and sends `reset` when the cursor is unknown", async () => {
    const { client } = await newProject();
    const before = follow(client);
    const { cursor } = await before.next("ready");
    before.stop();
    await sendSpans(server, client, conversation(1, "Meanwhile."));
    const after = follow(client, { after: cursor });
    expect((await after.next("conversations")).traces).toHaveLength(1);
    after.stop();
    for (const unknown of ["elsewhere.1", "nonsense", `${cursor.split(".")[0]}.999999`]) {
      const lost = follow(client, { after: unknown });
      expect(await lost.next("reset")).toMatchObject({ kind: "reset" });
      lost.stop();
    }
  });

  test("a stream of changes sends the number of failed imports when the monitoring of the project changes", async () => {
    const { client } = await newProject();
    const { next, stop } = follow(client);
    await next("ready");
    await client.monitoring.savePlatformB();
    expect(await next("imports")).toMatchObject({ openFailures: 0 });
    stop();
  });

  test("a stream of changes ends when its key is revoked", async () => {
    const { client, key } = await newProject();
    const text = new Response(await client.changes.stream()).text();
    await server.admin.keys.revoke({ apiKeyId: key.id });
    expect(await text).toContain("event: ready");
  });

  test("a stream of changes outlives the time limit of the client for one request", async () => {
    const { key } = await newProject();
    const client = createClient({ baseUrl: server.url, apiKey: key.secret, timeoutMs: 300, retries: 0 });
    const reader = (await client.changes.stream()).getReader();
    const until = Date.now() + 700;
    while (Date.now() < until) expect((await reader.read()).done).toBe(false);
    await reader.cancel();
  });

  test("a stream of changes is refused when an organization has too many, and opens again after others have ended", async () => {
    const { client } = await newProject();
    const stops: (() => void)[] = [];
    const openOne = () => {
      const stop = new AbortController();
      stops.push(() => stop.abort());
      return client.changes.stream({}, { signal: stop.signal });
    };
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, openOne));
    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
    expect(refusals.length).toBeGreaterThanOrEqual(10);
    expect(refusals[0]).toMatchObject({ status: 503, retryAfterSeconds: 10 });
    for (const stop of stops) stop();
    const stream = await until("a place is free", () => client.changes.stream().catch(() => false as const));
    await stream.cancel();
  });
});

test("two hundred streams of a project get each change from one read of it", async () => {
  const many = await startServer({ changeLimits: { paceMs: 200 } });
  const stop = new AbortController();
  const streams = Array.from({ length: 200 }, () => followChanges(many.client, { signal: stop.signal }));
  await Promise.all(streams.map((stream) => stream.next()));
  await sendSpans(many, many.client, conversation(1, "Hello."));
  const changes = await Promise.all(streams.map((stream) => stream.next()));
  expect(new Set(changes.map(({ value }) => JSON.stringify(value))).size).toBe(1);
  expect(changes[0]!.value).toMatchObject({ kind: "conversations", traces: [{ traceId: traceIdOf(1) }] });
  stop.abort();
  await many.stop();
});
