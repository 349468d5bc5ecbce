import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS, textOfEvent } from "@svc/contract";
import { mailOf, slackMessage } from "../../packages/server/src/notifications/messages.ts";
import { conditionsOfFailing, nextAttemptMs, pausedUntilMs } from "../../packages/server/src/notifications/rules.ts";
import type { ProjectEvent } from "@svc/contract";
import { SvcError } from "@svc/sdk";
import { startChatAgent } from "../support/chat-agent.ts";
import { startReceiver } from "../support/receiver.ts";
import { chatConnection, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { startSmtp } from "../support/smtp.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

let server: TestServer;
let smtp: Awaited<ReturnType<typeof startSmtp>>;
beforeAll(async () => {
  smtp = await startSmtp();
  server = await startServer({
    settings: { SVC_OUTBOUND_PRIVATE: "true", SVC_SMTP_URL: smtp.url, SVC_MAIL_FROM: "svc@acme.test" },
    senderPace: { everyMs: 20 },
  });
});
afterAll(async () => {
  await server.stop();
  await smtp.stop();
});

const create = (more: Partial<Parameters<TestServer["client"]["destinations"]["create"]>[0]> = {}) =>
  server.client.destinations.create({
    name: freshName("hook"),
    kind: "webhook",
    url: "http://127.0.0.1:9/",
    eventTypes: ["key.created"],
    ...more,
  });
/** Returns the error with which a request is refused. */
async function refusal(answer: Promise<unknown>): Promise<SvcError> {
  try {
    await answer;
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
  throw new Error("the request was not refused");
}
const makeKey = () => server.admin.keys.create({ name: freshName("key"), project_id: server.project.id });
const remove = (destinationId: string) => server.client.destinations.delete({ destinationId });

describe("a destination is refused", () => {
  test.each<[why: string, more: Parameters<typeof create>[0], message: RegExp]>([
    ["without an address", { url: undefined }, /address of the webhook/],
    ["with another protocol", { url: "ftp://example.com/" }, /https:\/\/ or http:\/\//],
    ["with a password in its address", { url: "https://u:p@example.com/" }, /user name and password/],
    ["with an address for mail", { email: "admin@acme.test" }, /no `email`/],
    ["for mail with a URL", { kind: "email" }, /no `url`/],
    ["for mail to a stranger", { kind: "email", url: undefined, email: "x@elsewhere.test" }, /no member/],
    ["with an unknown type of event", { eventTypes: ["run.started" as "run.completed"] }, /run\.completed/],
    ["without a type of event", { eventTypes: [] }, /At least 1 item/],
    ["for tests only", { eventTypes: ["destination.test" as "run.completed"] }, /run\.completed/],
  ])("%s", async (_, more, message) => {
    const error = await refusal(create(more));
    expect(error.status).toBe(422);
    expect(`${error.message} ${JSON.stringify(error.details)}`).toMatch(message);
  });

  test("with a name that is taken, and when the project has too many", async () => {
    const { project } = await server.admin.projects.create({ name: freshName("project") });
    const first = await create({ projectId: project.id, name: "one" } as never).catch((error: unknown) => error);
    expect(first).toMatchObject({ code: "not_permitted" });
    const client = server.clientOf((await server.admin.keys.create({ project_id: project.id })).secret);
    const wanted = { kind: "webhook", url: "http://127.0.0.1:9/", eventTypes: ["key.created"] } as const;
    for (let n = 0; n < LIMITS.destinations; n++)
      await client.destinations.create({ ...wanted, name: `n${n}`, eventTypes: [...wanted.eventTypes] });
    const again = (name: string) =>
      refusal(client.destinations.create({ ...wanted, name, eventTypes: [...wanted.eventTypes] }));
    expect((await again("one more")).message).toContain("at most 20 destinations");
    const { destinations } = await client.destinations.list({});
    await client.destinations.delete({ destinationId: destinations[0]!.id });
    expect((await again("n3")).status).toBe(409);
  });
});

describe("Slack", () => {
  test("Slack gets a message with the link, and its address is nowhere in an answer", async () => {
    const receiver = await startReceiver((_, response) => void response.writeHead(200).end("ok"));
    const url = `${receiver.url}/T000/B000/topsecret`;
    const { destination, secret } = await create({ kind: "slack", url });
    expect(secret).toBeNull();
    expect(destination.address).toBe("…cret");
    await makeKey();
    await until("the message has arrived", () => receiver.received.length > 0);
    const message = JSON.parse(receiver.received[0]!.body) as ReturnType<typeof slackMessage>;
    expect(message.text).toMatch(/^A new API key: key/);
    expect(message.blocks[0]!.text.text).toMatch(/<http.*\/settings\/keys\|Open>$/);
    const { destinations } = await server.client.destinations.list({});
    expect(JSON.stringify(destinations)).not.toContain("topsecret");
    await remove(destination.id);
    receiver.stop();
  });

  test("no name gives Slack a mention, a link or another order of characters", () => {
    const hostile = "<!channel> & <http://evil|x> \u202egnp.exe\u2066\n*bold*";
    const event = testEvent(hostile);
    const text = JSON.stringify(slackMessage(event));
    expect(text).not.toMatch(/<!|<http:\/\/evil|\u202e|\u2066/);
    expect(textOfEvent(event).title).not.toMatch(/[\n\u202e\u2066]/);
    expect(mailOf([event]).subject).not.toMatch(/[\r\n]/);
  });
});

describe("mail", () => {
  test("mail goes to a member: a test event at once, and the digest at its time", async () => {
    const { destination } = await create({ kind: "email", url: undefined, email: "admin@acme.test" });
    const tested = await server.client.destinations.test({ destinationId: destination.id });
    expect(tested).toMatchObject({ delivered: true, status: null, problem: null });
    const [mail] = smtp.mailsTo("admin@acme.test");
    expect(mail!.data).toMatch(/^Subject: \[svc\] A test of the destination hook/m);
    await makeKey();
    const { deliveries } = await server.client.destinations.deliveries({ destinationId: destination.id });
    expect(deliveries).toMatchObject([{ state: "waiting", attempts: 0 }]);
    expect(Date.parse(deliveries[0]!.nextAttemptAt!) % (15 * 60_000)).toBe(0);
    await remove(destination.id);
  });

  test("the end of a run arrives at once, after the digest with the run's failed simulations", async () => {
    const eventTypes = ["simulation.failed", "run.completed"] as const;
    const { destination } = await create({
      kind: "email",
      url: undefined,
      email: "admin@acme.test",
      eventTypes: [...eventTypes],
    });
    const agent = await startChatAgent(() => ({ message: "Bye.", ended: true }));
    const target = await chatConnection(server.client, agent.url);
    const behaviors = ['says "impossible"'];
    const testVersions = await versionsOf(server.client, [{ scenario: "Says: Good morning.", behaviors }]);
    const before = smtp.mailsTo("admin@acme.test").length;
    await startRun(server.client, { ...target, testVersions });
    await until("the end of the run has arrived", () => smtp.mailsTo("admin@acme.test").length === before + 2);
    const subjects = smtp.mailsTo("admin@acme.test").map(({ data }) => /^Subject: (.*)$/m.exec(data)?.[1]);
    expect(subjects.slice(before)).toEqual([
      expect.stringMatching(/Failed: /),
      expect.stringMatching(/0 of 1 passed, 1 failed/),
    ]);
    await remove(destination.id);
    agent.stop();
  });

  test("that its server does not take says so", async () => {
    const settings = { SVC_SMTP_URL: "smtp://127.0.0.1:9", SVC_MAIL_FROM: "svc@acme.test" };
    const other = await startServer({ settings, senderPace: { everyMs: 20 } });
    const { destination } = await other.client.destinations.create({
      name: "mail",
      kind: "email",
      email: "admin@acme.test",
      eventTypes: ["alert.raised"],
    });
    const tested = await other.client.destinations.test({ destinationId: destination.id });
    expect(tested).toMatchObject({ delivered: false, status: null });
    expect(tested.problem).toMatch(/mail server did not accept/);
    await other.stop();
  });

  test("a digest has every event, oldest first, each with its link", () => {
    const { subject, text } = mailOf([testEvent("one"), testEvent("two")]);
    expect(subject).toBe("[svc] 2 events");
    expect(text.indexOf("destination one")).toBeLessThan(text.indexOf("destination two"));
    expect(text.match(/^https:\/\/svc\.test\/p$/gm)).toHaveLength(2);
  });
});

describe("agents", () => {
  test("a destination of some agents gets no events of others, and all events without an agent", async () => {
    const receiver = await startReceiver();
    const { destination } = await create({ url: receiver.url, agents: ["Hotel"] });
    const key = await makeKey();
    await until("the event has arrived", () => receiver.received.length > 0);
    expect(receiver.received[0]!.event).toMatchObject({ data: { key: { id: key.id } } });
    await remove(destination.id);
    receiver.stop();
  });
});

describe("a failed delivery", () => {
  test("a failed delivery is tried again at the documented times, for more than a day, and then failed", () => {
    const pauses = [];
    let at = 0;
    for (let attempts = 1; ; attempts++) {
      const next = nextAttemptMs(attempts, at, 0);
      if (next === undefined) break;
      pauses.push((next - at) / 1000);
      at = next;
    }
    expect(pauses).toEqual([5, 30, 120, 600, 3_600, 10_800, 21_600, 43_200, 43_200]);
    expect(at).toBeGreaterThan(24 * 3_600_000);
    expect(nextAttemptMs(1, 0, 1)).toBe(5_500);
    expect(nextAttemptMs(1, 0, 0, 60_000)).toBe(60_000);
  });

  test("a destination waits at most ten minutes, unless its receiver asks for more", () => {
    expect([1, 2, 3, 4, 5, 50].map((failures) => pausedUntilMs(failures, 0) / 1000)).toEqual([
      5, 30, 120, 600, 600, 600,
    ]);
    expect(pausedUntilMs(1, 0, 3_600_000)).toBe(3_600_000);
  });

  test("a condition says why a destination fails in whole sentences", () => {
    const row = {
      id: "dst_1",
      project_id: "prj_1",
      organization_id: "org_1",
      name: "CI",
      kind: "webhook",
      address: "http://127.0.0.1:9/",
      event_types: "[]",
      agents: "[]",
      quotes: 0,
      pause_reason: null,
      failures: 3,
      failing_since: "2026-11-25T12:00:00.000Z",
      problem: "The receiver answered with the status 500.",
      retry_ms: 0,
      leased_until_ms: 0,
      last_delivered_at: null,
      created_at: "2026-11-25T12:00:00.000Z",
      updated_at: "2026-11-25T12:00:00.000Z",
      failed: 0,
    } as const;
    const messages = [row, { ...row, problem: null }].map(
      (each) => conditionsOfFailing([each], new Date())[0]!.message,
    );
    expect(messages).toEqual([
      'The destination "CI" does not accept events. The receiver answered with the status 500.',
      'The destination "CI" does not accept events. The reason is unknown.',
    ]);
  });

  test("one of ids and a time is needed to send again", async () => {
    const { destination } = await create();
    const destinationId = destination.id;
    for (const wrong of [{}, { since: "2026-01-01T00:00:00Z", deliveryIds: ["dlv_1"] }])
      expect((await refusal(server.client.destinations.sendAgain({ destinationId, ...wrong }))).status).toBe(422);
    const since = "2026-01-01T00:00:00Z";
    expect(await server.client.destinations.sendAgain({ destinationId, since })).toEqual({ waiting: 0 });
    await remove(destinationId);
  });
});

const testEvent = (name: string): ProjectEvent => ({
  id: "evt_06ft2v8xk3n9q4w7r1y5z0abcd",
  type: "destination.test",
  timestamp: "2026-11-25T12:00:00.000Z",
  projectId: "prj_06ft2v8xk3n9q4w7r1y5z0abcd",
  link: "https://svc.test/p",
  data: { destination: { id: "dst_06ft2v8xk3n9q4w7r1y5z0abcd", name } },
});
