import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeSipAgent, isRightDigest, startFakeSipAgent } from "../support/calls/fake-sip-agent.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { freshName } from "../support/world.ts";

const CREDENTIAL = { user: "svc", password: "s3cr3t-s3cr3t" };
let server: TestServer;
let agent: FakeSipAgent;

beforeAll(async () => {
  server = await startServer();
  agent = await startFakeSipAgent({
    async desk(call) {
      if (!isRightDigest(call.invite.text, "md5", CREDENTIAL.user, CREDENTIAL.password, "desk"))
        return call.respond(401, [`WWW-Authenticate: Digest realm="desk", nonce="n", qop="auth"`]);
      call.respond(180);
      call.accept();
      for (let turn = 0; turn < 10; turn++) {
        await call.say(0.7);
        await new Promise((resolve) => setTimeout(resolve, 1_500));
      }
    },
    busy: (call) => call.respond(486),
  });
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

async function connect(uri: string, credential?: typeof CREDENTIAL, outboundProxy?: string) {
  const { agent: stored } = await server.client.agents.register({ name: freshName("agent") });
  const { connection } = await server.client.connections.create({
    agentId: stored.id,
    name: freshName("connection"),
    connectionType: "sip",
    accessVariant: credential ? "sip.digest" : "sip.public",
    config: { uri, ...(outboundProxy === undefined ? {} : { outboundProxy }) },
    ...(credential && { credential }),
  } as never);
  return { agentId: stored.id, connectionId: connection.id };
}

test("a try over SIP with a password rings, connects, and hears the greeting and the answer", async () => {
  const tried = await server.client.connections.try(await connect(agent.urlOf("desk"), CREDENTIAL));
  expect(tried).toMatchObject({ result: "works", endingReason: null });
  expect(tried.steps.map(({ step, result }) => `${step} ${result}`)).toEqual([
    "prepare done",
    "connect done",
    "greeting done",
    "answer done",
    "hang_up done",
  ]);
  expect(agent.received.some(({ text }) => text.startsWith("BYE "))).toBe(true);
  expect(JSON.stringify(agent.received)).not.toContain(CREDENTIAL.password);
});

test("a try of a busy endpoint fails at the connection, and blames nothing on the agent", async () => {
  const tried = await server.client.connections.try(await connect(agent.urlOf("busy")));
  expect(tried).toMatchObject({ result: "fails", endingReason: "rate_limited", endedBy: "outside" });
});

test.each([
  "sip:+4915112345678@127.0.0.1",
  "sip:112@127.0.0.1",
  "sip:9-1-1@127.0.0.1",
  "sip:%39%31%31@127.0.0.1",
  "sip:a%31%31%32@127.0.0.1",
  "sip:(112)@127.0.0.1",
  "sip:*112@127.0.0.1",
  "sip:agent;phone-context=+1@127.0.0.1",
  "sip:agent@127.0.0.1;user=phone",
  "sip:agent@127.0.0.1?Route=%3Csip:112@127.0.0.1%3E",
  "sip:agent:password@127.0.0.1",
  "sips:agent@127.0.0.1",
  "sip:agent@127.0.0.1;transport=tcp",
  "sip:agent@127.0.0.1:70000",
  "sip:agent@127.0.0.1\r\nX: y",
  "tel:112",
])("the address %s is refused", async (uri) => {
  await expect(connect(uri)).rejects.toMatchObject({ status: 422 });
  await expect(connect("sip:agent@127.0.0.1", undefined, uri)).rejects.toMatchObject({ status: 422 });
});
