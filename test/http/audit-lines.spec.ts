import { rmSync } from "node:fs";
import { join as joinPath } from "node:path";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createWitnessRow } from "../../packages/server/src/traces/store/clock-witness-row.ts";
import { needsProcess } from "../support/in-process.ts";
import { linesOf, linesOfReply, requestIdOf } from "../support/audit.ts";
import { needsStoreFile, openStoreOf } from "../support/engine.ts";
import { newAddress, newTest, recordedSimulation } from "../support/operation-resources.ts";
import { join, PASSWORD, signUp } from "../support/people.ts";
import { type Ask, expectRefusal, send } from "../support/request.ts";
import { keySettings } from "../support/secret.ts";
import { startServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName, openWorld, type World } from "../support/world.ts";

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.stop());
afterEach(() => void vi.useRealTimers());

const signIn = (email: string, password: string, more: Partial<Ask> = {}) =>
  send(w.url, { method: "POST", path: "/api/auth/sign-in/email", json: { email, password }, ...more });

test("a sign-in has a line with its session, and a wrong password one with the address and without a person who acts", async () => {
  const right = await signIn("member@acme.test", PASSWORD, { headers: { "x-forwarded-for": "203.0.113.7" } });
  expect(await linesOfReply(w, right)).toMatchObject([
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
    const found = await linesOfReply(w, wrong);
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
  const before = (await linesOf(w)).length;
  const nobody = await signIn("nobody@acme.test", "a wrong password");
  const known = await signIn("viewer@acme.test", "a wrong password");
  await until("the wrong password of an account has a line", async () => (await linesOfReply(w, known))[0]);
  expect(await linesOfReply(w, nobody)).toEqual([]);
  expect((await linesOf(w)).length).toBeGreaterThan(before);
});

test("a change of an account is in the audit of every organization of its person, and a change of a membership only in that organization's", async () => {
  const guest = await signUp(w.url, newAddress());
  const { token } = await w.admin.invitations.create({ email: guest.email, role: "viewer" });
  const { cookie } = guest;
  const accepted = await send(w.url, { method: "POST", path: "/v1/invitations/accept", cookie, json: { token } });
  expect(accepted.status).toBe(200);
  expect(await linesOfReply(w, accepted)).toHaveLength(1);
  expect(await linesOfReply(w, accepted, { cookie })).toEqual([]);

  const json = { current_password: "not the password", new_password: "a new long password" };
  const refused = await send(w.url, { method: "POST", path: "/api/auth/change-password", cookie, json });
  expectRefusal(refused, "not_permitted");
  for (const credential of [{ key: w.adminKey }, { cookie }])
    expect(await linesOfReply(w, refused, credential)).toMatchObject([
      { outcome: "refused", error: "not_permitted", actor: { email: guest.email, via: "session" } },
    ]);
});

test("an attempt beyond the rights of a key is a refused line, and repeated at once it is the same one", async () => {
  const { id } = await newTest(w);
  const ask = { method: "DELETE", path: `/api/tests/${id}`, key: w.viewerProjectKey };
  const first = await send(w.url, ask);
  expectRefusal(first, "not_permitted");
  for (let n = 0; n < 3; n++) expectRefusal(await send(w.url, ask), "not_permitted");
  const found = (await linesOf(w)).filter(({ resource, outcome }) => resource?.id === id && outcome === "refused");
  expect(found).toMatchObject([
    {
      operation: "tests.delete",
      requestId: requestIdOf(first),
      projectId: w.project.id,
      actor: { via: "key", email: "viewer@acme.test", key: { looksLike: expect.stringMatching(/^svc_sk_…/) } },
    },
  ]);
  const file = { method: "GET", path: "/v1/exports/file?name=grades", key: w.keysWith.ingest.project };
  const unread = await send(w.url, file);
  expectRefusal(unread, "not_permitted");
  expect(await linesOfReply(w, unread)).toMatchObject([{ operation: "exports.file", outcome: "refused" }]);
  const path = `/v1/test-suites?projectId=${w.otherProject.id}`;
  const other = { method: "POST", path, key: w.projectKey, json: { name: "x" } };
  const elsewhere = await send(w.url, other);
  expectRefusal(elsewhere, "not_permitted");
  expect(await linesOfReply(w, elsewhere)).toMatchObject([{ outcome: "refused", error: "not_permitted" }]);
});

test("a refusal by a rule is a line with its code, and one about what a credential may not see is in its own organization alone", async () => {
  const { id } = await newTest(w);
  const stale = await send(w.url, {
    method: "PATCH",
    path: `/api/tests/${id}`,
    key: w.adminKey,
    json: { expected_version_id: "tstv_06ft2v8xk3n9q4w7r1y5z0abcd", scenario: "Another.", project: w.project.id },
  });
  expect(await linesOfReply(w, stale)).toMatchObject([
    { outcome: "refused", error: "version_conflict", resource: { id } },
  ]);
  const invalid = await send(w.url, { method: "PATCH", path: `/api/tests/${id}`, key: w.adminKey, json: {} });
  expect(invalid.status).toBe(400);
  expect(await linesOfReply(w, invalid)).toEqual([]);
  const foreign = await send(w.url, { method: "DELETE", path: `/api/tests/${id}`, key: w.stranger.key });
  expectRefusal(foreign, "not_found");
  expect(await linesOfReply(w, foreign)).toEqual([]);
  expect(await linesOfReply(w, foreign, { key: w.stranger.key })).toMatchObject([
    { outcome: "refused", error: "not_found" },
  ]);
});

test("a recording that a page plays in parts has one line, and each person and each playing their own", async () => {
  const { simulationId } = await recordedSimulation(w);
  const path = `/v1/simulations/${simulationId}/recording?projectId=${w.project.id}`;
  const play = (range: string | undefined, credential: Partial<Ask>) =>
    send(w.url, { method: "GET", path, ...credential, ...(range !== undefined && { headers: { range } }) });
  const of = async () =>
    (await linesOf(w)).filter(({ operation }) => operation === "recordings.audioOfSimulation").length;
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
    expect(await linesOfReply(w, reply)).toMatchObject([{ outcome: "refused", resource: { id: shown } }]);
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
  test("the store of the audit refuses to change a line and an outcome", async () => {
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

  test("lines and their outcomes are deleted after their retention, and only while the clock is trusted", async (context) => {
    needsProcess(context);
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
    // The clock jumped while no service ran, so the retention deletes nothing yet.
    server = await startServer({ dataDir, settings });
    expect(await made()).toHaveLength(2);
    await server.close();
    const { db, close } = await openStoreOf(dataDir);
    await createWitnessRow(db, "audit").write({ seenMs: now - 60_000, holdMs: 0 });
    await close();
    rmSync(joinPath(dataDir, "relational.checksums"), { force: true }); // the service does not start when rows differ from these checksums

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
    const found = (await linesOf(w)).filter(({ resource }) => resource?.id === made.testSuite.id);
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
