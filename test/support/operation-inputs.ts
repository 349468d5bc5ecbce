import type { Operations } from "@svc/contract";
import type { FlatInput } from "./operation-request.ts";
import { callBefore } from "./monitoring.ts";
import { encodeJson, oneSpan } from "./otlp.ts";
import { join, PASSWORD } from "./people.ts";
import { withoutTranscript } from "./platform-a/calls.ts";
import { until } from "./until.ts";
import { aTest, freshName, type World } from "./world.ts";

export type OperationName = {
  [F in keyof Operations]: `${F}.${keyof Operations[F] & string}`;
}[keyof Operations];

/** A conversation that Acme's first project alone holds. */
export const TRACE_ID = "5b8efff798038103d269b633813fc60c";

const newTest = (w: World) => w.admin.tests.create(aTest({ project: w.project.id }));
const newSuite = (w: World) => w.admin.suites.create({ name: freshName("suite"), projectId: w.project.id });
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
  "tests.list": () => ({}),
  "tests.get": async (w) => ({ testId: (await newTest(w)).id }),
  "tests.versions": async (w) => ({ testId: (await newTest(w)).id }),
  "tests.delete": async (w) => ({ testId: (await newTest(w)).id }),
  "tests.version": async (w) => ({ versionId: (await newTest(w)).version_id }),
  "tests.listOfSuite": async (w) => ({ suiteId: (await newSuite(w)).testSuite.id }),
  "traces.ingest": () => ({}),
  "traces.list": () => ({}),
  "traces.get": async (w) => {
    await w.client.traces.ingest({ body: encodeJson(oneSpan({ traceId: TRACE_ID })), contentType: "application/json" });
    await until("the conversation is readable", () => w.client.traces.get({ traceId: TRACE_ID }));
    return { traceId: TRACE_ID };
  },
  "traces.remap": () => ({}),
  "metrics.get": () => ({}),
  "monitoring.list": () => ({}),
  "monitoring.discover": (w) => ({ api_key: w.platformA.apiKey }),
  "monitoring.savePlatformA": (w) => ({ api_key: w.platformA.apiKey, agents: [{ id: "agent_0" }] }),
  "monitoring.savePlatformB": () => ({}),
  "monitoring.replay": async (w) => ({ failureId: await failureOf(w) }),
  "monitoring.remove": async (w) => {
    await w.admin.monitoring.savePlatformB({ project: w.project.id });
    return { platform: "platform_b-agents" };
  },
  "health.get": () => ({}),
  "description.openapi": () => ({}),
};

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

/** An import failure of Acme's first project whose call can be read by now; the same one for a world. */
function failureOf(w: World): Promise<string> {
  const made = failures.get(w) ?? makeFailure(w);
  failures.set(w, made);
  return made;
}
const failures = new WeakMap<World, Promise<string>>();

async function makeFailure({ platformA, admin, project }: World): Promise<string> {
  const call = callBefore(90);
  platformA.addCalls([withoutTranscript(call)]);
  await admin.monitoring.savePlatformA({
    api_key: platformA.apiKey,
    agents: [{ id: "agent_0" }],
    project: project.id,
  });
  const { id } = await until("the incomplete call is an open failure", async () => {
    const { setups } = await admin.monitoring.list({ project: project.id });
    return setups[0]!.agents[0]!.failures.find(({ provider_call_id }) => provider_call_id === call.call_id);
  });
  platformA.addCalls([call]);
  return id;
}
