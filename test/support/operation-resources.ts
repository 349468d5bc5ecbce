// Resources of Acme's first project for the inputs of operations. A world is a service with test data (`world.ts`).
import { startFakeVoiceAgent } from "./calls/fake-voice-agent.ts";
import { startChatAgent } from "./chat-agent.ts";
import { callBefore } from "./monitoring.ts";
import { join } from "./people.ts";
import { withoutTranscript } from "./platform-a/calls.ts";
import { openFakeIdentityProvider } from "./identity-provider/fake.ts";
import { atProcessEnd } from "./process-end.ts";
import { IN_PROCESS } from "./program.ts";
import { recordedWav } from "./recorded-wav.ts";
import { bridgeStarted, chatConnection, consoleConnection, played, startRun, voiceConnection } from "./runs.ts";
import { jsonOf, send } from "./request.ts";
import { until } from "./until.ts";
import { aConnection, aTest, freshName, type World } from "./world.ts";

export const newTest = (w: World) => w.admin.tests.create(aTest({ project: w.project.id }));
export const newSuite = (w: World) => w.admin.suites.create({ name: freshName("suite"), projectId: w.project.id });
export const newAgent = async (w: World) =>
  (await w.admin.agents.register({ name: freshName("agent"), projectId: w.project.id })).agent;
export const newPersona = async (w: World) =>
  (await w.admin.personas.create({ name: freshName("persona"), projectId: w.project.id })).persona;
export const newMockTool = async (w: World) => {
  const { mockTool } = await w.admin.mockTools.create({ tool: freshName("tool"), answer: 1, projectId: w.project.id });
  return { mockToolId: mockTool.id };
};
export const newAddress = () => `${freshName("person").replace(" ", "-")}@acme.test`;

export async function archivedAgent(w: World): Promise<string> {
  const { id: agentId } = await newAgent(w);
  await w.admin.agents.archive({ agentId, projectId: w.project.id });
  return agentId;
}

export async function newConnection(w: World): Promise<{ agentId: string; connectionId: string }> {
  const agentId = (await newAgent(w)).id;
  const { connection } = await w.admin.connections.create({ agentId, ...aConnection(), projectId: w.project.id });
  return { agentId, connectionId: connection.id };
}

/** Content of a trunk at an address where nothing listens. */
export const aTrunk = (more: object = {}) => ({
  name: freshName("trunk"),
  address: "127.0.0.1:9",
  callerId: "+493012345678",
  ...more,
});

/** Returns a new trunk; the one ten before it goes, because a project can have only a few. */
const newTrunk = keepingFew(
  async (w: World) => ({
    trunkId: (await w.admin.trunks.create({ ...aTrunk(), projectId: w.project.id })).trunk.id,
  }),
  (w, input) => w.admin.trunks.delete(input),
);

export const TRUNK_INPUTS = {
  "trunks.list": () => ({}),
  "trunks.create": () => aTrunk(),
  "trunks.get": newTrunk,
  "trunks.edit": async (w: World) => ({ ...(await newTrunk(w)), callsPerDay: 5 }),
  "trunks.delete": newTrunk,
};

const aView = () => ({ name: freshName("view"), query: { list: "conversations", status: "error" } as const });
const newView = keepingFew(
  async (w: World) => ({ viewId: (await w.admin.views.create({ ...aView(), projectId: w.project.id })).view.id }),
  (w, input) => w.admin.views.delete(input),
);

export const VIEW_INPUTS = {
  "views.list": () => ({}),
  "views.create": aView,
  "views.get": newView,
  "views.edit": async (w: World) => ({ ...(await newView(w)), name: freshName("view") }),
  "views.delete": newView,
};

/** An alert rule whose condition is never met. */
export const AN_ALERT_RULE = {
  watch: { kind: "errors" },
  windowMinutes: 60,
  condition: { is: "above", value: 0.5 },
} as const;

export async function newAlertRule(w: World): Promise<{ alertRuleId: string }> {
  const wanted = { name: freshName("rule"), ...AN_ALERT_RULE, projectId: w.project.id };
  return { alertRuleId: (await w.admin.alertRules.create(wanted)).alertRule.id };
}

/** Returns an alert rule, one per world, because a project can have only a few. */
export const anAlertRule = oncePerWorld(newAlertRule);

/** Returns an alert, one per world. The alert says that an agent has too few conversations; the agent has none. */
export const anAlert = oncePerWorld(async (w: World) => {
  const { alertRule } = await w.admin.alertRules.create({
    name: freshName("rule"),
    watch: { kind: "conversations" },
    agents: ["Nobody"],
    windowMinutes: 5,
    condition: { is: "below", value: 1 },
    projectId: w.project.id,
  });
  const [alert] = await until("the alert is raised", async () => {
    const { alerts } = await w.admin.alerts.list({ alertRuleId: alertRule.id, projectId: w.project.id });
    return alerts.length > 0 && alerts;
  });
  return { alertId: alert!.id };
});

/** Returns a webhook at an address where nothing listens. */
async function makeDestination(w: World): Promise<{ destinationId: string }> {
  const { destination } = await w.admin.destinations.create({
    name: freshName("destination"),
    kind: "webhook",
    url: "http://127.0.0.1:9/hook",
    eventTypes: ["import.failed"],
    projectId: w.project.id,
  });
  return { destinationId: destination.id };
}

/** Returns a new webhook, and deletes the one that it made ten calls before, because a project can have only a few. */
export const newDestination = keepingFew(makeDestination, (w, input) => w.admin.destinations.delete(input));

/** Returns a webhook, one per world. */
export const aDestination = oncePerWorld(makeDestination);

/** Returns a connection to the sample agent, one per world. */
export const sampleConnection = oncePerWorld(async (w: World) => {
  const agentId = (await newAgent(w)).id;
  const wanted = { agentId, connectionType: "sample_agent", config: {}, projectId: w.project.id } as const;
  return { agentId, connectionId: (await w.admin.connections.create(wanted)).connection.id };
});

/** Returns a member that an operation may remove; returns the same member until it is removed. */
export async function spareMember(w: World) {
  const { members } = await w.admin.members.list({ pageSize: 200 });
  spare =
    spare && members.some(({ userId }) => userId === spare!.session.user.id)
      ? spare
      : await join(w.url, w.admin, newAddress(), "member");
  return spare;
}

/** Starts the sign-in of a device, with its own client address. */
export async function newDevice(w: World): Promise<{ device_code: string; user_code: string }> {
  return jsonOf(await send(w.url, { method: "POST", path: "/api/device/code", json: { client_name: "laptop" } }));
}

/** Returns the id of a session of Acme's admin that an operation may end. */
export async function spareSession(w: World): Promise<string> {
  await w.signIn("admin@acme.test", "correct horse battery");
  const { sessions } = await w.adminSession.accounts.listSessions();
  return sessions.find(({ current }) => !current)!.id;
}
let spare: Awaited<ReturnType<typeof join>> | undefined;

/** Returns the input of a run against an address where nothing listens. */
export async function newRun(w: World) {
  const projectId = w.project.id;
  const { agent } = await w.admin.agents.register({ name: freshName("agent"), projectId });
  const wanted = {
    agentId: agent.id,
    projectId,
    ...aConnection(),
    config: { url: "http://127.0.0.1:9/", format: "svc" },
  };
  const { connection } = await w.admin.connections.create({ ...wanted, name: "chat" });
  return { testVersions: [(await newTest(w)).version_id], agentId: agent.id, connectionId: connection.id };
}

/** Returns the input of a schedule that is due on New Year's Day, against an address where nothing listens. */
export async function newSchedule(w: World) {
  const { agentId, connectionId } = await newRun(w);
  const testIds = [(await newTest(w)).id];
  return { name: freshName("schedule"), cron: "0 0 1 1 *", testIds, agentId, connectionId };
}

/** Returns a new schedule, and deletes the one that it made ten calls before, because a project can have only a few. */
export const aSchedule = keepingFew(
  async (w: World) => (await w.admin.schedules.create({ ...(await newSchedule(w)), projectId: w.project.id })).schedule,
  (w, { id }) => w.admin.schedules.delete({ scheduleId: id, projectId: w.project.id }),
);

/** Returns a function that makes a new resource in each call, and deletes the one that it made ten calls before in the same world. */
function keepingFew<T>(
  make: (w: World) => Promise<T>,
  remove: (w: World, one: T) => Promise<unknown>,
): (w: World) => Promise<T> {
  const made = new WeakMap<World, T[]>();
  return async (w) => {
    const all = made.get(w) ?? [];
    made.set(w, all);
    // The spec may already have deleted it.
    if (all.length >= 10) await remove(w, all.shift()!).catch(() => undefined);
    all.push(await make(w));
    return all.at(-1)!;
  };
}

/** Returns a function that makes a resource in its first call for a world, and returns the same resource in later calls. */
function oncePerWorld<T>(make: (w: World) => Promise<T>): (w: World) => Promise<T> {
  const made = new WeakMap<World, Promise<T>>();
  return (w) => {
    const one = made.get(w) ?? make(w);
    made.set(w, one);
    return one;
  };
}

const firstGrader = oncePerWorld(async (w) => {
  const wanted = { name: freshName("grader"), definition: { kind: "check", check: "calls book_room" } } as const;
  return (await w.admin.graders.create({ ...wanted, projectId: w.project.id })).grader;
});

/** Returns a grader that is not archived, one per world, because a project can have only a few. */
export async function aGrader(w: World) {
  const { id } = await firstGrader(w);
  return (await w.admin.graders.restore({ graderId: id, projectId: w.project.id })).grader;
}

/** Returns the id of a grade, one per world. */
export const aGrade = oncePerWorld(async (w) => {
  const agent = await startChatAgent(() => ({ message: "Goodbye.", ended: true }));
  const target = await chatConnection(w.client, agent.url);
  const spoken = await w.admin.tests.create(aTest({ scenario: "Says: Good morning.", project: w.project.id }));
  const { id } = await startRun(w.client, { ...target, testVersions: [spoken.version_id] });
  const { simulations } = await played(w, id);
  agent.stop();
  return simulations[0]!.grades[0]!.id!;
});

async function newReviewItem(w: World): Promise<{ reviewItemId: string }> {
  const projectId = w.project.id;
  const { graders } = await w.admin.graders.list({ projectId, pageSize: 200 });
  const { id: graderId } = graders.find(({ definition }) => definition.kind === "expected_behaviors")!;
  await w.admin.review.configure({ projectId, enabled: true, randomShare: 1, graderIds: [graderId] });
  const agent = await startChatAgent(() => ({ message: "Goodbye.", ended: true }));
  const target = await chatConnection(w.client, agent.url);
  const wanted = { scenario: "Says: Good morning.", expected_behaviors: ['says "goodbye"'], project: projectId };
  const spoken = await w.admin.tests.create(aTest(wanted));
  const { id } = await startRun(w.client, { ...target, testVersions: [spoken.version_id] });
  const { simulations } = await played(w, id);
  agent.stop();
  await w.admin.review.configure({ projectId, enabled: false });
  const { items } = await w.admin.review.list({ projectId, pageSize: 200 });
  return { reviewItemId: items.find(({ simulationId }) => simulationId === simulations[0]!.id)!.id };
}

/** Returns an item of the review queue with one grade to label, one per world. */
export const aReviewItem = oncePerWorld(newReviewItem);

/** Returns another item of the review queue, one per world, for the operations that skip an item. */
export const aSkippedItem = oncePerWorld(newReviewItem);

/** Returns a failure group, one per world, of a simulation that failed. */
export const aGroup = oncePerWorld(async (w) => {
  const agent = await startChatAgent(() => ({ message: "Goodbye.", ended: true }));
  const target = await chatConnection(w.client, agent.url);
  const content = { scenario: "Says: Good morning.", expected_behaviors: ['says "impossible"'] };
  const failing = await w.admin.tests.create(aTest({ ...content, project: w.project.id }));
  const { id } = await startRun(w.client, { ...target, testVersions: [failing.version_id] });
  await played(w, id);
  agent.stop();
  const [group] = await until("its failure is in a group", async () => {
    const { groups } = await w.admin.groups.list({ projectId: w.project.id });
    return groups.length > 0 && groups;
  });
  return { groupId: group!.id };
});

/** Returns an ended simulation, one per world. */
export const endedSimulation = oncePerWorld(async (w) => {
  const answer = await w.admin.runs.create({ ...(await newRun(w)), projectId: w.project.id });
  if (!("run" in answer)) throw new Error("the service answered with a plan instead of a run");
  return until("the simulation has ended", async () => {
    const { simulations } = await w.admin.runs.simulations({ runId: answer.run.id, projectId: w.project.id });
    return simulations[0]!.endedAt !== null && simulations[0]!.grading === "settled" && simulations[0];
  });
});

/** Returns a simulation that is under way, and the token with which its agent calls mock tools. */
export async function simulationUnderWay(w: World): Promise<{ simulationId: string; token: string }> {
  const earlier = underWay.get(w);
  if (earlier !== undefined) {
    const { simulation } = await w.client.simulations.get({ simulationId: earlier.simulationId });
    if (simulation.endedAt === null) return earlier;
  }
  const spoken = await w.client.tests.create(aTest({ scenario: "Says: Good morning." }));
  const target = await consoleConnection(w.client);
  const { id } = await startRun(w.client, { ...target, testVersions: [spoken.version_id] });
  const { simulationId, tools } = await bridgeStarted(w.client, id);
  const started = { simulationId, token: tools.token };
  underWay.set(w, started);
  return started;
}
const underWay = new WeakMap<World, { simulationId: string; token: string }>();

/** Returns a simulation that has ended and has a recording, one per world. */
export const recordedSimulation = oncePerWorld(async (w) => {
  const simulation = IN_PROCESS ? await endedSimulation(w) : await playedCall(w);
  if (IN_PROCESS) {
    const bytes = recordedWav(1_000, [{ fromMs: 0, toMs: 400, level: 0.5 }], [{ fromMs: 500, toMs: 900, level: 0.5 }]);
    await w.keepRecording({ projectId: w.project.id, simulationId: simulation.id, bytes });
  }
  const traceId = simulation.traceId!;
  await until("the conversation is readable", () => w.client.traces.get({ traceId }).then(() => true));
  return { simulationId: simulation.id, traceId };
});

/** Plays a short call and returns its simulation, which has a recording. */
async function playedCall(w: World) {
  const agent = await startFakeVoiceAgent({
    greets: (call) => (call.say(0.3), call.onCallersTurn(() => call.socket.close(1000))),
  });
  const target = await voiceConnection(w.client, agent.urlOf("greets"));
  const spoken = await w.admin.tests.create(aTest({ scenario: "Says: Good morning.", project: w.project.id }));
  const { id } = await startRun(w.client, { ...target, testVersions: [spoken.version_id] });
  const { simulations } = await played(w, id);
  agent.stop();
  return simulations[0]!;
}

/** Returns the id of an open import failure whose call is now complete, one per world. */
export const failureOf = oncePerWorld(async ({ platformA, admin, project }) => {
  const call = callBefore(90);
  platformA.addCalls([withoutTranscript(call)]);
  await admin.monitoring.savePlatformA({
    api_key: platformA.apiKey,
    agents: [{ id: "agent_0" }],
    project: project.id,
  });
  const { id } = await until(
    "the incomplete call is an open failure",
    async () => {
      const { setups } = await admin.monitoring.list({ project: project.id });
      return setups[0]!.agents[0]!.failures.find(({ provider_call_id }) => provider_call_id === call.call_id);
    },
    90_000,
  );
  platformA.addCalls([call]);
  return id;
});

/** Returns the settings of an identity provider, one per world. */
export const anIdentityProvider = oncePerWorld(async () => {
  const { issuer, client, stop } = await openFakeIdentityProvider();
  atProcessEnd(() => void stop());
  return { issuer, ...client, domains: ["people.example"] };
});
