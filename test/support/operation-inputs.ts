import type { Operations } from "@svc/contract";
import type { FlatInput } from "./operation-request.ts";
import { encodeJson, oneSpan } from "./otlp.ts";
import { join, PASSWORD } from "./people.ts";
import { until } from "./until.ts";
import { aConnection, aTest, freshName, type World } from "./world.ts";

export type OperationName = {
  [F in keyof Operations]: `${F}.${keyof Operations[F] & string}`;
}[keyof Operations];

/** A conversation that Acme's first project alone holds. */
export const TRACE_ID = "5b8efff798038103d269b633813fc60c";

const newTest = (w: World) => w.admin.tests.create(aTest({ project: w.project.id }));
const newSuite = (w: World) => w.admin.suites.create({ name: freshName("suite"), projectId: w.project.id });
const newAgent = async (w: World) =>
  (await w.admin.agents.register({ name: freshName("agent"), projectId: w.project.id })).agent;
const newPersona = async (w: World) =>
  (await w.admin.personas.create({ name: freshName("persona"), projectId: w.project.id })).persona;
const newMockTool = async (w: World) => {
  const { mockTool } = await w.admin.mockTools.create({ tool: freshName("tool"), answer: 1, projectId: w.project.id });
  return { mockToolId: mockTool.id };
};
const newAddress = () => `${freshName("person").replace(" ", "-")}@acme.test`;

/** For every operation, an input with which an admin of Acme succeeds; what it names lies in Acme's first project. */
export const INPUTS: Record<OperationName, (w: World) => FlatInput | Promise<FlatInput>> = {
  "accounts.signUp": () => ({ name: "New", email: newAddress(), password: PASSWORD }),
  "accounts.signIn": (w) => ({ email: w.member.email, password: PASSWORD }),
  "accounts.signOut": () => ({}),
  "accounts.session": () => ({}),
  "invitations.create": () => ({ email: newAddress(), role: "viewer" }),
  "invitations.list": () => ({}),
  "invitations.revoke": async (w) => {
    const { invitation } = await w.admin.invitations.create({ email: newAddress(), role: "viewer" });
    return { invitationId: invitation.id };
  },
  "members.list": () => ({}),
  "members.edit": (w) => ({ userId: w.member.session.user.id, role: "member" }),
  "members.remove": async (w) => ({ userId: (await spareMember(w)).session.user.id }),
  "keys.create": (w) => ({ name: "spare", project_id: w.project.id }),
  "keys.list": () => ({}),
  "keys.revoke": async (w) => ({ apiKeyId: (await w.admin.keys.create({ project_id: w.project.id })).id }),
  "organization.get": () => ({}),
  "organization.edit": () => ({ name: "Acme" }),
  "organization.reseal": () => ({}),
  "projects.list": () => ({}),
  "projects.create": () => ({ name: freshName("project") }),
  "projects.get": (w) => ({ projectId: w.project.id }),
  "projects.edit": (w) => ({ projectId: w.project.id, name: w.project.name }),
  "suites.list": () => ({}),
  "suites.create": () => ({ name: freshName("suite") }),
  "suites.get": async (w) => ({ suiteId: (await newSuite(w)).testSuite.id }),
  "suites.edit": async (w) => ({ suiteId: (await newSuite(w)).testSuite.id, name: freshName("suite") }),
  "suites.delete": async (w) => ({ suiteId: (await newSuite(w)).testSuite.id }),
  "tests.create": () => aTest(),
  "tests.edit": async (w) => {
    const test = await newTest(w);
    return { testId: test.id, expected_version_id: test.version_id, scenario: "Another caller." };
  },
  "tests.import": () => ({ tests: [aTest()] }),
  "tests.list": () => ({}),
  "tests.get": async (w) => ({ testId: (await newTest(w)).id }),
  "tests.versions": async (w) => ({ testId: (await newTest(w)).id }),
  "tests.delete": async (w) => ({ testId: (await newTest(w)).id }),
  "tests.version": async (w) => ({ versionId: (await newTest(w)).version_id }),
  "tests.listOfSuite": async (w) => ({ suiteId: (await newSuite(w)).testSuite.id }),
  "agents.list": () => ({}),
  "agents.register": () => ({ name: freshName("agent"), agentPlatform: "custom", platformAgentId: freshName("id") }),
  "agents.get": async (w) => ({ agentId: (await newAgent(w)).id }),
  "agents.edit": async (w) => ({ agentId: (await newAgent(w)).id, name: freshName("agent") }),
  "agents.archive": async (w) => ({ agentId: (await newAgent(w)).id }),
  "agents.restore": async (w) => ({ agentId: await archivedAgent(w), name: freshName("agent") }),
  "connections.list": async (w) => ({ agentId: (await newAgent(w)).id }),
  "connections.create": async (w) => ({ agentId: (await newAgent(w)).id, ...aConnection() }),
  "connections.get": newConnection,
  "connections.edit": async (w) => ({ ...(await newConnection(w)), name: "Another name" }),
  "connections.archive": newConnection,
  "connections.restore": async (w) => {
    const ids = await newConnection(w);
    await w.admin.connections.archive({ ...ids, projectId: w.project.id });
    return ids;
  },
  "connectionOptions.list": () => ({}),
  "personas.list": () => ({}),
  "personas.create": () => ({ name: freshName("persona"), traits: { pace: "slow" } }),
  "personas.get": async (w) => ({ personaId: (await newPersona(w)).id }),
  "personas.edit": async (w) => {
    const { id, versionId } = await newPersona(w);
    return { personaId: id, expectedVersionId: versionId, traits: { pace: "fast" } };
  },
  "personas.versions": async (w) => ({ personaId: (await newPersona(w)).id }),
  "personas.version": async (w) => ({ versionId: (await newPersona(w)).versionId }),
  "personas.archive": async (w) => ({ personaId: (await newPersona(w)).id }),
  "personas.restore": async (w) => ({ personaId: (await newPersona(w)).id }),
  "personas.fork": async (w) => ({ personaId: (await newPersona(w)).id, name: freshName("persona") }),
  "personas.usage": async (w) => ({ personaId: (await newPersona(w)).id }),
  "personas.makeDefault": async (w) => ({ personaId: (await newPersona(w)).id }),
  "mockTools.list": () => ({}),
  "mockTools.create": () => ({ tool: freshName("tool"), answer: { found: true } }),
  "mockTools.get": newMockTool,
  "mockTools.edit": async (w) => ({ ...(await newMockTool(w)), error: "down" }),
  "mockTools.delete": newMockTool,
  "capabilities.get": () => ({
    ttsProvider: "openai",
    ttsModel: "tts-1",
    sttProvider: "deepgram",
    sttModel: "nova-3",
  }),
  "capabilities.models": () => ({}),
  "traces.ingest": () => ({}),
  "traces.list": () => ({}),
  "traces.get": async (w) => {
    await w.client.traces.ingest({ body: encodeJson(oneSpan({ traceId: TRACE_ID })), contentType: "application/json" });
    await until("the conversation is readable", () => w.client.traces.get({ traceId: TRACE_ID }));
    return { traceId: TRACE_ID };
  },
  "traces.remap": () => ({}),
  "metrics.get": () => ({}),
  "runs.create": newRun,
  "runs.createApi": async (w) => {
    const { testVersions, agentId, connectionId } = await newRun(w);
    return { test_versions: testVersions, agent: agentId, connection: connectionId };
  },
  "runs.list": () => ({}),
  "runs.get": async (w) => ({ runId: (await endedSimulation(w)).runId }),
  "runs.simulations": async (w) => ({ runId: (await endedSimulation(w)).runId }),
  "runs.compare": async (w) => {
    const { runId } = await endedSimulation(w);
    return { runId, with: runId };
  },
  "runs.events": async (w) => ({ runId: (await endedSimulation(w)).runId }),
  "runs.stream": async (w) => ({ runId: (await endedSimulation(w)).runId }),
  "runs.cancel": async (w) => ({ runId: (await endedSimulation(w)).runId }),
  "simulations.get": async (w) => ({ simulationId: (await endedSimulation(w)).id }),
  "simulations.regrade": async (w) => ({ simulationId: (await endedSimulation(w)).id }),
  "simulations.veto": async (w) => ({ simulationId: (await endedSimulation(w)).id, reason: "Nothing was booked." }),
  "simulations.useTool": async (w) => ({ simulationId: (await endedSimulation(w)).id, tool: "look_up" }),
  "simulations.bridge": async (w) => ({ simulationId: (await endedSimulation(w)).id }),
  "providerKeys.list": () => ({}),
  "providerKeys.set": () => ({ provider: "cartesia", apiKey: "a-key-of-cartesia" }),
  "providerKeys.delete": async (w) => {
    await w.admin.providerKeys.set({ provider: "hume", apiKey: "a-key-of-hume" });
    return { provider: "hume" };
  },
  "health.get": () => ({}),
  "description.openapi": () => ({}),
};

async function archivedAgent(w: World): Promise<string> {
  const { id: agentId } = await newAgent(w);
  await w.admin.agents.archive({ agentId, projectId: w.project.id });
  return agentId;
}

async function newConnection(w: World): Promise<{ agentId: string; connectionId: string }> {
  const agentId = (await newAgent(w)).id;
  const { connection } = await w.admin.connections.create({ agentId, ...aConnection(), projectId: w.project.id });
  return { agentId, connectionId: connection.id };
}

/** A member who may be removed; the same one until someone does. */
async function spareMember(w: World) {
  const { members } = await w.admin.members.list({ pageSize: 200 });
  spare =
    spare && members.some(({ userId }) => userId === spare!.session.user.id)
      ? spare
      : await join(w.url, w.admin, newAddress(), "member");
  return spare;
}
let spare: Awaited<ReturnType<typeof join>> | undefined;

/** A run against an address where nothing listens. */
async function newRun(w: World) {
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

/** One of Acme's first project; the same for all who ask. */
function endedSimulation(w: World): Promise<{ id: string; runId: string }> {
  ended ??= (async () => {
    const answer = await w.admin.runs.create({ ...(await newRun(w)), projectId: w.project.id });
    if (!("run" in answer)) throw new Error("a plan was answered instead of a run");
    return until("the simulation has ended", async () => {
      const { simulations } = await w.admin.runs.simulations({ runId: answer.run.id, projectId: w.project.id });
      return simulations[0]!.endedAt !== null && simulations[0]!.grading === "settled" && simulations[0];
    });
  })();
  return ended;
}
let ended: Promise<{ id: string; runId: string }> | undefined;
