import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@svc/sdk";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conversation, sendSpans } from "./support/production.ts";
import { traceIdOf } from "./support/ingest.ts";
import { keySettings, newSecret } from "./support/secret.ts";
import { startServer, type TestServer } from "./support/server.ts";

const MIGRATIONS = join(import.meta.dirname, "../packages/server/migrations");
/** The number of the last migration in the version that wrote the folder. */
const LAST = "0015";
const THEN = "2026-11-01T10:00:00.000Z";
const LATER = "2126-11-01T10:00:00.000Z";
const AUTH_SECRET = "a secret of at least 32 characters";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const idOf = (prefix: string, number: number) => `${prefix}_01m7sxxnywe14bsdynqze${String(number).padStart(5, "0")}`;
const times = { created_at: THEN, updated_at: THEN };

const [acme, other] = [idOf("org", 1), idOf("org", 2)];
const [project, otherProject] = [idOf("prj", 1), idOf("prj", 2)];
const [ada, bob, removed] = [idOf("usr", 1), idOf("usr", 2), idOf("usr", 3)];
const agent = idOf("agt", 1);
const twins = ["chat", "chat", "chat (2)", "chat", "other", "chat"].map((name, at) => ({ id: idOf("con", at), name }));
const keys = { admin: newSecret(), project: newSecret(), revoked: newSecret() };
const tokens: Record<string, string> = { [ada]: "a".repeat(32), [bob]: "b".repeat(32), [removed]: "c".repeat(32) };
const invitation = newSecret();
const mocks = [
  { tool: "look_up", answer: 1 },
  { tool: "look_up", answer: 2 },
  { tool: "other", error: "down" },
];
const grader = { id: idOf("grd", 1), versionId: idOf("grdv", 1) };
const check = { kind: "check", check: 'says "fine"' };
const grade = {
  graderId: grader.id,
  graderVersionId: grader.versionId,
  graderName: "Fine",
  criterion: check.check,
  reading: 'The agent says "fine".',
  decidedBy: "check",
  verdict: "passed",
  reason: "The agent said it.",
  evidence: [],
  confidence: null,
  votes: [],
  judge: null,
  usage: null,
  counts: true,
};

/** Returns the cookie of a session, signed as that version signed it. */
function cookieOf(user: string): string {
  const token = tokens[user]!;
  const signature = createHmac("sha256", AUTH_SECRET).update(token).digest("base64");
  return `svc.session_token=${encodeURIComponent(`${token}.${signature}`)}`;
}

/** Writes the relational store as a version before migration 0016 wrote it. */
function writeOldStore(dataDir: string): void {
  const db = new Database(join(dataDir, "relational.db"));
  db.exec("CREATE TABLE migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT");
  const insert = (table: string, row: Record<string, unknown>) =>
    db
      .prepare(
        `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${Object.keys(row)
          .map(() => "?")
          .join()})`,
      )
      .run(Object.values(row));
  for (const name of readdirSync(MIGRATIONS).sort()) {
    if (name.slice(0, 4) > LAST) continue;
    const sql = readFileSync(join(MIGRATIONS, name), "utf8");
    db.exec(sql);
    insert("migrations", { name, sha256: sha256(sql), applied_at: THEN });
  }
  for (const [id, name] of [
    [ada, "Ada"],
    [bob, "Bob"],
    [removed, "Removed"],
  ] as const) {
    insert("users", { id, name, email: `${name.toLowerCase()}@example.test`, email_verified: 0, ...times });
    const session = { id: idOf("ses", Number(id.slice(-1))), user_id: id, token: tokens[id], expires_at: LATER };
    insert("sessions", { ...session, ip_address: "", user_agent: "", ...times });
  }
  for (const [organization, owned, user, number] of [
    [acme, project, ada, 1],
    [other, otherProject, bob, 2],
  ] as const) {
    insert("organizations", { id: organization, name: `Organization ${number}`, ...times });
    const membership = { id: idOf("mbr", number), organization_id: organization, user_id: user, role: "admin" };
    insert("memberships", { ...membership, created_at: THEN });
    const named = { id: owned, organization_id: organization, name: "Default", slug: "default" };
    insert("projects", { number, ...named, ...times });
    insert("suites", { id: idOf("ste", number), project_id: owned, name: "Default", is_default: 1, ...times });
  }
  for (const [at, [name, secret]] of Object.entries(keys).entries()) {
    insert("api_keys", {
      id: idOf("key", at),
      organization_id: acme,
      project_id: name === "project" ? project : null,
      created_by_user_id: ada,
      name,
      secret_sha256: sha256(secret),
      last_four: secret.slice(-4),
      created_at: THEN,
      revoked_at: name === "revoked" ? THEN : null,
    });
  }
  insert("invitations", {
    id: idOf("inv", 1),
    organization_id: acme,
    email: "late@example.test",
    role: "viewer",
    token_sha256: sha256(invitation),
    expires_at: LATER,
    created_at: THEN,
  });
  const named = { id: agent, project_id: project, name: "Front desk", agent_platform: "custom" };
  insert("agents", { ...named, search_text: "front desk", ...times });
  for (const { id, name } of twins) {
    const reached = { connection_type: "http_chat", access_variant: "http_chat.public", modality: "chat" };
    const config = JSON.stringify({ url: "https://agent.example.test/chat", format: "svc" });
    const archived_at = id === twins.at(-1)!.id ? THEN : null;
    insert("connections", {
      id,
      agent_id: agent,
      name,
      ...reached,
      environment: "production",
      config,
      archived_at,
      ...times,
    });
  }
  const testOf = { id: idOf("tst", 1), project_id: project, suite_id: idOf("ste", 1), name: "Two mocks" };
  insert("tests", { ...testOf, current_version_id: idOf("tstv", 1), ...times });
  insert("test_versions", {
    id: idOf("tstv", 1),
    test_id: idOf("tst", 1),
    version: 1,
    scenario: "Says: Hello.",
    expected_behaviors: JSON.stringify(['says "hello"']),
    personas: "[]",
    persona_ids: "[]",
    mock_tools: JSON.stringify(mocks),
    created_at: THEN,
  });
  const mock = { id: idOf("mck", 1), project_id: project, tool: "global", outcome: '{"answer":null}', delay_ms: null };
  insert("mock_tools", { ...mock, ...times });
  insert("mock_tool_scopes", { mock_tool_id: mock.id, project_id: project, tool: "global", agent_id: "" });
  const graderRow = { id: grader.id, project_id: project, name: "Fine", current_version_id: grader.versionId };
  insert("graders", { ...graderRow, ...times });
  const version = { id: grader.versionId, grader_id: grader.id, version: 1, definition: JSON.stringify(check) };
  insert("grader_versions", { ...version, created_at: THEN });
  insert("production_grades", {
    id: idOf("gra", 1),
    project_id: project,
    conversation: "job-1",
    grader_version_id: grader.versionId,
    grade: JSON.stringify(grade),
    graded_at: THEN,
  });
  insert("grade_labels", {
    grade_id: idOf("gra", 1),
    user_id: ada,
    project_id: project,
    grader_id: grader.id,
    grader_version_id: grader.versionId,
    graded: "passed",
    verdict: "passed",
    labeled_at: THEN,
    judge: JSON.stringify({ model: "unknown", promptVersion: "unknown" }),
  });
  db.close();
}

describe("a data folder of the version before migration 0016", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-old-"));
  const settings = {
    SVC_AUTH_SECRET: AUTH_SECRET,
    ...keySettings({ adminKey: keys.admin, projectKey: keys.project }),
    SVC_OPEN_SIGNUP: "true",
  };
  let server: TestServer;
  beforeAll(async () => {
    writeOldStore(dataDir);
    server = await startServer({ dataDir, settings });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const withCookie = (user: string) => createClient({ baseUrl: server.url, cookie: cookieOf(user), retries: 0 });

  test("a data folder of the version before migration 0016 opens without a condition", async () => {
    expect(await server.admin.conditions.list()).toEqual({ conditions: [] });
    expect(await server.admin.health.get()).toMatchObject({ status: "ok", degraded: false });
  });

  test("a data folder of the version before migration 0016 keeps its sessions, each in the person's organization, and stores only hashes of their tokens", async () => {
    for (const [user, organization] of [
      [ada, acme],
      [bob, other],
    ] as const) {
      expect((await withCookie(user).organization.get()).organization.id).toBe(organization);
      expect(readFileSync(join(dataDir, "relational.db")).includes(tokens[user]!)).toBe(false);
    }
    await expect(withCookie(removed).organization.get()).rejects.toMatchObject({ status: 401 });
  });

  test("a data folder of the version before migration 0016 keeps its keys with all that they could do: the revoked one is refused", async () => {
    const organizationOf = async (key: string) => (await server.clientOf(key).organization.get()).organization.id;
    expect(await organizationOf(keys.admin)).toBe(acme);
    expect((await server.client.tests.list({ project: project })).items).toHaveLength(1);
    await expect(organizationOf(keys.revoked)).rejects.toMatchObject({ status: 401 });
    const kept = (await server.admin.keys.list()).keys;
    expect(kept.length).toBeGreaterThanOrEqual(3);
    for (const key of kept)
      expect(key).toMatchObject({
        permissions: ["admin"],
        expires_at: null,
        last_used_address: key.last_used_at && "127.0.0.1",
      });
    expect((await server.clientOf(keys.project).keys.create({ project_id: project })).scope).toBe("project");
  });

  test("a data folder of the version before migration 0016 keeps its invitations", async () => {
    const answer = await fetch(`${server.url}/api/auth/sign-up/email`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        name: "Late",
        email: "late@example.test",
        password: "a long enough password",
        invitation_token: invitation,
      }),
    });
    expect([answer.status, await answer.json()]).toEqual([
      201,
      expect.objectContaining({ role: "viewer", organization: expect.objectContaining({ id: acme }) }),
    ]);
  });

  test("a data folder of the version before migration 0016 gets different names for live connections of one name, and every connection can be edited", async () => {
    const { connections } = await server.client.connections.list({ agentId: agent });
    const names = Object.fromEntries(connections.map(({ id, name }) => [id, name]));
    const [first, second, numbered, third, alone, archived] = twins.map(({ id }) => id);
    expect(names).toEqual({
      [first!]: "chat",
      [second!]: `chat (${second})`,
      [numbered!]: "chat (2)",
      [third!]: "chat (3)",
      [alone!]: "other",
    });
    expect(names).not.toHaveProperty(archived!);
    for (const { id, name } of connections) {
      const edit = { agentId: agent, connectionId: id, name, environment: "staging" as const, expectedRevision: 1 };
      expect((await server.client.connections.edit(edit)).connection).toMatchObject({ name, revision: 2 });
    }
  });

  test("a data folder of the version before migration 0016 keeps a test with two mocks of one tool: it can be read and renamed, and its mocks have a delay", async () => {
    const testId = idOf("tst", 1);
    const withDelay = mocks.map((mock) => ({ ...mock, delay_ms: 0 }));
    const edited = await server.client.tests.edit({ testId, expected_version_id: idOf("tstv", 1), name: "Renamed" });
    expect(edited).toMatchObject({ name: "Renamed", version: 1, mock_tools: withDelay });
    const { mockTools } = await server.client.mockTools.list();
    expect(mockTools).toMatchObject([{ tool: "global", answer: null, delayMs: 0 }]);
  });

  test("a data folder of the version before migration 0016 keeps labels of grades that code decided, without a judge", async () => {
    await sendSpans(server, server.client, conversation(1, "I am fine."));
    const { grades } = await server.client.grades.ofTrace({ traceId: traceIdOf(1) });
    expect(grades.find(({ id }) => id === idOf("gra", 1))).toMatchObject({
      verdict: "passed",
      labels: [{ verdict: "passed" }],
    });
    const { versions } = await server.client.graders.agreement({ graderId: grader.id });
    expect(versions).toMatchObject([{ judgedByCode: 1, judge: null }]);
  });

  test("a data folder of the version before migration 0016 opens again", async () => {
    await server.close();
    server = await startServer({ dataDir, settings });
    expect(await server.admin.conditions.list()).toEqual({ conditions: [] });
    expect((await withCookie(ada).organization.get()).organization.id).toBe(acme);
  });
});
