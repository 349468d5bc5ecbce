import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { parseMetrics, valueOf } from "../support/prometheus.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { send } from "../support/request.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { startSmtp } from "../support/smtp.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

const TOKEN = "a-token-of-the-specs-with-thirty-two-characters";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The number of attempts after which the service gives a delivery up. */
const ATTEMPTS = 10;

let nowMs = Date.now() - 1_000 * HOUR_MS;
let server: TestServer;
let smtp: Awaited<ReturnType<typeof startSmtp>>;
let receiver: Receiver;
let status = 204;

beforeAll(async () => {
  later(0);
  smtp = await startSmtp();
  receiver = await startReceiver((_, response) => void response.writeHead(status).end());
  server = await startServer({
    settings: {
      SVC_METRICS_TOKEN: TOKEN,
      SVC_OUTBOUND_PRIVATE: "true",
      SVC_SMTP_URL: smtp.url,
      SVC_MAIL_FROM: "svc@acme.test",
    },
    senderPace: { everyMs: 10 },
  });
});
afterAll(async () => {
  receiver.stop();
  await server.stop();
  await smtp.stop();
  vi.useRealTimers();
});

/** Moves the clock forward. Timers use the real clock. */
function later(ms: number): void {
  nowMs += ms;
  vi.useFakeTimers({ now: nowMs, toFake: ["Date"] });
}

const scrape = async () => parseMetrics((await send(server.url, { method: "GET", path: "/metrics", key: TOKEN })).text);
const waiting = async (kind: string) => valueOf(await scrape(), "svc_deliveries_waiting", `{kind="${kind}"}`);
const oldestSeconds = async (kind: string) =>
  valueOf(await scrape(), "svc_deliveries_oldest_waiting_seconds", `{kind="${kind}"}`);
const ended = async (kind: string) => {
  const families = await scrape();
  const of = (result: string) => valueOf(families, "svc_deliveries_total", `{kind="${kind}",result="${result}"}`);
  return { sent: of("sent"), failed: of("failed"), givenUp: of("given_up") };
};

const create = async (kind: "webhook" | "slack" | "email") => {
  const address = kind === "email" ? { email: "admin@acme.test" } : { url: receiver.url };
  const wanted = { name: freshName(kind), kind, ...address, eventTypes: ["key.created" as const] };
  return (await server.client.destinations.create(wanted)).destination.id;
};
const remove = (destinationId: string) => server.client.destinations.delete({ destinationId });
const makeKey = () => server.admin.keys.create({ name: freshName("key"), project_id: server.project.id });

test("before any delivery every kind of destination has its numbers, and they are zero", async () => {
  const families = await scrape();
  expect(families.get("svc_deliveries_total")!.samples).toHaveLength(9);
  for (const name of ["svc_deliveries_total", "svc_deliveries_waiting", "svc_deliveries_oldest_waiting_seconds"])
    expect(new Set(families.get(name)!.samples.map(({ value }) => value))).toEqual(new Set([0]));
});

test.each(["webhook", "slack"] as const)(
  "an event that a %s accepts is one sent delivery of its kind",
  async (kind) => {
    const id = await create(kind);
    const before = await ended(kind);
    await makeKey();
    await until("it is counted", async () => (await ended(kind)).sent > before.sent);
    expect(await ended(kind)).toEqual({ ...before, sent: before.sent + 1 });
    expect(await waiting(kind)).toBe(0);
    expect(await oldestSeconds(kind)).toBe(0);
    await remove(id);
  },
);

test("events wait for the next digest by mail, and each of them is a sent delivery", async () => {
  const id = await create("email");
  await makeKey();
  await makeKey();
  expect(await waiting("email")).toBe(2);
  later(16 * MINUTE_MS);
  await until("the mail is sent", async () => (await waiting("email")) === 0);
  expect(smtp.mailsTo("admin@acme.test")).toHaveLength(1);
  expect(await ended("email")).toEqual({ sent: 2, failed: 0, givenUp: 0 });
  await remove(id);
});

test("a receiver that fails shows as failed attempts and the age of its oldest event, and in the end as given up", async () => {
  status = 500;
  const id = await create("webhook");
  const before = await ended("webhook");
  const failed = (attempts: number) =>
    until(`${attempts} attempts failed`, async () => (await ended("webhook")).failed === before.failed + attempts);
  await makeKey();
  await failed(1);
  later(HOUR_MS);
  await failed(2);
  expect(await waiting("webhook")).toBe(1);
  expect(await oldestSeconds("webhook")).toBe(3_600);
  for (let attempts = 3; attempts < ATTEMPTS; attempts++) {
    later(14 * HOUR_MS);
    await failed(attempts);
  }
  later(14 * HOUR_MS);
  await until("it is given up", async () => (await ended("webhook")).givenUp > before.givenUp);
  expect(await ended("webhook")).toEqual({
    sent: before.sent,
    failed: before.failed + ATTEMPTS - 1,
    givenUp: before.givenUp + 1,
  });
  expect(await waiting("webhook")).toBe(0);
  await remove(id);
  status = 204;
});

test("what a person paused does not count as waiting", async () => {
  status = 500;
  const id = await create("webhook");
  const before = await ended("webhook");
  await makeKey();
  await until("the attempt failed", async () => (await ended("webhook")).failed > before.failed);
  expect(await waiting("webhook")).toBe(1);
  await server.client.destinations.edit({ destinationId: id, paused: true });
  expect(await waiting("webhook")).toBe(0);
  expect(await oldestSeconds("webhook")).toBe(0);
  await remove(id);
  status = 204;
});

test("a receiver that wants no more events stays visible until a person decides", async () => {
  status = 410;
  const id = await create("webhook");
  const before = await ended("webhook");
  await makeKey();
  await until("the attempt failed", async () => (await ended("webhook")).failed > before.failed);
  later(2 * HOUR_MS);
  expect(await waiting("webhook")).toBe(1);
  expect(await oldestSeconds("webhook")).toBe(7_200);
  await remove(id);
  expect(await waiting("webhook")).toBe(0);
  status = 204;
});
