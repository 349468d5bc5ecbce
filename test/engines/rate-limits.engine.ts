import { setTimeout as delay } from "node:timers/promises";
import { LIMITS } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startChatAgent } from "../support/chat-agent.ts";
import { send } from "../support/request.ts";
import { chatConnection } from "../support/runs.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { openProcesses, type Processes } from "./processes.ts";

const LIMIT = 100;
/** The number of requests that the start of the two processes makes. */
const SPENT_BEFORE = 2;

let processes: Processes;
let services: TestServer[];
beforeAll(async () => {
  processes = await openProcesses(2, {
    settings: { SVC_RATE_LIMIT_PER_MINUTE: String(LIMIT), SVC_TRUST_PROXY: "true" },
    rateWindowMs: 600_000,
  });
  ({ services } = processes);
});
afterAll(() => processes.stop());

const read = (n: number, key: string, headers: Record<string, string> = {}) =>
  send(services[n % 2]!.url, { method: "GET", path: "/v1/organization", key, headers });

test("an organization's limit holds for all processes together, and each request counts once", async () => {
  const { adminKey } = services[0]!;
  const replies = await Promise.all(Array.from({ length: LIMIT + 40 }, (_, n) => read(n, adminKey)));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(LIMIT - SPENT_BEFORE);
  const refused = replies.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(40 + SPENT_BEFORE);
  for (const { headers } of refused) expect(headers.get("ratelimit-remaining")).toBe("0");
  const left = replies.flatMap(({ status, headers }) =>
    status === 200 ? [Number(headers.get("ratelimit-remaining"))] : [],
  );
  expect(left.sort((one, other) => one - other)).toEqual(Array.from({ length: LIMIT - SPENT_BEFORE }, (_, n) => n));
});

test("wrong credentials from one address are counted by all processes together", async () => {
  const headers = { "x-forwarded-for": "192.0.2.7" };
  const statuses: number[] = [];
  for (let n = 0; n < 70; n++) statuses.push((await read(n, `svc_sk_${"x".repeat(43)}`, headers)).status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(60);
  expect(statuses.at(-1)).toBe(429);
});

test("wrong passwords for an account from a network slow each other at all processes", async () => {
  const headers = { "x-forwarded-for": "192.0.2.9" };
  const signIn = (n: number, password: string) =>
    send(services[n % 2]!.url, {
      method: "POST",
      path: "/api/auth/sign-in/email",
      headers,
      json: { email: "admin@acme.test", password },
    });
  const replies = await Promise.all(Array.from({ length: 12 }, (_, n) => signIn(n, `guess ${n}`)));
  const tried = replies.filter(({ status }) => status === 401).length;
  const refused = replies.filter(({ status }) => status === 429);
  expect(tried + refused.length).toBe(12);
  // On a slow machine, guesses that come more than a second later are checked too.
  expect(tried).toBeGreaterThanOrEqual(6);
  expect(tried).toBeLessThan(10);
  for (const reply of refused) expect(Number(reply.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  await until("the right password is taken after the wait", async () => {
    const { status, headers: answered } = await signIn(1, "correct horse battery");
    if (status === 429) await delay(Number(answered.get("retry-after")) * 1_000);
    return status === 200;
  });
  for (let n = 0; n < 5; n++) expect((await signIn(n, "again wrong")).status).toBe(401);
});

test("requests without a session from one network are counted by all processes together", async () => {
  const headers = { "x-forwarded-for": "192.0.2.10" };
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      send(services[n % 2]!.url, { method: "POST", path: "/api/device/code", headers, json: {} }),
    ),
  );
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(30);
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(10);
});

test("the bucket of ingest holds for all processes together, and is refilled", async () => {
  const perMinute = 120;
  const bucketed = await openProcesses(2, { settings: { SVC_INGEST_RATE_LIMIT_PER_MINUTE: String(perMinute) } });
  const [{ projectKey: key }] = bucketed.services as [TestServer];
  const exportAt = (n: number) =>
    send(bucketed.services[n % 2]!.url, {
      method: "POST",
      path: "/v1/traces",
      key,
      headers: { "content-type": "application/x-protobuf" },
      body: Buffer.alloc(0),
    });
  const startedAt = performance.now();
  const replies = await Promise.all(Array.from({ length: 2 * perMinute }, (_, n) => exportAt(n)));
  const refilled = Math.ceil(((performance.now() - startedAt) / 60_000) * perMinute);
  const taken = replies.filter(({ status }) => status === 200).length;
  expect(taken).toBeGreaterThanOrEqual(perMinute);
  expect(taken).toBeLessThanOrEqual(perMinute + refilled);
  const refused = replies.filter(({ status }) => status === 429);
  expect(refused.length).toBe(2 * perMinute - taken);
  for (const { headers } of refused) {
    expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(5);
  }
  await until("an export is taken again", async () => (await exportAt(1)).status === 200);
  await bucketed.stop();
});

test("the tries of an organization at the same time are counted by all processes together", async () => {
  const held = Promise.withResolvers<object>();
  const agent = await startChatAgent(async () => held.promise);
  const unlimited = await openProcesses(2);
  const [one, other] = unlimited.services as [TestServer, TestServer];
  const ids = await chatConnection(one.client, agent.url);
  const tryAt = ({ client }: TestServer) => client.connections.try(ids);
  const tries = Array.from({ length: 2 * LIMITS.connectionTriesAtOnce }, (_, n) => tryAt(n % 2 === 0 ? one : other));
  const refused: unknown[] = [];
  for (const attempt of tries) attempt.catch((error: unknown) => refused.push(error));
  await expect.poll(() => refused.length).toBe(LIMITS.connectionTriesAtOnce);
  for (const error of refused) expect(error).toMatchObject({ code: "too_many_requests", retryAfterSeconds: 5 });
  held.resolve({ message: "Yes." });
  await Promise.allSettled(tries);
  expect(refused).toHaveLength(LIMITS.connectionTriesAtOnce);
  expect(await tryAt(other)).toMatchObject({ result: "works" });
  agent.stop();
  await unlimited.stop();
});
