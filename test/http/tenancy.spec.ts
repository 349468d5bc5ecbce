import { allOperations, type KeyPermission, type Operation, type Permission, type Role } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { drawsOfCases } from "../support/long-form.ts";
import { INPUTS, type OperationName, TRACE_ID } from "../support/operation-inputs.ts";
import { type CallerKind, CALLERS } from "../support/kinds-of-callers.ts";
import { askOf, type FlatInput, projectMember } from "../support/operation-request.ts";
import { newAddress } from "../support/operation-resources.ts";
import { join, signUp } from "../support/people.ts";
import { type Ask, expectRefusal, type Reply, send } from "../support/request.ts";
import { openWorld, type World } from "../support/world.ts";
import { bareAsk, takingCredentials } from "./refusals/row.ts";

const casesOf = drawsOfCases();
/** Permissions of each role, written independently of the server's table. */
const HOLDS: Record<Role, readonly Permission[]> = {
  viewer: ["read", "keys"],
  member: ["read", "keys", "test", "write", "ingest"],
  admin: ["read", "keys", "test", "write", "ingest", "oversee", "manage"],
};
/** The permission that a key needs for each permission of a role. Like `HOLDS`, it is independent of the server's table. */
const KEY_NEEDS: Record<Permission, KeyPermission> = {
  read: "read",
  oversee: "read",
  test: "test",
  write: "write",
  ingest: "ingest",
  keys: "admin",
  manage: "admin",
};
const KEY_INCLUDES: Record<KeyPermission, readonly KeyPermission[]> = {
  ingest: ["ingest"],
  read: ["read"],
  test: ["test", "read"],
  write: ["write", "test", "read", "ingest"],
  admin: ["admin", "write", "test", "read", "ingest"],
};
/** Permissions that concern the whole organization. */
const ORGANIZATIONS: readonly (Permission | undefined)[] = ["oversee", "manage"];

/** Returns the status for each caller with a session. */
const hasNoModel = (...kinds: string[]): Record<string, number> => Object.fromEntries(kinds.map((kind) => [kind, 409]));
const ofSessions = (status: number): Record<string, number> =>
  Object.fromEntries(
    ["admin's session", "viewer's session", "another organization's session"].map((kind) => [kind, status]),
  );

/** HTTP statuses of operations that have a further rule, which applies after the checks of credential, permission and scope. */
const OWN_RULES: Partial<Record<OperationName, Record<string, number>>> = {
  // People who are not admins see only the keys that they created.
  "keys.revoke": { "member's key": 404, "viewer's key": 404, "viewer's project key": 404, "viewer's session": 404 },
  // The session and the invitation belong to one person, whom the request does not name.
  "accounts.revokeSession": { "viewer's session": 404, "another organization's session": 404 },
  "invitations.accept": ofSessions(403),
  // A person switches only to an organization that they belong to.
  "accounts.switchOrganization": { "another organization's session": 404 },
  // These people have no second factor.
  "secondFactor.newRecoveryCodes": ofSessions(409),
  "secondFactor.disable": ofSessions(409),
  // The passkeys in these requests sign no challenge of the service, and no person has a passkey.
  "passkeys.add": ofSessions(403),
  "passkeys.remove": ofSessions(404),
  "passkeys.signIn": Object.fromEntries(Object.keys(CALLERS).map((kind) => [kind, 401])),
  // The caller is the last admin of the other organization.
  "accounts.deleteUser": { "another organization's session": 409 },
  "accounts.leaveOrganization": { "another organization's session": 409 },
  // The body names the project. A project key can only name its own project, and other organizations do not see the project.
  "keys.create": {
    "another project's key": 403,
    "another organization's admin key": 404,
    "another organization's session": 404,
  },
  // An agent under test sends the token of its conversation. No caller has such a token.
  "simulations.useTool": Object.fromEntries(Object.keys(CALLERS).map((kind) => [kind, 401])),
  // Each organization has its own provider key.
  "providerKeys.set": { "another organization's admin key": 200, "another organization's session": 200 },
  // Each organization has its own language model.
  "languageModel.set": { "another organization's admin key": 200, "another organization's session": 200 },
  // The service has no language model.
  "judge.calibrate": hasNoModel(
    "admin's key",
    "member's key",
    "project key",
    "project key with write",
    "admin's session",
  ),
  "tests.draftFromPrompt": hasNoModel(
    "admin's key",
    "member's key",
    "project key",
    "project key with write",
    "project key with test",
    "admin's session",
  ),
  "tests.draftVariants": hasNoModel(
    "admin's key",
    "member's key",
    "project key",
    "project key with write",
    "project key with test",
    "admin's session",
  ),
  // No caller has the cookie of the browser that started the sign-in.
  "singleSignOn.finish": Object.fromEntries(Object.keys(CALLERS).map((kind) => [kind, 401])),
  // Spans go to the key's project, which the request does not name.
  "traces.ingest": { "another project's key": 200 },
};

function outcomeOf(op: Operation, caller: CallerKind): number {
  if (op.credential === "public") return op.status;
  const takes = { bearer: ["key"], session: ["session"], any: ["key", "session"] }[op.credential];
  if (caller.role === undefined || !takes.includes(caller.via)) return 401;
  if (op.permission === "ingest" && caller.project === undefined) return 403;
  if (ORGANIZATIONS.includes(op.permission) && caller.project !== undefined) return 403;
  if (!HOLDS[caller.role].includes(op.permission!)) return 403;
  if (caller.permission && !KEY_INCLUDES[caller.permission].includes(KEY_NEEDS[op.permission!])) return 403;
  const namesAcme = op.scope === "project" || op.params !== undefined;
  if (caller.foreign && namesAcme) return 404;
  if (caller.project === "another" && namesAcme) return op.scope === "project" ? 403 : 404;
  return op.status;
}

/**
 * The service ignores the credential of these requests. Each of them hashes a password, which is slow, or counts towards a limit of
 * one person.
 */
const HASHING = new Set(["accounts.signUp", "accounts.signIn", "accounts.resetPassword", "device.token"]);
/** These operations end the session or change the person, so each request uses a session of a new person. */
const CONSUMING = new Set([
  "accounts.signOut",
  "accounts.revokeSessions",
  "accounts.changePassword",
  "accounts.leaveOrganization",
  "accounts.deleteUser",
  "secondFactor.enable",
  "passkeys.options",
]);
/** The short form sends each operation from this many kinds of callers, and compares equal bytes for this many operations. */
const CALLERS_IN_SHORT = 3;
const OPERATIONS_IN_SHORT = 30;
const FEW = new Set(["no credential", "project key", "viewer's session", "revoked key"]);

let w: World;
beforeAll(async () => {
  w = await openWorld();
  await w.stranger.client.projects.create({ name: "Second" });
});
afterAll(() => w.stop());

const inputOf = (name: string) => INPUTS[name as OperationName](w);

function naming(op: Operation, input: FlatInput, project: string): FlatInput {
  const member = projectMember(op);
  return member ? { ...input, [member]: project } : input;
}

test("every operation of the contract is in the table", () => {
  expect(Object.keys(INPUTS).sort()).toEqual(allOperations.map(({ name }) => name).sort());
});

describe.each(allOperations)("$name", ({ name, operation: op }) => {
  test("the operation answers each kind of caller as the contract declares", async () => {
    const expected: Record<string, number> = {};
    const actual: Record<string, number> = {};
    for (const [kind, caller] of casesOf(Object.entries(CALLERS), CALLERS_IN_SHORT)) {
      if (HASHING.has(name) && !FEW.has(kind)) continue;
      expected[kind] = OWN_RULES[name as OperationName]?.[kind] ?? outcomeOf(op, caller);
      const input = naming(op, await inputOf(name), w.project.id);
      const reply = await send(w.url, { ...askOf(op, input), ...(await credentialFor(name, caller)) });
      actual[kind] = reply.status;
      if (reply.status === 401) expectRefusal(reply, "not_authenticated");
      if (reply.status === 403) expectRefusal(reply, "not_permitted");
      if (reply.status === 404) expectRefusal(reply, "not_found");
    }
    expect(actual).toEqual(expected);
  });
});

describe.each(takingCredentials.filter(({ operation: op }) => op.credential !== "session"))(
  "$name",
  ({ operation: op }) => {
    test("the operation admits a key of an admin by its permission alone, and names the one that is missing", async () => {
      const expected: Record<string, string> = {};
      const actual: Record<string, string> = {};
      const needed = KEY_NEEDS[op.permission!];
      for (const permission of Object.keys(KEY_INCLUDES) as KeyPermission[]) {
        const key = w.keysWith[permission][ORGANIZATIONS.includes(op.permission) ? "organization" : "project"];
        if (key === undefined) continue;
        expected[permission] = KEY_INCLUDES[permission].includes(needed) ? "admitted" : `lacks ${needed}`;
        const reply = await send(w.url, { ...bareAsk(op), key });
        const { message = "" } = reply.status === 403 ? expectRefusal(reply, "not_permitted") : {};
        const [, missing] = /lacks the permission `(\w+)`/.exec(message) ?? [];
        actual[permission] = missing === undefined && reply.status !== 401 ? "admitted" : `lacks ${missing}`;
      }
      expect(actual).toEqual(expected);
    });
  },
);

const ofProjects = allOperations.filter(
  ({ operation: op }) => op.scope === "project" && op.credential === "any" && projectMember(op) !== undefined,
);

/** Returns the status of a request about a resource of Acme's first project that names no project, or another project. */
function outcomeOfNaming(op: Operation, caller: CallerKind, named: "none" | "another"): number {
  const permitted = outcomeOf(op, { ...caller, project: undefined, foreign: undefined } as unknown as CallerKind);
  if (permitted !== op.status) return permitted;
  if (ORGANIZATIONS.includes(op.permission) && caller.project !== undefined) return 403;
  if (caller.foreign) return 404;
  if (named === "another") return caller.project === "this" ? 403 : 404;
  return caller.project === "another" ? 404 : op.status;
}

describe.each(ofProjects.filter(({ operation: op }) => op.resource !== undefined))(
  "$name",
  ({ name, operation: op }) => {
    test.each(["none", "another"] as const)(
      "the operation acts in the project of its resource when the request names this project: %s",
      async (named) => {
        const expected: Record<string, number> = {};
        const actual: Record<string, number> = {};
        for (const [kind, caller] of casesOf(Object.entries(CALLERS), CALLERS_IN_SHORT)) {
          const outcome = outcomeOfNaming(op, caller, named);
          expected[kind] = (outcome === op.status ? OWN_RULES[name as OperationName]?.[kind] : undefined) ?? outcome;
          const input = await inputOf(name);
          const sent = named === "none" ? input : naming(op, input, w.otherProject.id);
          const reply = await send(w.url, { ...askOf(op, sent), ...(await caller.with(w)) });
          actual[kind] = reply.status;
          if (reply.status === 404) expectRefusal(reply, "not_found");
        }
        expect(actual).toEqual(expected);
      },
    );
  },
);

test.each(ofProjects.filter(({ operation: op }) => op.resource === undefined))(
  "$name asks for the project when the credential may see several",
  async ({ name, operation: op }) => {
    for (const credential of [{ key: w.adminKey }, { cookie: w.adminCookie }]) {
      const reply = await send(w.url, { ...askOf(op, await inputOf(name)), ...credential });
      const { details } = expectRefusal(reply, "invalid_request");
      expect(details).toMatchObject({ issues: [{ path: projectMember(op) }] });
    }
  },
);

async function credentialFor(name: string, caller: CallerKind): Promise<Partial<Ask>> {
  if (!CONSUMING.has(name) || caller.via !== "session" || caller.role === undefined) return caller.with(w);
  const { cookie } = caller.foreign
    ? await signUp(w.url, newAddress())
    : await join(w.url, w.admin, newAddress(), caller.role);
  return { cookie };
}

/** Replaces each id of an input by an id of the same form that does not exist. */
function withUnknownIds(input: FlatInput): FlatInput {
  const text = JSON.stringify(input)
    .replaceAll(/\b([a-z]{3,4})_[0-9a-hjkmnp-tv-z]{26}\b/g, "$1_06ft2v8xk3n9q4w7r1y5z0abcd")
    .replaceAll(TRACE_ID, "f".repeat(32));
  return JSON.parse(text) as FlatInput;
}

/** Returns the body and headers of an answer, without the headers that differ between any two answers. */
function visible({ status, headers, text }: Reply) {
  const perRequest = new Set(["date", "x-request-id", "ratelimit-remaining", "ratelimit-reset"]);
  return { status, text, headers: [...headers].filter(([name]) => !perRequest.has(name)) };
}

/** Expects the same answer for an invisible record and for one that does not exist. */
async function expectSameBytes(name: string, op: Operation, credential: Partial<Ask>, project?: string) {
  const input = await inputOf(name);
  const named = project === undefined ? input : naming(op, input, project);
  const theirs = await send(w.url, { ...askOf(op, named), ...credential });
  const nobodys = await send(w.url, { ...askOf(op, withUnknownIds(named)), ...credential });
  expectRefusal(theirs, "not_found");
  expect(visible(theirs)).toEqual(visible(nobodys));
}

/** Operations whose path parameters are not ids of an organization's resources. */
const NAMING_NOBODYS = new Set(["providerKeys.set"]);
const takingKeys = allOperations.filter(
  ({ name, operation }) => operation.credential === "any" && !NAMING_NOBODYS.has(name),
);

test.each(
  casesOf(
    takingKeys.filter(({ operation: op }) => op.params !== undefined || projectMember(op) !== undefined),
    OPERATIONS_IN_SHORT,
  ),
)(
  "$name answers another organization with the same bytes as for an id that does not exist",
  async ({ name, operation: op }) => {
    await expectSameBytes(name, op, { key: w.stranger.key }, w.project.id);
    await expectSameBytes(name, op, { cookie: w.stranger.cookie }, w.project.id);
    if (op.resource) await expectSameBytes(name, op, { key: w.stranger.key });
  },
);

test.each(
  casesOf(
    takingKeys.filter(
      ({ name, operation: op }) => op.scope === "project" && (op.params || name === "tests.listOfSuite"),
    ),
    OPERATIONS_IN_SHORT,
  ),
)(
  "$name answers another project with the same bytes as for an id that does not exist",
  async ({ name, operation: op }) => {
    await expectSameBytes(name, op, { key: w.otherProjectKey });
    await expectSameBytes(name, op, { key: w.adminKey }, w.otherProject.id);
    await expectSameBytes(name, op, { key: w.strangersProjectKey });
  },
);

test("a suite of another project or organization is refused for a test with the same bytes as a missing suite", async () => {
  const { testSuite } = await w.admin.suites.create({ name: "Theirs", projectId: w.project.id });
  const put = (suite: string, key: string) =>
    send(w.url, {
      method: "POST",
      path: "/api/tests",
      key,
      json: { name: "x", scenario: "x", expected_behaviors: ["x"], suite },
    });
  const unknown = withUnknownIds({ suite: testSuite.id }).suite as string;
  for (const key of [w.strangersProjectKey, w.otherProjectKey]) {
    const refused = await put(testSuite.id, key);
    expectRefusal(refused, "unprocessable");
    expect(visible(refused)).toEqual(visible(await put(unknown, key)));
  }
});
