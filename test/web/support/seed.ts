import type { Client } from "@svc/sdk";
import { webFolder } from "@svc/web";
import { type BookingAgent, createBookingAgent } from "../../../packages/server/src/runs/lines/sample-agent.ts";
import { SUITE_NAME, TESTS } from "../../../packages/server/src/runs/sample/booking-suite.ts";
import { startChatAgent, useTool } from "../../support/chat-agent.ts";
import { startReceiver } from "../../support/receiver.ts";
import { FAST } from "../../support/monitoring-pace.ts";
import { openFakePlatformA } from "../../support/platform-a/fake.ts";
import { startServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { importCalls } from "./seed-calls.ts";
import { shiftedCapture } from "./shifted-captures.ts";

export const ADMIN = { email: "admin@acme.test", password: "correct horse battery" };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** These intervals are so long that an import failure stays until a person tries again. */
const PACE = {
  ...FAST,
  tickMs: 50,
  pollMs: 2_000,
  lateMs: 5_000,
  retryMs: HOUR_MS,
  retryMaxMs: HOUR_MS,
  rereadMs: [HOUR_MS],
};
const DAYS = 7;
/** Returns the version of an agent by the days since its conversation; undefined for an agent without versions. */
const versionOf = (agentName: string, day: number): string | undefined =>
  agentName === "Web chat" ? undefined : day < 2 ? "2026.11.3" : day < 5 ? "2026.11.2" : "2026.11.1";
/** Recorded sets of several senders (typed and spoken, with troubles, with withheld words) and the agent of each. */
const RECORDED: [set: string, agentName: string][] = [
  ["py-1.8.9-voice", "Clinic"],
  ["js-1.9.0-voice", "Clinic"],
  ["py-1.8.9-troubles", "Clinic"],
  ["pipecat-1.14.0-call", "Concierge"],
  ["py-1.8.9-voice-withheld", "Clinic"],
  ["openinference-pipecat-2.0.9-call", "Concierge"],
  ["openinference-langchain-0.1.80-text", "Web chat"],
];

export type Seeded = Awaited<ReturnType<typeof startSeeded>>;

/** Starts the real service with its pages and without data. */
export const startEmpty = async (settings: Record<string, string> = {}, dataDir?: string) =>
  startServer({ webFolder: await webFolder(), checkAnswers: false, settings, ...(dataDir && { dataDir }) });

/** Starts the real service with its pages, and fills one project with recorded conversations, runs and imports. */
export async function startSeeded(settings: Record<string, string> = {}) {
  const platform = await openFakePlatformA();
  const server = await startServer({
    webFolder: await webFolder(),
    checkAnswers: false,
    pace: PACE,
    settings: {
      SVC_PLATFORM_A_BASE_URL: platform.url,
      ...settings,
    },
  });
  const { client, admin } = server;
  await admin.organization.edit({ name: "Grand Hotel Group" });
  await admin.projects.edit({ projectId: server.project.id, name: "Reservations", slug: "reservations" });
  const agentUnderTest = await startUnsteadyAgent();
  const receiver = await addDestinations(client);
  await sendRecordings(client);
  await server.conversationsRead();
  const runs = await runSample(client, agentUnderTest);
  await editTest(client, runs.testIds.at(-1)!);
  await addMockTools(client);
  await addTrunks(client);
  await importCalls(client, platform);
  await server.conversationsRead();
  await addAlertRules(client);
  const reviewItemIds = await fillReview(client, runs);
  await resolveGroup(client);
  await fillSettings(admin, server.project.id);
  const { organization } = await admin.organization.get();
  return {
    ...server,
    platform,
    ...runs,
    reviewItemIds,
    /** The part that the addresses of all pages of the project begin with. */
    home: `/o/${organization.id}/p/reservations`,
    organizationId: organization.id,
    async stop(): Promise<void> {
      await server.stop();
      agentUnderTest.stop();
      receiver.stop();
      await platform.close();
    },
  };
}

/** Sends each recorded set several times, spread over the last days. Earlier days have fewer conversations. */
async function sendRecordings(client: Client): Promise<void> {
  for (let day = 0; day < DAYS; day++)
    for (const [index, [set, agentName]] of RECORDED.slice(0, RECORDED.length - Math.floor(day / 2)).entries()) {
      const endMs = Date.now() - day * DAY_MS - (index + 1) * 0.4 * HOUR_MS;
      for (const body of shiftedCapture(set, {
        name: `${set} ${day}`,
        agentName,
        version: versionOf(agentName, day),
        endMs,
      }))
        await client.traces.ingest(body);
    }
}

/** Starts the sample agent as an HTTP server. Until it is repaired, it garbles the confirmation code in every third conversation. */
async function startUnsteadyAgent() {
  let isMended = false;
  const agents = new Map<string, BookingAgent>();
  const garbling = new Set<string>();
  const agent = await startChatAgent(async (spoken) => {
    const { simulationId, event, message = "" } = spoken;
    if (event === "start") {
      if (!isMended && agents.size % 3 === 0) garbling.add(simulationId);
      agents.set(simulationId, createBookingAgent());
      return { message: agents.get(simulationId)!.greeting };
    }
    const reply = await agents.get(simulationId)!.answer(message, async (name, args) => {
      const { result = null, error = null } = (await useTool(spoken, name, args)) as {
        result?: unknown;
        error?: string;
      };
      return { result, error };
    });
    return garbling.has(simulationId)
      ? { ...reply, message: reply.message.replaceAll(/GH-\d+/g, "GH, er, something") }
      : reply;
  });
  return { ...agent, remedy: () => void (isMended = true) };
}

/** Registers the agent, writes the sample suite, and runs the suite twice. Before the second run, the agent is repaired. */
async function runSample(client: Client, { url, remedy }: { url: string; remedy: () => void }) {
  const { agent } = await client.agents.register({ name: "Booking desk" });
  const { connection } = await client.connections.create({
    agentId: agent.id,
    name: "Chat",
    connectionType: "http_chat",
    accessVariant: "http_chat.public",
    config: { url, format: "svc" },
  });
  const { testSuite } = await client.suites.create({ name: SUITE_NAME });
  const tests = [];
  for (const test of TESTS) tests.push(await client.tests.create({ ...test, suite: testSuite.id }));
  const first = await playRun(client, {
    suiteId: testSuite.id,
    agentId: agent.id,
    connectionId: connection.id,
    name: "main @ 7be20c4",
  });
  const target = {
    testIds: tests.slice(0, -1).map(({ id }) => id),
    agentId: agent.id,
    connectionId: connection.id,
    iterations: 3,
  };
  const { schedule } = await client.schedules.create({
    ...target,
    name: "Booking, every weekday morning",
    cron: "0 6 * * 1-5",
    timeZone: "Europe/Berlin",
    caller: "scripted",
  });
  await runSchedule(client, schedule.id);
  remedy();
  for (let run = 0; run < 2; run++) await runSchedule(client, schedule.id);
  const second = await playRun(client, {
    suiteId: testSuite.id,
    agentId: agent.id,
    connectionId: connection.id,
    name: "shorter greeting @ 9d03e71",
  });
  return {
    agentId: agent.id,
    suiteId: testSuite.id,
    testIds: tests.map(({ id }) => id),
    firstRunId: first,
    runId: second,
    scheduleId: schedule.id,
  };
}

async function runSchedule(client: Client, scheduleId: string): Promise<void> {
  const { run } = await client.schedules.run({ scheduleId });
  await until(`run ${run.id} is graded`, async () => (await client.runs.get({ runId: run.id })).run.gradingSettled);
}

/** Edits a test, so that it has a second version. */
async function editTest(client: Client, testId: string): Promise<void> {
  const test = await client.tests.get({ testId });
  const scenario = `${test.scenario}\n\nThe caller is in a hurry.`;
  const expected_behaviors = [...test.expected_behaviors.slice(1), "The agent does not interrupt the caller."];
  await client.tests.edit({ testId, expected_version_id: test.version_id, scenario, expected_behaviors });
}

/** Adds a trunk with an allow-list, and one that calls nobody. */
async function addTrunks(client: Client): Promise<void> {
  await client.trunks.create({
    name: "Carrier",
    address: "sip.example.com",
    callerId: "+493012345678",
    credential: { user: "grand-hotel", password: "s3cr3t-s3cr3t" },
    allowedNumbers: ["+493087654321", "+12025550123", "+4940*"],
  });
  await client.trunks.create({ name: "Exchange", address: "192.0.2.7:5070", callerId: "1001" });
}

/** Adds a destination that works, a failing one, one whose receiver wants no more events, and a paused one. */
async function addDestinations(client: Client) {
  const receiver = await startReceiver(
    (_, response) => void response.writeHead(Number(response.req.url!.slice(1))).end(),
  );
  const { origin } = new URL(receiver.url);
  const add = (name: string, kind: "webhook" | "slack", status: number, more = {}) =>
    client.destinations.create({ name, kind, url: `${origin}/${status}`, eventTypes: ["run.completed"], ...more });
  await add("Release gate", "webhook", 204, { eventTypes: ["run.completed", "simulation.failed"] });
  await add("Team channel", "slack", 500, { eventTypes: ["simulation.failed"], agents: ["Booking desk"] });
  await add("Old dashboard", "webhook", 410);
  const { destination } = await add("Night shift", "slack", 204, { eventTypes: ["import.failed", "import.resolved"] });
  await client.destinations.edit({ destinationId: destination.id, paused: true });
  return receiver;
}

/** Adds alert rules: with open alerts, with a cleared alert, with an acknowledged alert, a muted rule and a disabled one. */
async function addAlertRules(client: Client): Promise<void> {
  const slow = { kind: "measure", measure: "response_latency", statistic: "mean" } as const;
  const add = async (name: string, more = {}) => {
    const rule = { watch: slow, windowMinutes: 1_440, condition: { is: "above", value: 400 }, minSamples: 1 } as const;
    return (await client.alertRules.create({ name, ...rule, ...more })).alertRule.id;
  };
  const raised = (alertRuleId: string, state: "open" | "cleared") =>
    until(`an alert of ${alertRuleId} is ${state}`, async () => {
      const [alert] = (await client.alerts.list({ alertRuleId: alertRuleId as never, state })).alerts;
      return alert !== undefined && alert;
    });
  const { id } = await raised(await add("Answers are slow"), "open");
  await client.alerts.acknowledge({ alertId: id, note: "The model of the clinic is slow since Monday." });
  const changed = await add("Concierge is slow", { agents: ["Concierge"], severity: "info" });
  await raised(changed, "open");
  await client.alertRules.edit({ alertRuleId: changed, condition: { is: "above", value: 60_000 } });
  await raised(changed, "cleared");
  const tools = { watch: { kind: "tool_errors", tool: null }, condition: { is: "above", value: 0.1 } };
  const muted = await add("Tools fail", tools);
  await raised(muted, "open");
  await client.alertRules.edit({ alertRuleId: muted, mutedUntil: new Date(Date.now() + DAY_MS).toISOString() });
  await client.alertRules.edit({
    alertRuleId: await add("Old rule", { ...tools, watch: { kind: "errors" } }),
    enabled: false,
  });
  const few = { watch: { kind: "conversations" }, condition: { is: "below", value: 9 }, agents: ["Clinic"] };
  await raised(await add("Few calls", { ...few, severity: "critical" }), "open");
}

/**
 * Adds simulations of another run to the review queue as a done item, a skipped item, a reserved item and open items. Returns the
 * ids of the open items.
 */
async function fillReview(
  client: Client,
  { suiteId, agentId, runId }: { suiteId: string; agentId: string; runId: string },
): Promise<string[]> {
  const { graders } = await client.graders.list({ pageSize: 200 });
  const grader = graders.find(({ definition }) => definition.kind === "expected_behaviors")!;
  await client.review.configure({
    enabled: true,
    sources: ["random", "disagreement", "low_confidence", "alert"],
    randomShare: 1,
    scope: "simulations",
    graderIds: [grader.id],
  });
  const { connectionId } = (await client.runs.get({ runId })).run;
  const id = await playRun(client, { suiteId, agentId, connectionId, name: "for review" }, 1);
  await until("the run is graded", async () => (await client.runs.get({ runId: id })).run.gradingSettled);
  await client.review.configure({ randomShare: 0.02 });
  const { items } = await client.review.list({ state: "open", pageSize: 200 });
  const [done, skipped, ...open] = items.map((item) => item.id);
  for (const gradeId of items[0]!.gradeIds)
    await client.review.label({
      reviewItemId: done!,
      gradeId,
      verdict: "passed",
      note: "It asked for the dates again.",
    });
  await client.review.skip({ reviewItemId: skipped! });
  return open;
}

/** Resolves one of the failure groups of the simulations. */
async function resolveGroup(client: Client): Promise<void> {
  const groups = await until("failures are in groups", async () => {
    const found = (await client.groups.list()).groups;
    return found.length > 1 && found;
  });
  await client.groups.edit({ groupId: groups.at(-1)!.id, state: "resolved" });
}

async function addMockTools(client: Client): Promise<void> {
  await client.mockTools.create({ tool: "find_invoice", answer: { invoice: "INV-2041", total: 240, currency: "EUR" } });
  await client.mockTools.create({ tool: "send_receipt", answer: { sent: true } });
}

type NewRun = { suiteId: string; agentId: string; connectionId: string; name: string };

async function playRun(client: Client, run: NewRun, iterations = 3): Promise<string> {
  const started = await client.runs.create({ ...run, iterations, caller: "scripted" });
  if ("plan" in started) throw new Error("The service answered with a plan in place of a run.");
  const { id } = started.run;
  await until(`run ${id} is graded`, async () => (await client.runs.get({ runId: id })).run.status === "completed");
  return id;
}

async function fillSettings(admin: Client, projectId: string): Promise<void> {
  await admin.keys.create({ name: "worker in production", project_id: projectId, permissions: ["ingest"] });
  await admin.invitations.create({ email: "ben@acme.test", role: "member" });
  await admin.projects.create({ name: "Concierge" });
}
