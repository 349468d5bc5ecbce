import { setTimeout as delay } from "node:timers/promises";
import { type FakePlatformA, openFakePlatformA } from "../test/support/platform-a/fake.ts";
import { requestsOf } from "../test/support/captures.ts";
import { liveKitRequest } from "../test/support/livekit-request.ts";
import { callBefore } from "../test/support/monitoring.ts";
import { encodeProtobuf } from "../test/support/otlp.ts";
import { type Ask, send } from "../test/support/request.ts";
import { chatConnection, startRun, versionsOf } from "../test/support/runs.ts";
import { until } from "../test/support/until.ts";
import type { ServiceAgent } from "./agent.ts";
import { newBody } from "./loads/ingest.ts";
import { faultsOfRun } from "./loads/runs.ts";
import type { Draws } from "./random.ts";
import { ADMIN_EMAIL, type Claim, clientOf, passwordIn } from "./service.ts";
import { keysIn } from "../test/support/secret.ts";

type Sample = {
  url: string;
  claim: Claim;
  draws: Draws;
  agent: ServiceAgent;
  platform: FakePlatformA;
};

/** Opens a fake platform with one agent and two calls, which `fillWithSamples` imports. */
export async function openSamplePlatform(): Promise<FakePlatformA> {
  const platform = await openFakePlatformA();
  platform.addAgent("agent_0", "Front desk");
  platform.addCalls([callBefore(50), callBefore(70)]);
  return platform;
}

const DAY_MS = 86_400_000;
const LISTS = [
  "/v1/traces?pageSize=200",
  "/v1/runs",
  "/v1/graders",
  "/v1/agents",
  "/v1/mock-tools",
  "/v1/personas",
  "/v1/test-suites",
  "/api/tests?limit=200",
];

/** Fills a claimed service with some records of every kind. Returns reads that together show all of them. */
export async function fillWithSamples({ url, claim, draws, agent, platform }: Sample): Promise<Ask[]> {
  const { adminKey, projectKey: key } = keysIn(claim);
  const client = clientOf(url, key);
  const admin = clientOf(url, adminKey);
  const reads: Ask[] = [];
  const read = (path: string, more: Partial<Ask> = { key }) => void reads.push({ method: "GET", path, ...more });

  for (let body = 0; body < 12; body++) await client.traces.ingest(newBody(draws, draws.whole(1, 40)).send);
  await client.traces.ingest({
    body: encodeProtobuf(
      liveKitRequest(draws.whole(1, 1e6), { spans: 120, conversations: 4, startMs: Date.now() - 8e6 }),
    ),
    contentType: "application/x-protobuf",
  });
  for (const body of requestsOf("js-1.9.0-voice")) await client.traces.ingest(body);

  const suite = (await client.suites.create({ name: "Booking" })).testSuite;
  for (let number = 0; number < 4; number++) {
    const test = await client.tests.create({
      name: `Sample ${number}`,
      scenario: `Says: Good morning ${draws.hex(8)}.`,
      expected_behaviors: ['never says "sorry"'],
      suite: suite.id,
    });
    const edit = {
      testId: test.id,
      expected_version_id: test.version_id,
      scenario: `Says: Good evening ${draws.hex(8)}.`,
    };
    await client.tests.edit(edit);
    read(`/api/tests/${test.id}`);
    read(`/api/tests/${test.id}/versions`);
  }
  await client.personas.create({ name: "Regular", traits: { pace: "slow" } });
  await client.mockTools.create({ tool: "find_slots", answer: { slots: ["10:00"] } });
  await client.graders.create({ name: "Books", definition: { kind: "check", check: "calls book_room" } });
  await admin.providerKeys.set({ provider: "cartesia", apiKey: `key-${draws.hex(24)}` });
  await admin.invitations.create({ email: "guest@acme.test", role: "viewer" });

  const target = await chatConnection(client, agent.url);
  const testVersions = await versionsOf(client, agent.scenarios(3));
  const run = await startRun(client, { ...target, testVersions, iterations: 1 });
  await faultsOfRun(client, run.id);
  read(`/v1/runs/${run.id}`);
  read(`/v1/runs/${run.id}/simulations?grades=true`);
  read(`/v1/runs/${run.id}/events`);
  const { simulations } = await client.runs.simulations({ runId: run.id });
  for (const { id } of simulations) read(`/v1/simulations/${id}`);

  await client.monitoring.savePlatformA({ api_key: platform.apiKey, agents: [{ id: "agent_0" }] });
  await until("the calls are imported", async () => {
    const { traces } = await client.traces.list({ pageSize: 200 });
    return traces.filter(({ conversationId }) => conversationId?.startsWith("call_")).length >= 2;
  });

  const signIn = await send(url, {
    method: "POST",
    path: "/api/auth/sign-in/email",
    json: { email: ADMIN_EMAIL, password: passwordIn(claim) },
  });
  if (signIn.status !== 200) throw new Error(`cannot sign in: ${signIn.text}`);
  const cookie = signIn.headers
    .getSetCookie()
    .map((text) => text.split(";")[0])
    .join("; ");

  await allIsRead(url, key);
  const { traces } = await client.traces.list({ pageSize: 200 });
  for (const { traceId } of traces) read(`/v1/traces/${traceId}`);
  for (const path of LISTS) read(path);
  for (const path of ["/v1/projects", "/v1/members", "/v1/invitations", "/v1/provider-keys", "/v1/organization"])
    read(path, { key: adminKey });
  read("/v1/projects", { cookie });
  const [from, to] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS)].map((time) => time.toISOString());
  read(`/v1/metrics?bucket=day&from=${from}&to=${to}`);
  return reads;
}

/** Resolves when the list of conversations no longer changes, and the service has read all spans of each conversation. */
export async function allIsRead(url: string, key: string): Promise<void> {
  const client = clientOf(url, key);
  let before = "";
  await until(
    "every conversation is derived",
    async () => {
      const { traces } = await client.traces.list({ pageSize: 200 });
      const now = JSON.stringify(traces);
      const isSame = now === before;
      before = now;
      if (!isSame) return delay(300).then(() => false);
      const read = await Promise.all(traces.map(({ traceId }) => client.traces.get({ traceId, wait: 10 })));
      return read.every(({ upToDate }) => upToDate);
    },
    60_000,
  );
}
