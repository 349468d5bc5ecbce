import { randomBytes } from "node:crypto";
import { DEVICE_GRANT, type Operations } from "@svc/contract";
import { totpCodeAt } from "../../packages/server/src/tenancy/second-factor/totp.ts";
import { MODEL_INPUTS } from "./model-inputs.ts";
import type { FlatInput } from "./operation-request.ts";
import {
  AN_ALERT_RULE,
  aDestination,
  aGrade,
  aGroup,
  anAlert,
  anAlertRule,
  anIdentityProvider,
  aGrader,
  aReviewItem,
  aSchedule,
  aSkippedItem,
  archivedAgent,
  endedSimulation,
  failureOf,
  newAddress,
  newAlertRule,
  newAgent,
  newConnection,
  newDestination,
  newDevice,
  newMockTool,
  newPersona,
  newRun,
  newSchedule,
  newSuite,
  newTest,
  recordedSimulation,
  sampleConnection,
  spareMember,
  spareSession,
  TRUNK_INPUTS,
  VIEW_INPUTS,
} from "./operation-resources.ts";
import { encodeJson, oneSpan } from "./otlp.ts";
import { PASSWORD } from "./people.ts";
import { until } from "./until.ts";
import { aConnection, aTest, freshName, unknownId, type World } from "./world.ts";

/** The full name of an operation, such as `tests.create`. */
export type OperationName = {
  [F in keyof Operations]: `${F}.${keyof Operations[F] & string}`;
}[keyof Operations];

/** The id of a conversation that only Acme's first project has. */
export const TRACE_ID = "5b8efff798038103d269b633813fc60c";

/** A secret of an authenticator app. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

/** A passkey's answer without a valid signature of a challenge. */
const UNSIGNED = { id: "aWQ", client_data: "e30", authenticator_data: "ZGF0YQ" };

let deletable: string | undefined;

const isReadable = (w: World, traceId: string): Promise<boolean> =>
  w.client.traces.get({ traceId }).then(Boolean, () => false);

/** For every operation, an input with which an admin of Acme succeeds; every id in it belongs to Acme's first project. */
export const INPUTS: Record<OperationName, (w: World) => FlatInput | Promise<FlatInput>> = {
  "accounts.signUp": () => ({ name: "New", email: newAddress(), password: PASSWORD }),
  "accounts.signIn": (w) => ({ email: w.member.email, password: PASSWORD }),
  "accounts.signOut": () => ({}),
  "accounts.session": () => ({}),
  "accounts.switchOrganization": (w) => ({ organization_id: w.member.session.organization.id }),
  "accounts.listSessions": () => ({}),
  "accounts.revokeSession": async (w) => ({ session_id: await spareSession(w) }),
  "accounts.revokeSessions": () => ({}),
  "accounts.editUser": () => ({ name: "Ana Silva" }),
  "accounts.changePassword": () => ({ current_password: PASSWORD, new_password: PASSWORD }),
  "accounts.requestPasswordReset": (w) => ({ email: w.member.email }),
  "accounts.resetPassword": async (w) => {
    const { token } = await w.admin.members.resetPassword({ userId: (await spareMember(w)).session.user.id });
    return { token, new_password: PASSWORD };
  },
  "accounts.leaveOrganization": () => ({}),
  "accounts.deleteUser": () => ({ password: PASSWORD }),
  "secondFactor.get": () => ({}),
  "secondFactor.newSecret": () => ({}),
  "secondFactor.enable": () => ({ password: PASSWORD, secret: SECRET, code: totpCodeAt(SECRET, Date.now()) }),
  "secondFactor.newRecoveryCodes": () => ({ password: PASSWORD, code: "123456" }),
  "secondFactor.disable": () => ({ password: PASSWORD, code: "123456" }),
  "passkeys.list": () => ({}),
  "passkeys.options": () => ({ password: PASSWORD }),
  // No authenticator has signed these inputs, so the service refuses them.
  "passkeys.add": () => ({ name: "A phone", ...UNSIGNED, public_key: "a2V5", algorithm: -7 }),
  "passkeys.remove": () => ({ passkey_id: unknownId("psk"), password: PASSWORD }),
  "passkeys.challenge": () => ({}),
  "passkeys.signIn": () => ({ passkey: { ...UNSIGNED, signature: "c2ln" } }),
  "singleSignOn.get": () => ({}),
  "singleSignOn.set": anIdentityProvider,
  "singleSignOn.remove": () => ({}),
  "singleSignOn.start": async (w) => {
    await w.admin.singleSignOn.set(await anIdentityProvider(w));
    return { organization_id: w.member.session.organization.id };
  },
  // The request has no cookie of a browser that started the sign-in, so the service refuses it.
  "singleSignOn.finish": () => ({ state: "a state", code: "a code" }),
  "device.code": () => ({ client_name: "laptop" }),
  "device.token": async (w) => {
    const { device_code, user_code } = await newDevice(w);
    await w.adminSession.device.approve({ user_code });
    return { grant_type: DEVICE_GRANT, device_code };
  },
  "device.get": async (w) => ({ user_code: (await newDevice(w)).user_code }),
  "device.approve": async (w) => ({ user_code: (await newDevice(w)).user_code }),
  "device.deny": async (w) => ({ user_code: (await newDevice(w)).user_code }),
  "invitations.create": () => ({ email: newAddress(), role: "viewer" }),
  "invitations.list": () => ({}),
  "invitations.revoke": async (w) => {
    const { invitation } = await w.admin.invitations.create({ email: newAddress(), role: "viewer" });
    return { invitationId: invitation.id };
  },
  "invitations.preview": async (w) => ({
    token: (await w.admin.invitations.create({ email: newAddress(), role: "viewer" })).token,
  }),
  "invitations.accept": async (w) => ({
    token: (await w.admin.invitations.create({ email: newAddress(), role: "viewer" })).token,
  }),
  "members.list": () => ({}),
  "members.edit": (w) => ({ userId: w.member.session.user.id, role: "member" }),
  "members.remove": async (w) => ({ userId: (await spareMember(w)).session.user.id }),
  "members.removeSecondFactor": async (w) => ({ userId: (await spareMember(w)).session.user.id }),
  "members.revokeKeys": async (w) => ({ userId: (await spareMember(w)).session.user.id }),
  "members.resetPassword": async (w) => ({ userId: (await spareMember(w)).session.user.id }),
  "keys.create": (w) => ({ name: "spare", project_id: w.project.id }),
  "keys.list": () => ({}),
  "keys.revoke": async (w) => ({ apiKeyId: (await w.admin.keys.create({ project_id: w.project.id })).id }),
  "identity.get": () => ({}),
  "organization.get": () => ({}),
  "organization.edit": () => ({ name: "Acme" }),
  "organization.reseal": () => ({}),
  "conditions.list": () => ({}),
  "audit.list": () => ({}),
  "audit.export": () => ({}),
  "changes.stream": () => ({}),
  "projects.list": () => ({}),
  "projects.create": () => ({ name: freshName("project") }),
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
  "tests.readBehaviors": () => ({ behaviors: ["calls book_room", "Is kind."] }),
  "tests.draftFromPrompt": () => ({ prompt: "Never promise a refund." }),
  "tests.draftVariants": async (w) => ({ testId: (await newTest(w)).id }),
  "tests.list": () => ({}),
  "tests.get": async (w) => ({ testId: (await newTest(w)).id }),
  "tests.versions": async (w) => ({ testId: (await newTest(w)).id }),
  "tests.setTags": async (w) => ({ testId: (await newTest(w)).id, tags: ["smoke"] }),
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
  "connections.try": sampleConnection,
  "connections.edit": async (w) => ({ ...(await newConnection(w)), name: "Another name" }),
  ...TRUNK_INPUTS,
  ...VIEW_INPUTS,
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
  "personas.voiceSample": async (w) => ({ personaId: (await newPersona(w)).id }),
  "personas.usage": async (w) => ({ personaId: (await newPersona(w)).id }),
  "personas.makeDefault": async (w) => ({ personaId: (await newPersona(w)).id }),
  "mockTools.list": () => ({}),
  "mockTools.create": () => ({ tool: freshName("tool"), answer: { found: true } }),
  "mockTools.get": newMockTool,
  "mockTools.edit": async (w) => ({ ...(await newMockTool(w)), error: "down" }),
  "mockTools.delete": newMockTool,
  "alertRules.list": () => ({}),
  "alertRules.create": () => ({ name: freshName("rule"), ...AN_ALERT_RULE }),
  "alertRules.get": anAlertRule,
  "alertRules.edit": async (w) => ({ ...(await anAlertRule(w)), severity: "critical" }),
  "alertRules.delete": newAlertRule,
  "alertRules.preview": () => ({ ...AN_ALERT_RULE, days: 1 }),
  "alerts.list": () => ({}),
  "alerts.get": anAlert,
  "alerts.acknowledge": anAlert,
  "groups.list": () => ({}),
  "groups.get": aGroup,
  "groups.members": aGroup,
  "groups.edit": async (w) => ({ ...(await aGroup(w)), state: "ignored" }),
  "events.list": () => ({}),
  "destinations.list": () => ({}),
  "destinations.create": (w) => ({
    name: freshName("destination"),
    kind: "email",
    email: w.member.email,
    eventTypes: ["run.completed"],
  }),
  "destinations.get": aDestination,
  "destinations.edit": async (w) => ({ ...(await aDestination(w)), paused: false }),
  "destinations.delete": newDestination,
  "destinations.test": aDestination,
  "destinations.rotateSecret": aDestination,
  "destinations.deliveries": aDestination,
  "destinations.sendAgain": async (w) => ({ ...(await aDestination(w)), since: "2026-01-01T00:00:00Z" }),
  "capabilities.get": () => ({
    ttsProvider: "openai",
    ttsModel: "tts-1",
    sttProvider: "deepgram",
    sttModel: "nova-3",
  }),
  "capabilities.models": () => ({}),
  "traces.ingest": () => ({}),
  "traces.list": () => ({}),
  "turns.list": () => ({}),
  "traces.get": async (w) => {
    await w.client.traces.ingest({ body: encodeJson(oneSpan({ traceId: TRACE_ID })), contentType: "application/json" });
    await until("the conversation is readable", () => w.client.traces.get({ traceId: TRACE_ID }));
    return { traceId: TRACE_ID };
  },
  "traces.delete": async (w) => {
    // A deleted conversation cannot be used again. If the request was refused, the conversation still exists, and the next request
    // uses it.
    if (deletable !== undefined && (await isReadable(w, deletable))) return { traceId: deletable };
    const traceId = (deletable = randomBytes(16).toString("hex"));
    await w.client.traces.ingest({ body: encodeJson(oneSpan({ traceId })), contentType: "application/json" });
    await until("the conversation is readable", () => w.client.traces.get({ traceId }));
    return { traceId };
  },
  "traces.remap": () => ({}),
  "metrics.get": () => ({}),
  "metrics.conversations": () => ({}),
  "metrics.tools": () => ({}),
  "agentVersions.list": () => ({}),
  "agentVersions.compare": () => ({ agent: "Hotel", version: "41", with: "42" }),
  "exports.list": () => ({}),
  "exports.file": () => ({ name: "grades" }),
  "runs.create": newRun,
  "runs.createApi": async (w) => {
    const { testVersions, agentId, connectionId } = await newRun(w);
    return { test_versions: testVersions, agent: agentId, connection: connectionId };
  },
  "runs.rerun": async (w) => ({ runId: (await endedSimulation(w)).runId }),
  "runs.list": () => ({}),
  "runs.get": async (w) => ({ runId: (await endedSimulation(w)).runId }),
  "runs.simulations": async (w) => ({ runId: (await endedSimulation(w)).runId }),
  "runs.compare": async (w) => {
    const { runId } = await endedSimulation(w);
    return { runId, with: runId };
  },
  "runs.grid": async (w) => ({ runId: (await endedSimulation(w)).runId }),
  "runs.behaviors": async (w) => ({ runId: (await endedSimulation(w)).runId }),
  "runs.resultsOfTests": () => ({}),
  "runs.usage": () => ({}),
  "runs.passRatesOfTest": async (w) => ({ testId: (await newTest(w)).id }),
  "runs.passRatesOfAgent": async (w) => ({ agentId: (await newAgent(w)).id }),
  "runs.events": async (w) => ({ runId: (await endedSimulation(w)).runId }),
  "runs.cancel": async (w) => ({ runId: (await endedSimulation(w)).runId }),
  "schedules.list": () => ({}),
  "schedules.create": newSchedule,
  "schedules.preview": () => ({ cron: "0 6 * * 1-5", timeZone: "Europe/Berlin" }),
  "schedules.get": async (w) => ({ scheduleId: (await aSchedule(w)).id }),
  "schedules.edit": async (w) => ({ scheduleId: (await aSchedule(w)).id, paused: true }),
  "schedules.delete": async (w) => ({ scheduleId: (await aSchedule(w)).id }),
  "schedules.run": async (w) => ({ scheduleId: (await aSchedule(w)).id }),
  "schedules.runs": async (w) => ({ scheduleId: (await aSchedule(w)).id }),
  "sample.start": async (w) => {
    const { sample } = await w.admin.sample.start({ projectId: w.project.id });
    await w.admin.agents.archive({ agentId: sample.agentId, projectId: w.project.id });
    return {};
  },
  "recordings.audioOfSimulation": async (w) => ({ simulationId: (await recordedSimulation(w)).simulationId }),
  "recordings.ofSimulation": async (w) => ({ simulationId: (await recordedSimulation(w)).simulationId }),
  "recordings.audioOfConversation": async (w) => ({ traceId: (await recordedSimulation(w)).traceId }),
  "recordings.ofConversation": async (w) => ({ traceId: (await recordedSimulation(w)).traceId }),
  "simulations.get": async (w) => ({ simulationId: (await endedSimulation(w)).id }),
  "simulations.regrade": async (w) => ({ simulationId: (await endedSimulation(w)).id }),
  "simulations.veto": async (w) => ({ simulationId: (await endedSimulation(w)).id, reason: "Nothing was booked." }),
  "simulations.useTool": async (w) => ({ simulationId: (await endedSimulation(w)).id, tool: "look_up" }),
  "simulations.bridge": async (w) => ({ simulationId: (await endedSimulation(w)).id }),
  ...MODEL_INPUTS,
  "monitoring.list": () => ({}),
  "monitoring.discover": (w) => ({ api_key: w.platformA.apiKey }),
  "monitoring.savePlatformA": (w) => ({ api_key: w.platformA.apiKey, agents: [{ id: "agent_0" }] }),
  "monitoring.savePlatformB": () => ({}),
  "monitoring.replay": async (w) => ({ failureId: await failureOf(w) }),
  "monitoring.remove": async (w) => {
    await w.admin.monitoring.savePlatformB({ project: w.project.id });
    return { platform: "platform_b-agents" };
  },
  "graders.list": () => ({}),
  "graders.create": () => ({ name: freshName("grader"), definition: { kind: "check", check: "calls book_room" } }),
  "graders.get": async (w) => ({ graderId: (await aGrader(w)).id }),
  "graders.edit": async (w) => {
    const { id, versionId } = await aGrader(w);
    return { graderId: id, expectedVersionId: versionId, definition: { kind: "check", check: "calls cancel" } };
  },
  "graders.configure": async (w) => ({ graderId: (await aGrader(w)).id, counts: false }),
  "graders.versions": async (w) => ({ graderId: (await aGrader(w)).id }),
  "graders.archive": async (w) => ({ graderId: (await aGrader(w)).id }),
  "graders.restore": async (w) => ({ graderId: (await aGrader(w)).id }),
  "graders.agreement": async (w) => ({ graderId: (await aGrader(w)).id }),
  "graders.labels": async (w) => ({ graderId: (await aGrader(w)).id }),
  "grades.ofTrace": (w) => INPUTS["traces.get"](w),
  "grades.label": async (w) => ({ gradeId: await aGrade(w), verdict: "failed", note: "Nothing was booked." }),
  "judge.calibrate": () => ({}),
  "judge.calibrations": () => ({}),
  "review.queue": () => ({}),
  "review.configure": () => ({ secondPersonShare: 0.1 }),
  "review.list": () => ({}),
  "review.get": aReviewItem,
  "review.next": () => ({}),
  "review.label": async (w) => ({ ...(await aReviewItem(w)), verdict: "failed", note: "Nobody said goodbye." }),
  "review.skip": aSkippedItem,
  "health.get": () => ({}),
  "readiness.get": () => ({}),
  "service.get": () => ({}),
  "service.check": () => ({}),
  "instance.get": () => ({}),
  "description.openapi": () => ({}),
};
