import { rmSync } from "node:fs";
import { join as joinPath } from "node:path";
import { allOperations, type AuditLine, type Operation } from "@svc/contract";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { totpCodeAt } from "../../packages/server/src/tenancy/second-factor/totp.ts";
import { createWitnessRow } from "../../packages/server/src/traces/store/clock-witness-row.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { openFakeIdentityProvider } from "../support/identity-provider/fake.ts";
import { needsStoreFile, openStoreOf } from "../support/engine.ts";
import { INPUTS, type OperationName } from "../support/operation-inputs.ts";
import { askOf } from "../support/operation-request.ts";
import { newAddress, newTest, recordedSimulation } from "../support/operation-resources.ts";
import { cookieOf, join, PASSWORD, signUp } from "../support/people.ts";
import { type Ask, expectRefusal, jsonOf, type Reply, send } from "../support/request.ts";
import { keySettings } from "../support/secret.ts";
import { startServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName, openWorld, type World } from "../support/world.ts";

/** Operations with a method that changes something, and without a line. The contract has the reason of each. */
const LEFT_OUT = [
  "secondFactor.newSecret",
  "passkeys.challenge",
  "singleSignOn.start",
  "device.code",
  "invitations.preview",
  "tests.readBehaviors",
  "traces.ingest",
  "simulations.useTool",
  "simulations.bridge",
  "monitoring.discover",
  "service.check",
  "alertRules.preview",
  "review.next",
];
/** Reads of recordings, exports and keys. */
const SENSITIVE = [
  "keys.list",
  "providerKeys.list",
  "exports.file",
  "recordings.audioOfSimulation",
  "recordings.audioOfConversation",
  "audit.export",
];
/** Operations with status 201 whose answer has no record with an id. */
const WITHOUT_RECORD = new Set(["sample.start", "judge.calibrate", "members.resetPassword"]);
/** Independent of the rule in the contract. */
const hasLine = (name: string, { method }: Operation): boolean =>
  SENSITIVE.includes(name) || (method !== "GET" && !LEFT_OUT.includes(name));

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(async () => {
  await w.stop();
  for (const stop of stops) await stop();
});
afterEach(() => void vi.useRealTimers());

/** Returns the lines of an organization, oldest first, by its admin's credential. */
async function linesOf(credential: Partial<Ask>, query = ""): Promise<AuditLine[]> {
  const reply = await send(w.url, { method: "GET", path: `/v1/audit/export${query}`, ...credential });
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  return reply.text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as AuditLine);
}
const acme = () => linesOf({ key: w.adminKey });
const idOf = (reply: Reply) => reply.headers.get("x-request-id")!;
const linesOfReply = async (reply: Reply, credential: Partial<Ask> = { key: w.adminKey }) =>
  (await linesOf(credential)).filter(({ requestId }) => requestId === idOf(reply));

/** Sessions that an operation ends or changes belong to a fresh person. */
const OF_FRESH_PERSON = new Set([
  "accounts.signOut",
  "accounts.revokeSessions",
  "accounts.changePassword",
  "accounts.leaveOrganization",
  "accounts.deleteUser",
  "secondFactor.enable",
  "passkeys.options",
]);

/** Returns a fresh member of Acme with a passkey on a device, and a recovery code. */
async function personWithPasskey() {
  const { client, cookie } = await join(w.url, w.admin, newAddress(), "viewer");
  const device = createAuthenticator(w.url);
  const { challenge } = await client.passkeys.options({ password: PASSWORD });
  const { passkey, recovery_codes } = await client.passkeys.add({ name: "A phone", ...device.create(challenge) });
  return { client, cookie, device, passkey, shown: { password: PASSWORD, recovery_code: recovery_codes![0]! } };
}

/** The members of the bodies, and the cookies, that only a real device or provider gives, by operation. */
const PROVED: Partial<Record<string, () => Promise<Partial<Ask>>>> = {
  "secondFactor.newRecoveryCodes": async () => {
    const { cookie, shown } = await personWithPasskey();
    return { cookie, json: shown };
  },
  "secondFactor.disable": async () => {
    const { client, cookie } = await join(w.url, w.admin, newAddress(), "viewer");
    const { secret } = await client.secondFactor.newSecret();
    const code = totpCodeAt(secret, Date.now());
    const { recovery_codes } = await client.secondFactor.enable({ password: PASSWORD, secret, code });
    return { cookie, json: { password: PASSWORD, recovery_code: recovery_codes![0] } };
  },
  "passkeys.add": async () => {
    const { client, cookie } = await join(w.url, w.admin, newAddress(), "viewer");
    const { challenge } = await client.passkeys.options({ password: PASSWORD });
    return { cookie, json: { name: "A phone", ...createAuthenticator(w.url).create(challenge) } };
  },
  "passkeys.remove": async () => {
    const { cookie, passkey, shown } = await personWithPasskey();
    return { cookie, json: { passkey_id: passkey.id, ...shown } };
  },
  "passkeys.signIn": async () => {
    const { client, device } = await personWithPasskey();
    const { challenge } = await client.passkeys.challenge();
    return { json: { passkey: device.get(challenge) } };
  },
  "singleSignOn.finish": async () => {
    const { email, session } = await join(w.url, w.admin, newAddress(), "viewer");
    const provider = await openFakeIdentityProvider();
    stops.push(provider.stop);
    await w.admin.singleSignOn.set({ issuer: provider.issuer, ...provider.client, domains: ["acme.test"] });
    const path = "/api/auth/single-sign-on/start";
    const reply = await send(w.url, { method: "POST", path, json: { organization_id: session.organization.id } });
    const { url } = jsonOf<{ url: string }>(reply);
    return { cookie: cookieOf(reply), json: await provider.authorize(url, { sub: "somebody", email }) };
  },
};
const stops: (() => Promise<void>)[] = [];

/** Returns the request of an operation with which it succeeds. */
async function askFor(name: string, op: Operation): Promise<Ask> {
  const input = await INPUTS[name as OperationName](w);
  const ask = askOf(op, { project: w.project.id, projectId: w.project.id, ...input });
  if (name === "simulations.useTool") return ask;
  if (PROVED[name]) return { ...ask, ...(await PROVED[name]()) };
  if (name === "accounts.switchOrganization") return { ...ask, cookie: w.member.cookie };
  if (OF_FRESH_PERSON.has(name)) return { ...ask, cookie: (await join(w.url, w.admin, newAddress(), "viewer")).cookie };
  if (name === "invitations.accept") {
    const guest = await signUp(w.url, newAddress());
    const { token } = await w.admin.invitations.create({ email: guest.email, role: "viewer" });
    return { ...ask, json: { token }, cookie: guest.cookie };
  }
  if (op.credential === "session") return { ...ask, cookie: w.adminCookie };
  if (op.credential === "public") return ask;
  return { ...ask, key: op.permission === "ingest" ? w.projectKey : w.adminKey };
}

describe("every operation, executed once", () => {
  type Use = { name: string; op: Operation; ask: Ask; reply: Reply };
  const uses: Use[] = [];
  let lines: AuditLine[];

  beforeAll(async () => {
    for (const { name, operation: op } of allOperations) {
      const ask = await askFor(name, op);
      uses.push({ name, op, ask, reply: await send(w.url, ask) });
    }
    const founder = uses.find(({ name }) => name === "accounts.signUp")!.reply;
    const admins = [{ key: w.adminKey }, { key: w.stranger.key }, { cookie: cookieOf(founder) }];
    const requested = uses.find(({ name }) => name === "accounts.requestPasswordReset")!.reply;
    await until("the line is written for which no answer waits", async () => (await linesOfReply(requested))[0]);
    lines = (await Promise.all(admins.map((admin) => linesOf(admin)))).flat();
  });

  test("leaves exactly one line when it changes something or reads recordings, exports or keys, and else none", () => {
    const expected = uses.map(({ name, op }) => `${name}: ${hasLine(name, op) ? 1 : 0}`);
    const actual = uses.map(({ name, reply }) => {
      const own = lines.filter(({ requestId }) => requestId === idOf(reply));
      return `${name}: ${own.length}`;
    });
    expect(actual).toEqual(expected);
  });

  test("the line says what was done, by whom, from where and how it ended", async () => {
    const { users, keys } = await idsOfAcme();
    for (const { name, op, ask, reply } of uses.filter(({ name, op }) => hasLine(name, op))) {
      const line = lines.find(({ requestId }) => requestId === idOf(reply))!;
      const hasNoModel = name === "judge.calibrate";
      if (name !== "simulations.useTool" && !hasNoModel) expect([name, reply.status]).toEqual([name, op.status]);
      expect(line, name).toMatchObject({
        operation: name,
        outcome: hasNoModel ? "refused" : "done",
        error: hasNoModel ? "conflict" : null,
        address: expect.stringMatching(/^10\.\d+\.\d+\.\d+$/),
        projectId: op.scope === "project" ? w.project.id : null,
      });
      const { via, key, userId, email, sessionId } = line.actor;
      if (ask.key !== undefined) {
        expect([name, via, key, email]).toEqual([name, "key", keys.get(ask.key), "admin@acme.test"]);
        expect(users).toContain(userId);
      } else {
        const isSession = sessionId !== null;
        expect([name, via, key]).toEqual([name, isSession ? "session" : "none", null]);
        expect(isSession, name).toBe(
          !["accounts.requestPasswordReset", "accounts.resetPassword", "device.token"].includes(name),
        );
        expect(email, name).toMatch(/@/);
      }
      if (name === "device.token") expect(line.resource).toMatchObject({ kind: "API key" });
      const inPath = Object.keys(op.params?.shape ?? {});
      if (inPath.length > 0 || (op.status === 201 && !WITHOUT_RECORD.has(name)))
        expect(line.resource, name).not.toBeNull();
      if (inPath.length > 0 && op.status !== 201) expect(ask.path).toContain(encodeURIComponent(line.resource!.id));
      if (op.status === 201 && !WITHOUT_RECORD.has(name) && line.resource!.kind !== "user")
        expect(reply.text, name).toContain(line.resource!.id);
    }
  });

  test("no line has a secret, a text of a body, or a part of an answer", () => {
    const written = JSON.stringify(lines);
    const texts = new Set([PASSWORD, w.adminKey, w.projectKey, w.adminCookie.split("=")[1]!, w.platformA.apiKey]);
    const collect = (value: unknown): void => {
      if (typeof value === "string") texts.add(value);
      else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
    };
    const SECRETS = new Set(["secret", "token", "access_token", "device_code", "user_code"]);
    for (const { ask, reply } of uses) {
      collect(ask.json);
      if (!reply.headers.get("content-type")?.startsWith("application/json")) continue;
      for (const [name, value] of Object.entries(jsonOf<Record<string, unknown>>(reply)))
        if (SECRETS.has(name)) collect(value);
    }
    const isShown = (text: string) => text.length < 8 || /@|^[a-z]{3,4}_[0-9a-z]{26}$/.test(text);
    const wanted = [...texts].filter((text) => !isShown(text));
    expect(wanted.length).toBeGreaterThan(20);
    expect(wanted.filter((text) => written.includes(text))).toEqual([]);
  });

  test("each organization sees its own lines only", async () => {
    const ofStranger = await linesOf({ key: w.stranger.key });
    const ids = new Set((await acme()).map(({ id }) => id));
    expect(ofStranger.length).toBeGreaterThan(0);
    expect(ofStranger.filter(({ id }) => ids.has(id))).toEqual([]);
    const people = new Set(ofStranger.map(({ actor }) => actor.email));
    expect([...people]).toEqual(["stranger@elsewhere.test"]);
  });

  test("the list has the lines of the export, newest first, page by page, and finds them by each filter", async () => {
    const all = (await acme()).toReversed();
    const listed: AuditLine[] = [];
    for (let pageToken: string | undefined; ;) {
      const page = await w.admin.audit.list({
        pageSize: 200,
        ...(pageToken !== undefined && { pageToken }),
        to: all[0]!.at,
      });
      listed.push(...page.lines);
      if (page.nextPageToken === null) break;
      pageToken = page.nextPageToken;
    }
    expect(listed).toEqual(all.filter(({ at }) => at < all[0]!.at));

    const some = listed.find(({ operation, resource }) => operation === "tests.create" && resource !== null)!;
    const key = listed.find(({ actor }) => actor.key !== null)!.actor.key!;
    const FILTERS: [Record<string, string>, (line: AuditLine) => boolean][] = [
      [{ actor: "Member@acme.test" }, ({ actor }) => actor.email === "member@acme.test"],
      [{ actor: some.actor.userId! }, ({ actor }) => actor.userId === some.actor.userId],
      [{ actor: key.id }, ({ actor }) => actor.key?.id === key.id],
      [{ operation: "keys.create" }, ({ operation }) => operation === "keys.create"],
      [{ operation: "keys" }, ({ operation }) => operation.startsWith("keys.")],
      [{ resource: some.resource!.id }, ({ resource }) => resource?.id === some.resource!.id],
      [{ outcome: "refused" }, ({ outcome }) => outcome === "refused"],
      [
        { outcome: "done", operation: "runs" },
        ({ outcome, operation }) => outcome === "done" && operation.startsWith("runs."),
      ],
      [{ outcome: "failed" }, ({ outcome }) => outcome === "failed"],
      [{ outcome: "unknown" }, ({ outcome }) => outcome === "unknown"],
      [{ from: some.at }, ({ at }) => at >= some.at],
      [{ from: "2020-01-01T00:00:00+02:00", to: some.at }, ({ at }) => at < some.at],
    ];
    for (const [filter, matches] of FILTERS) {
      const to = filter["to"] ?? all[0]!.at;
      const found = await linesOf({ key: w.adminKey }, `?${new URLSearchParams({ ...filter, to }).toString()}`);
      expect(found, JSON.stringify(filter)).toEqual(
        listed
          .filter(matches)
          .filter(({ at }) => at < to)
          .toReversed(),
      );
    }
    expectRefusal(
      await send(w.url, { method: "GET", path: "/v1/audit?pageToken=tst_1", key: w.adminKey }),
      "unprocessable",
    );
  });
});

/** Returns the ids of Acme's people, and what a line shows of its keys by their secrets. */
async function idsOfAcme() {
  const { keys } = await w.admin.keys.list();
  const shown = (secret: string): [string, unknown] => {
    const { id, name, looks_like: looksLike } = keys.find(({ looks_like }) => looks_like.endsWith(secret.slice(-4)))!;
    return [secret, { id, name, looksLike }];
  };
  return {
    users: keys.map(({ created_by_user_id }) => created_by_user_id),
    keys: new Map([w.adminKey, w.projectKey].map(shown)),
  };
}

const signIn = (email: string, password: string, more: Partial<Ask> = {}) =>
  send(w.url, { method: "POST", path: "/api/auth/sign-in/email", json: { email, password }, ...more });

test("a sign-in has a line with its session, and a wrong password one with the address and without a person who acts", async () => {
  const right = await signIn("member@acme.test", PASSWORD, { headers: { "x-forwarded-for": "203.0.113.7" } });
  expect(await linesOfReply(right)).toMatchObject([
    {
      operation: "accounts.signIn",
      outcome: "done",
      address: "203.0.113.7",
      actor: { via: "session", email: "member@acme.test", sessionId: expect.stringMatching(/^ses_/) },
    },
  ]);
  const wrong = await signIn("member@acme.test", "a wrong password", {
    headers: { "x-forwarded-for": "198.51.100.9" },
  });
  expectRefusal(wrong, "not_authenticated");
  const [line] = await until("the wrong password has a line", async () => {
    const found = await linesOfReply(wrong);
    return found[0]?.outcome === "refused" && found;
  });
  expect(line).toMatchObject({
    operation: "accounts.signIn",
    error: "not_authenticated",
    address: "198.51.100.9",
    actor: { via: "none", email: "member@acme.test", sessionId: null },
    resource: { kind: "user", id: w.member.session.user.id },
  });
});

test("a wrong password of nobody's account leaves no line", async () => {
  const before = (await acme()).length;
  const nobody = await signIn("nobody@acme.test", "a wrong password");
  const known = await signIn("viewer@acme.test", "a wrong password");
  await until("the wrong password of an account has a line", async () => (await linesOfReply(known))[0]);
  expect(await linesOfReply(nobody)).toEqual([]);
  expect((await acme()).length).toBeGreaterThan(before);
});

test("a change of an account is in every organization of its person, and a membership in the one that it is of", async () => {
  const guest = await signUp(w.url, newAddress());
  const { token } = await w.admin.invitations.create({ email: guest.email, role: "viewer" });
  const { cookie } = guest;
  const accepted = await send(w.url, { method: "POST", path: "/v1/invitations/accept", cookie, json: { token } });
  expect(accepted.status).toBe(200);
  expect(await linesOfReply(accepted)).toHaveLength(1);
  expect(await linesOfReply(accepted, { cookie })).toEqual([]);

  const json = { current_password: "not the password", new_password: "a new long password" };
  const refused = await send(w.url, { method: "POST", path: "/api/auth/change-password", cookie, json });
  expectRefusal(refused, "not_permitted");
  for (const credential of [{ key: w.adminKey }, { cookie }])
    expect(await linesOfReply(refused, credential)).toMatchObject([
      { outcome: "refused", error: "not_permitted", actor: { email: guest.email, via: "session" } },
    ]);
});

test("an attempt beyond the rights of a key is a refused line, and repeated at once it is the same one", async () => {
  const { id } = await newTest(w);
  const ask = { method: "DELETE", path: `/api/tests/${id}`, key: w.viewerProjectKey };
  const first = await send(w.url, ask);
  expectRefusal(first, "not_permitted");
  for (let n = 0; n < 3; n++) expectRefusal(await send(w.url, ask), "not_permitted");
  const found = (await acme()).filter(({ resource, outcome }) => resource?.id === id && outcome === "refused");
  expect(found).toMatchObject([
    {
      operation: "tests.delete",
      requestId: idOf(first),
      projectId: w.project.id,
      actor: { via: "key", email: "viewer@acme.test", key: { looksLike: expect.stringMatching(/^svc_sk_…/) } },
    },
  ]);
  const file = { method: "GET", path: "/v1/exports/file?name=grades", key: w.keysWith.ingest.project };
  const unread = await send(w.url, file);
  expectRefusal(unread, "not_permitted");
  expect(await linesOfReply(unread)).toMatchObject([{ operation: "exports.file", outcome: "refused" }]);
  const path = `/v1/test-suites?projectId=${w.otherProject.id}`;
  const other = { method: "POST", path, key: w.projectKey, json: { name: "x" } };
  const elsewhere = await send(w.url, other);
  expectRefusal(elsewhere, "not_permitted");
  expect(await linesOfReply(elsewhere)).toMatchObject([{ outcome: "refused", error: "not_permitted" }]);
});

test("a refusal by a rule is a line with its code, and one about what a credential may not see is in its own organization alone", async () => {
  const { id } = await newTest(w);
  const stale = await send(w.url, {
    method: "PATCH",
    path: `/api/tests/${id}`,
    key: w.adminKey,
    json: { expected_version_id: "tstv_06ft2v8xk3n9q4w7r1y5z0abcd", scenario: "Another.", project: w.project.id },
  });
  expect(await linesOfReply(stale)).toMatchObject([
    { outcome: "refused", error: "version_conflict", resource: { id } },
  ]);
  const invalid = await send(w.url, { method: "PATCH", path: `/api/tests/${id}`, key: w.adminKey, json: {} });
  expect(invalid.status).toBe(400);
  expect(await linesOfReply(invalid)).toEqual([]);
  const foreign = await send(w.url, { method: "DELETE", path: `/api/tests/${id}`, key: w.stranger.key });
  expectRefusal(foreign, "not_found");
  expect(await linesOfReply(foreign)).toEqual([]);
  expect(await linesOfReply(foreign, { key: w.stranger.key })).toMatchObject([
    { outcome: "refused", error: "not_found" },
  ]);
});

test("a recording that a page plays in parts has one line, and each person and each playing their own", async () => {
  const { simulationId } = await recordedSimulation(w);
  const path = `/v1/simulations/${simulationId}/recording?projectId=${w.project.id}`;
  const play = (range: string | undefined, credential: Partial<Ask>) =>
    send(w.url, { method: "GET", path, ...credential, ...(range !== undefined && { headers: { range } }) });
  const of = async () => (await acme()).filter(({ operation }) => operation === "recordings.audioOfSimulation").length;
  const member = { cookie: w.member.cookie };
  const before = await of();
  expect((await play("bytes=0-", member)).status).toBe(206);
  for (const range of ["bytes=100-", "bytes=200-299"]) expect((await play(range, member)).status).toBe(206);
  expect(await of()).toBe(before + 1);
  await play("bytes=100-", { key: w.member.key });
  expect(await of()).toBe(before + 2);
  await play(undefined, member);
  expect(await of()).toBe(before + 3);
});

test("a key in the place of an id is masked, and a long text is cut", async () => {
  for (const [id, shown] of [
    [w.keysWith.read.project, "svc_sk_…"],
    ["k".repeat(500), "k".repeat(64)],
  ]) {
    const reply = await send(w.url, { method: "POST", path: `/api/keys/${id}/revoke`, key: w.adminKey });
    expectRefusal(reply, "not_found");
    expect(await linesOfReply(reply)).toMatchObject([{ outcome: "refused", resource: { id: shown } }]);
  }
});

test("only admins read the audit, with a session or with a key of the organization that has `admin`", async () => {
  for (const path of ["/v1/audit", "/v1/audit/export"]) {
    const statuses: Record<string, number> = {};
    const callers: Record<string, Partial<Ask>> = {
      "admin's session": { cookie: w.adminCookie },
      "admin's key": { key: w.adminKey },
      "admin's key with read": { key: w.keysWith.read.organization! },
      "admin's key with write": { key: w.keysWith.write.organization! },
      "project key": { key: w.projectKey },
      member: { cookie: w.member.cookie },
      viewer: { cookie: w.viewer.cookie },
    };
    for (const [who, credential] of Object.entries(callers))
      statuses[who] = (await send(w.url, { method: "GET", path, ...credential })).status;
    expect(statuses).toEqual({
      "admin's session": 200,
      "admin's key": 200,
      "admin's key with read": 403,
      "admin's key with write": 403,
      "project key": 403,
      member: 403,
      viewer: 403,
    });
  }
});

describe("the store of the audit", () => {
  test("refuses to change a line and an outcome", async () => {
    const server = await startServer();
    const { dataDir } = server;
    await server.admin.suites.create({ name: "First", projectId: server.project.id });
    const { db, close } = await openStoreOf(dataDir);
    await expect(db.updateTable("audit_lines").set({ email: "else@acme.test" }).execute()).rejects.toThrow(
      /never changed/,
    );
    await expect(db.updateTable("audit_outcomes").set({ error: "conflict" }).execute()).rejects.toThrow(
      /never changed/,
    );
    await close();
    const { lines } = await server.admin.audit.list();
    expect(lines[0]).toMatchObject({ operation: "suites.create", outcome: "done" });
    await server.stop();
    server.remove();
  });

  test("without a line nothing changes, and without its outcome the change holds and the line says so", async (context) => {
    needsStoreFile(context);
    const server = await startServer({ isEmbedded: true });
    const { db, close } = await openStoreOf(server.dataDir);
    const refuse = (table: string) =>
      sql
        .raw(`CREATE TRIGGER no_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE (ABORT, 'away'); END`)
        .execute(db);
    const projectId = server.project.id;
    const create = (name: string) => server.admin.suites.create({ name, projectId });
    const names = async () => (await server.admin.suites.list({ projectId })).testSuites.map(({ name }) => name);

    await refuse("audit_outcomes");
    await create("Changed");
    await refuse("audit_lines");
    await expect(create("Unchanged")).rejects.toMatchObject({ status: 500 });
    await expect(server.admin.keys.list()).rejects.toMatchObject({ status: 500 });
    await close();
    expect(await names()).toContain("Changed");
    expect(await names()).not.toContain("Unchanged");
    const { lines } = await server.admin.audit.list();
    expect(lines[0]).toMatchObject({ operation: "suites.create", outcome: "unknown", error: null });
    await server.stop();
  });

  test("lines go after their retention, with their outcomes, once the clock is trusted", async () => {
    const DAY_MS = 86_400_000;
    const now = Date.now();
    const setDay = (daysAgo: number) => vi.useFakeTimers({ now: now - daysAgo * DAY_MS, toFake: ["Date"] });
    setDay(12);
    let server = await startServer();
    const { dataDir, remove } = server;
    const settings = { ...keySettings(server), SVC_AUDIT_RETENTION_DAYS: "10" };
    await server.admin.suites.create({ name: freshName("old"), projectId: server.project.id });
    const made = async () => (await server.admin.audit.list({ operation: "suites" })).lines;
    expect(await made()).toHaveLength(1);
    await server.close();

    setDay(1);
    server = await startServer({ dataDir, settings });
    await server.admin.suites.create({ name: freshName("new"), projectId: server.project.id });
    await server.close();
    setDay(0);
    // The clock leapt while no service ran, so nothing goes.
    server = await startServer({ dataDir, settings });
    expect(await made()).toHaveLength(2);
    await server.close();
    const { db, close } = await openStoreOf(dataDir);
    await createWitnessRow(db, "audit").write({ seenMs: now - 60_000, holdMs: 0 });
    await close();
    rmSync(joinPath(dataDir, "relational.checksums"), { force: true }); // no service wrote the row

    server = await startServer({ dataDir, settings });
    const left = await until("the old line is gone", async () => {
      const lines = await made();
      return lines.length < 2 && lines;
    });
    expect(left).toMatchObject([{ operation: "suites.create", outcome: "done" }]);
    await server.close();
    const store = await openStoreOf(dataDir);
    const { count } = store.db.fn;
    const kept = store.db.selectFrom("audit_outcomes").select(count<number>("line_id").as("all"));
    const lines = store.db.selectFrom("audit_lines").select(count<number>("id").as("all"));
    expect(Number((await kept.executeTakeFirst())!.all)).toBe(Number((await lines.executeTakeFirst())!.all));
    await store.close();
    remove();
  });

  test("a line keeps the address of a person who is gone", async () => {
    const person = await join(w.url, w.admin, newAddress(), "member");
    const made = await person.client.suites.create({ name: freshName("suite"), projectId: w.project.id });
    await w.admin.members.remove({ userId: person.session.user.id });
    const found = (await acme()).filter(({ resource }) => resource?.id === made.testSuite.id);
    expect(found).toMatchObject([{ actor: { email: person.email, userId: person.session.user.id } }]);
  });
});

test("the first start has lines of the operator for the account and the keys that it creates, once", async () => {
  const server = await startServer({ isEmbedded: true });
  const { dataDir } = server;
  await server.close();
  const again = await startServer({ dataDir, settings: keySettings(server), isEmbedded: true });
  const { lines } = await again.admin.audit.list({ operation: "operator" });
  expect(lines.map(({ operation, resource }) => `${operation} ${resource?.kind}`).sort()).toEqual([
    "operator.firstStart API key",
    "operator.firstStart API key",
    "operator.firstStart user",
  ]);
  expect(lines[0]!.actor).toEqual({ via: "operator", userId: null, email: null, sessionId: null, key: null });
  await again.stop();
  server.remove();
});
