import { expect } from "vitest";
import { INPUTS } from "../../support/operation-inputs.ts";
import { recordedSimulation } from "../../support/operation-resources.ts";
import { PASSWORD, signUpAsk } from "../../support/people.ts";
import { type Ask, freshAddress, send } from "../../support/request.ts";
import { aConnection, aTest, freshName, unknownId, type World } from "../../support/world.ts";
import { ofPersonas } from "./personas.ts";
import { adminAsk, type Row } from "./row.ts";

const makeTest = (w: World) => w.admin.tests.create({ ...aTest(), project: w.project.id });
const makeSuite = (w: World) => w.admin.suites.create({ name: freshName("suite"), projectId: w.project.id });
const makeAgent = async (w: World, more: { platformAgentId?: string } = {}) =>
  (await w.admin.agents.register({ name: freshName("agent"), projectId: w.project.id, ...more })).agent;
const archivedAgentOf = async (w: World, more: { platformAgentId?: string } = {}) => {
  const { id: agentId } = await makeAgent(w, more);
  await w.admin.agents.archive({ agentId, projectId: w.project.id });
  return agentId;
};
const adminId = async (w: World) => (await w.adminSession.accounts.session()).user.id;

const nameTaken: Row[] = [
  {
    name: "a test with another live test's name",
    code: "name_taken",
    ask: async (w) =>
      adminAsk(w, "tests.create", aTest({ name: ` ${(await makeTest(w)).name} `, project: w.project.id })),
  },
  {
    name: "a test renamed to another live test's name",
    code: "name_taken",
    ask: async (w) => {
      const [one, other] = [await makeTest(w), await makeTest(w)];
      return adminAsk(w, "tests.edit", {
        testId: one.id,
        expected_version_id: one.version_id,
        name: other.name,
        project: w.project.id,
      });
    },
  },
  {
    name: "a suite with another suite's name",
    code: "name_taken",
    ask: (w) => adminAsk(w, "suites.create", { name: "Default", projectId: w.project.id }),
  },
  {
    name: "a suite renamed to another suite's name",
    code: "name_taken",
    ask: async (w) =>
      adminAsk(w, "suites.edit", {
        suiteId: (await makeSuite(w)).testSuite.id,
        name: "Default",
        projectId: w.project.id,
      }),
  },
  {
    name: "a project with another project's name",
    code: "name_taken",
    ask: (w) => adminAsk(w, "projects.create", { name: w.project.name }),
  },
  {
    name: "a project with another project's slug",
    code: "name_taken",
    ask: (w) => adminAsk(w, "projects.create", { name: freshName("project"), slug: w.project.slug }),
  },
  {
    name: "a project renamed to another project's name",
    code: "name_taken",
    ask: (w) => adminAsk(w, "projects.edit", { projectId: w.otherProject.id, name: w.project.name }),
  },
  ...(["mockTools.create", "mockTools.edit"] as const).map((name): Row => ({
    name: `${name} of a tool that is mocked already`,
    code: "name_taken",
    ask: async (w) => {
      const tool = freshName("tool");
      await w.admin.mockTools.create({ tool, answer: 1, projectId: w.project.id });
      return adminAsk(w, name, { ...(await INPUTS[name](w)), tool, projectId: w.project.id });
    },
  })),
];

const agentNames: Row[] = [
  {
    name: "an agent with another live agent's name",
    code: "name_taken",
    ask: async (w) =>
      adminAsk(w, "agents.register", { name: ` ${(await makeAgent(w)).name} `, projectId: w.project.id }),
  },
  {
    name: "an agent renamed to another live agent's name",
    code: "name_taken",
    ask: async (w) =>
      adminAsk(w, "agents.edit", {
        agentId: (await makeAgent(w)).id,
        name: (await makeAgent(w)).name,
        projectId: w.project.id,
      }),
  },
];

const archivedOnes: Row[] = [
  {
    name: "renaming an archived agent",
    code: "conflict",
    ask: async (w) =>
      adminAsk(w, "agents.edit", { agentId: await archivedAgentOf(w), name: "New", projectId: w.project.id }),
  },
  {
    name: "registering an archived platform agent again",
    code: "conflict",
    ask: async (w) => {
      const platformAgentId = freshName("id");
      twin = await archivedAgentOf(w, { platformAgentId });
      return adminAsk(w, "agents.register", { name: "Again", platformAgentId, projectId: w.project.id });
    },
    details: () => ({ agentId: twin }),
  },
  {
    name: "adding a connection to an archived agent",
    code: "parent_agent_archived",
    ask: async (w) =>
      adminAsk(w, "connections.create", {
        agentId: await archivedAgentOf(w),
        ...aConnection(),
        projectId: w.project.id,
      }),
  },
  {
    name: "editing an archived connection",
    code: "conflict",
    ask: async (w) => {
      const agentId = (await makeAgent(w)).id;
      const named = { agentId, projectId: w.project.id };
      const { connection } = await w.admin.connections.create({ ...named, ...aConnection() });
      await w.admin.connections.archive({ ...named, connectionId: connection.id });
      return adminAsk(w, "connections.edit", { ...named, connectionId: connection.id, name: "New" });
    },
  },
];

let twin: string;
let stale: { id: string; name: string; first: string; current: string };

const conflicts: Row[] = [
  {
    name: "an edit that expects an older version",
    code: "version_conflict",
    ask: async (w) => {
      const { id, name, version_id: first } = await makeTest(w);
      const edited = await w.admin.tests.edit({
        testId: id,
        expected_version_id: first,
        scenario: "Newer.",
        project: w.project.id,
      });
      stale = { id, name, first, current: edited.version_id };
      return adminAsk(w, "tests.edit", {
        testId: id,
        expected_version_id: first,
        scenario: "Mine.",
        project: w.project.id,
      });
    },
    details: () => ({
      test: { id: stale.id, name: stale.name },
      expected_version_id: stale.first,
      current_version_id: stale.current,
    }),
  },
  {
    name: "an edit without a change that expects a missing version",
    code: "version_conflict",
    ask: async (w) => {
      const { id, name, version_id: current } = await makeTest(w);
      stale = { id, name, first: unknownId("tstv"), current };
      return adminAsk(w, "tests.edit", { testId: id, expected_version_id: stale.first, project: w.project.id });
    },
    details: () => ({ expected_version_id: stale.first, current_version_id: stale.current }),
  },
  {
    name: "deleting the default suite",
    code: "conflict",
    ask: async (w) => {
      const { testSuites } = await w.admin.suites.list({ projectId: w.project.id, pageSize: 200 });
      return adminAsk(w, "suites.delete", {
        suiteId: testSuites.find(({ isDefault }) => isDefault)!.id,
        projectId: w.project.id,
      });
    },
  },
  {
    name: "taking the last admin's role",
    code: "conflict",
    ask: async (w) => adminAsk(w, "members.edit", { userId: await adminId(w), role: "member" }),
  },
  {
    name: "removing the last admin",
    code: "conflict",
    ask: async (w) => adminAsk(w, "members.remove", { userId: await adminId(w) }),
  },
  {
    name: "signing up with an address that has an account",
    code: "conflict",
    ask: (w) => ({
      method: "POST",
      path: "/api/auth/sign-up/email",
      json: { name: "x", email: w.member.email.toUpperCase(), password: "long enough text" },
    }),
  },
  {
    name: "inviting a member",
    code: "conflict",
    ask: (w) => adminAsk(w, "invitations.create", { email: w.member.email.toUpperCase(), role: "viewer" }),
  },
];

/** Repeats the request until the client's address has reached its limit. */
async function exhaust(w: World, times: number, ask: Parameters<typeof send>[1]) {
  const spent = { ...ask, headers: { ...ask.headers, "x-forwarded-for": freshAddress() } };
  await Promise.all(Array.from({ length: times }, () => send(w.url, spent)));
  return spent.headers["x-forwarded-for"];
}

const FAILURES_PER_MINUTE = 60;
const SIGN_INS_PER_MINUTE = 30;
/** The service refuses this request before it hashes a password, which would be slow. */
const guess: Ask = { ...signUpAsk("guesser@acme.test", { invitation_token: "guess" }) };

const tooMany: Row[] = [
  {
    name: "a guessed key from an address over its limit",
    code: "too_many_requests",
    ask: async (w) => {
      const address = await exhaust(w, FAILURES_PER_MINUTE, { method: "GET", path: "/api/keys", key: "guess" });
      return { method: "GET", path: "/api/keys", key: "guess", headers: { "x-forwarded-for": address } };
    },
  },
  {
    name: "signing in from an address over its limit",
    code: "too_many_requests",
    ask: async (w) => {
      const address = await exhaust(w, SIGN_INS_PER_MINUTE, guess);
      const json = { email: w.member.email, password: PASSWORD };
      return { method: "POST", path: "/api/auth/sign-in/email", json, headers: { "x-forwarded-for": address } };
    },
  },
  {
    name: "a guessed key with a forged address in front of the proxy's entry",
    code: "too_many_requests",
    ask: async (w) => {
      const address = await exhaust(w, FAILURES_PER_MINUTE, { method: "GET", path: "/api/keys", key: "guess" });
      return {
        method: "GET",
        path: "/api/keys",
        key: "guess",
        headers: { "x-forwarded-for": `198.51.100.7, ${address}` },
      };
    },
  },
];

const behindTheEnd: Row = {
  name: "a range behind the end of a recording",
  code: "range_not_satisfiable",
  ask: async (w) => {
    const { simulationId } = await recordedSimulation(w);
    const path = `/v1/simulations/${simulationId}/recording`;
    return { method: "GET", path, key: w.projectKey, headers: { range: "bytes=1000000-" } };
  },
  headers: { "content-range": expect.stringMatching(/^bytes \*\/\d+$/) },
};

export const states: Row[] = [
  ...nameTaken,
  ...conflicts,
  ...ofPersonas,
  ...agentNames,
  ...archivedOnes,
  ...tooMany,
  behindTheEnd,
];
