import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { ProjectEvent } from "@svc/contract";
import type { Client } from "@svc/sdk";
import type { slackMessage } from "../../packages/server/src/notifications/messages.ts";
import { startChatAgent } from "../support/chat-agent.ts";
import { openStoreOf } from "../support/engine.ts";
import { traceIdOf } from "../support/ingest.ts";
import { conversation, graded, sendSpans } from "../support/production.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { chatConnection, played, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { startSmtp } from "../support/smtp.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

let server: TestServer;
let smtp: Awaited<ReturnType<typeof startSmtp>>;
const receivers: Receiver[] = [];
beforeAll(async () => {
  smtp = await startSmtp();
  server = await startServer({
    settings: { SVC_OUTBOUND_PRIVATE: "true", SVC_SMTP_URL: smtp.url, SVC_MAIL_FROM: "svc@acme.test" },
    senderPace: { everyMs: 20 },
    productionPace: { everyMs: 50 },
    evaluateAlertsEveryMs: 20,
    groups: { pace: { everyMs: 20 } },
  });
});
afterAll(async () => {
  for (const receiver of receivers) receiver.stop();
  await server.stop();
  await smtp.stop();
});

async function receiverThat(...args: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...args);
  receivers.push(receiver);
  return receiver;
}

/** Returns a client of a new project whose production conversations must not say "guarantee". */
async function newProject(): Promise<Client> {
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  const client = server.clientOf((await server.admin.keys.create({ project_id: project.id })).secret);
  const definition = { kind: "check", check: 'never says "guarantee"' } as const;
  await client.graders.create({ name: "No guarantee", definition, scope: "production" });
  return client;
}

type Wanted = Parameters<Client["destinations"]["create"]>[0];
const createSlack = async (client: Client, { url }: Receiver, more: Partial<Wanted> = {}) =>
  (
    await client.destinations.create({
      name: freshName("channel"),
      kind: "slack",
      url,
      eventTypes: ["conversation.failed"],
      quotes: true,
      ...more,
    })
  ).destination;

/** Sends a conversation with these words of the agent, and waits until it is graded. */
async function say(client: Client, trace: number, words: string): Promise<void> {
  await sendSpans(server, client, conversation(trace, words));
  await graded(client, trace);
}

const arrived = (receiver: Receiver, count = 1) =>
  until(`${count} messages have arrived`, () => receiver.received.length >= count && receiver.received);
const blocksOf = ({ body }: Receiver["received"][number]) =>
  (JSON.parse(body) as ReturnType<typeof slackMessage>).blocks.map(({ text }) => text);
const quotesOf = ({ received }: Receiver) => received.map((one) => blocksOf(one)[1]?.text ?? null);

/** Returns everything that the service stores about events, deliveries and destinations. */
async function storedTexts(): Promise<string> {
  const { db, close } = await openStoreOf(server.dataDir);
  const rows = [];
  for (const table of ["events", "deliveries", "destinations", "audit_lines"] as const)
    rows.push(...(await db.selectFrom(table).selectAll().execute()));
  await close();
  return JSON.stringify(rows);
}

describe("a message about a failed conversation", () => {
  test("a message quotes the words that decided a failure when its destination is set so, and no other message, event or delivery has them", async () => {
    const client = await newProject();
    const [quoting, quiet, hook] = [await receiverThat(), await receiverThat(), await receiverThat()];
    const { id, quotes } = await createSlack(client, quoting);
    expect(quotes).toBe(true);
    const other = await createSlack(client, quiet, { quotes: undefined });
    expect(other.quotes).toBe(false);
    await createSlack(client, hook, { kind: "webhook", quotes: false });
    await say(client, 1, "I guarantee you a room with a violet door.");
    await arrived(quoting);
    expect(quotesOf(quoting)).toEqual(["> “I guarantee you a room with a violet door.”"]);
    expect(blocksOf(quoting.received[0]!)[1]).toMatchObject({ type: "mrkdwn", verbatim: true });
    expect(blocksOf(quoting.received[0]!)[0]!.text).toMatch(/^\*A conversation of [^]*<http[^|]*\|Open>$/);
    expect(quotesOf({ ...quiet, received: await arrived(quiet) })).toEqual([null]);
    await arrived(hook);
    for (const { body } of [...quiet.received, ...hook.received]) expect(body).not.toContain("violet");
    await until("the delivery is recorded", async () => {
      const { deliveries } = await client.destinations.deliveries({ destinationId: id });
      return deliveries[0]?.state === "delivered";
    });
    expect(await storedTexts()).not.toContain("violet");

    await client.destinations.edit({ destinationId: id, quotes: false });
    await say(client, 2, "I guarantee you a violet bed.");
    await arrived(quoting, 2);
    expect(quotesOf(quoting)[1]).toBeNull();
  });

  test("words cannot make a mention, a link, a line or another order of characters, and the cited part of long words is shown", async () => {
    const client = await newProject();
    const receiver = await receiverThat();
    await createSlack(client, receiver);
    const hostile = "<!channel> & <http://evil.test|x> @here \u202egnp.exe\u2066\n\n*bold* ```";
    await say(client, 3, `${hostile} I guarantee.`);
    await arrived(receiver);
    const [quote] = quotesOf(receiver);
    expect(quote).toBe("> “&lt;!channel&gt; &amp; &lt;http://evil.test|x&gt; @here gnp.exe *bold* ``` I guarantee.”");
    await say(client, 4, `${"<é&> ".repeat(2_000)}I guarantee it. ${"🙂".repeat(2_000)}`);
    await arrived(receiver, 2);
    const shown = quotesOf(receiver)[1]!;
    expect(shown).toContain("I guarantee it. 🙂");
    expect(shown).not.toMatch(/<|>(?! “)|&(?!lt;|gt;|amp;)|\ufffd🙂/);
    const read = shown.slice(3, -1).replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
    expect(read.length).toBeLessThanOrEqual(300);
    expect(read).toMatch(/^….*…$/u);
  });

  test("each attempt reads the words again, and a message is sent without them after their conversation is erased", async () => {
    const client = await newProject();
    let status = 500;
    const receiver = await receiverThat((_, response) => void response.writeHead(status).end());
    const { id } = await createSlack(client, receiver, { eventTypes: ["group.opened"] });
    await say(client, 5, "I guarantee a tangerine.");
    await arrived(receiver);
    expect(quotesOf(receiver)).toEqual(["> “I guarantee a tangerine.”"]);
    await client.traces.delete({ traceId: traceIdOf(5) });
    status = 204;
    await until("it is delivered", async () => {
      await client.destinations.edit({ destinationId: id, paused: false });
      return (await client.destinations.get({ destinationId: id })).destination.waitingCount === 0;
    });
    const last = receiver.received.at(-1)!;
    expect(blocksOf(last)).toHaveLength(1);
    expect(last.body).not.toContain("tangerine");
    expect(blocksOf(last)[0]!.text).toContain("New failure");
  });

  test("an event about an erased conversation is not sent at all", async () => {
    const client = await newProject();
    let status = 500;
    const receiver = await receiverThat((_, response) => void response.writeHead(status).end());
    const { id } = await createSlack(client, receiver);
    await say(client, 6, "I guarantee a cucumber.");
    await until("an attempt has failed", async () => {
      const { destination } = await client.destinations.get({ destinationId: id });
      return destination.failing !== null;
    });
    await client.traces.delete({ traceId: traceIdOf(6) });
    status = 204;
    await say(client, 7, "I guarantee a pear.");
    await until("the next one is delivered", async () => {
      await client.destinations.edit({ destinationId: id, paused: false });
      return (await client.destinations.get({ destinationId: id })).destination.lastDeliveredAt !== null;
    });
    expect(quotesOf(receiver).filter((quote) => quote?.includes("cucumber"))).toHaveLength(1);
    expect(quotesOf(receiver).at(-1)).toContain("pear");
  });
});

test("an alert quotes the worst of its conversations if a grader failed it, and the rest of them after that one is erased", async () => {
  const client = await newProject();
  let status = 500;
  const receiver = await receiverThat((_, response) => void response.writeHead(status).end());
  const { id } = await createSlack(client, receiver, { eventTypes: ["alert.raised"] });
  const dayMs = 86_400_000;
  const startNs = `${Math.floor((Date.now() - 60_000) / dayMs) * dayMs - dayMs + 60_000}000000`;
  const words: Record<number, string> = { 8: "I guarantee an apricot.", 9: "I guarantee a plum." };
  for (const [trace, said] of Object.entries(words)) {
    const spans = conversation(Number(trace), said).map((span) => ({
      ...span,
      startTimeUnixNano: startNs,
      endTimeUnixNano: startNs,
      status: { code: 2 },
    }));
    await sendSpans(server, client, spans);
    await graded(client, Number(trace));
  }
  await client.alertRules.create({
    name: "errors",
    watch: { kind: "errors" },
    condition: { is: "above", value: 0.1 },
    windowMinutes: 1_440,
    minSamples: 1,
  });
  await arrived(receiver);
  const { events } = await client.events.list({ type: "alert.raised" });
  const [event] = events as Extract<ProjectEvent, { type: "alert.raised" }>[];
  const [worst, next] = event!.data.alert.conversations.map(({ traceId }) => traceId);
  const wordsOf = (traceId: string) =>
    words[Number(Object.keys(words).find((trace) => traceIdOf(Number(trace)) === traceId))]!;
  expect(quotesOf(receiver)[0]).toBe(`> “${wordsOf(worst!)}”`);
  await client.traces.delete({ traceId: worst! });
  status = 204;
  await until("it is delivered", async () => {
    await client.destinations.edit({ destinationId: id, paused: false });
    return (await client.destinations.get({ destinationId: id })).destination.waitingCount === 0;
  });
  expect(quotesOf(receiver).at(-1)).toBe(`> “${wordsOf(next!)}”`);
  expect(receiver.received.at(-1)!.body).not.toContain(worst!);
});

test("a mail quotes the failed behavior of a simulation, and none when its destination is not set so", async () => {
  const client = await newProject();
  const agent = await startChatAgent(() => ({ message: "Ciao <b>cara</b>,\r\nSubject: x", ended: true }));
  const target = await chatConnection(client, agent.url);
  const wanted = {
    kind: "email" as const,
    url: undefined,
    email: "admin@acme.test",
    eventTypes: ["simulation.failed" as const, "run.completed" as const],
  };
  const receiver = await receiverThat();
  const mailsOf = async (quotes: boolean) => {
    const { id } = await createSlack(client, receiver, { ...wanted, quotes });
    const before = smtp.mails.length;
    const testVersions = await versionsOf(client, [{ scenario: "Says: Hello.", behaviors: ['never says "ciao"'] }]);
    await played({ client }, (await startRun(client, { ...target, testVersions })).id);
    await until("both mails have arrived", () => smtp.mails.length === before + 2);
    await client.destinations.delete({ destinationId: id });
    return smtp.mails.slice(before).map(({ data }) => plainOf(data));
  };
  const [failed, ended] = await mailsOf(true);
  expect(failed).toContain("> “Ciao <b>cara</b>, Subject: x”\n");
  expect(failed!.match(/^Subject: /gm)).toHaveLength(1);
  expect(ended).not.toContain("Ciao");
  for (const mail of await mailsOf(false)) expect(mail).not.toContain("Ciao");
  agent.stop();
});

test("an alert about runs quotes the worst of their simulations", async () => {
  const client = await newProject();
  const agent = await startChatAgent(() => ({ message: "I promise a quince.", ended: true }));
  const target = await chatConnection(client, agent.url);
  const testVersions = await versionsOf(client, [{ scenario: "Says: Hello.", behaviors: ['never says "promise"'] }]);
  const { simulations } = await played({ client }, (await startRun(client, { ...target, testVersions })).id);
  await server.conversationsRead();
  agent.stop();
  const receiver = await receiverThat();
  const { id } = await createSlack(client, receiver, { eventTypes: ["alert.raised"] });
  const windowMs = 300_000;
  const endMs = Math.floor(Date.parse(simulations[0]!.startedAt!) / windowMs) * windowMs + windowMs;
  vi.useFakeTimers({ now: endMs + 120_000, toFake: ["Date"] });
  try {
    await client.alertRules.create({
      name: "runs",
      watch: { kind: "conversations" },
      source: "simulation",
      condition: { is: "above", value: 0 },
      windowMinutes: 5,
    });
    await arrived(receiver);
  } finally {
    vi.useRealTimers();
  }
  expect(quotesOf(receiver)).toEqual(["> “I promise a quince.”"]);
  await client.destinations.delete({ destinationId: id });
});

/** Decodes a mail in quoted-printable or base64 with one part. */
function plainOf(data: string): string {
  const [head, ...rest] = data.split("\n\n");
  const body = rest.join("\n\n");
  const text = /^content-transfer-encoding: base64$/im.test(head!)
    ? Buffer.from(body, "base64")
    : Buffer.from(
        body
          .replaceAll("=\n", "")
          .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        "latin1",
      );
  return `${head}\n\n${text.toString("utf8")}`;
}
