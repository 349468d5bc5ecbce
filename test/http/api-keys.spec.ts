import { createHash } from "node:crypto";
import { Agent, request } from "node:http";
import { ApiKey, ApiKeyWithSecret, SECRET_PATTERN } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { join } from "../support/people.ts";
import { expectRefusal, jsonOf, send } from "../support/request.ts";
import { placesWith } from "../support/stored-bytes.ts";
import { encodeJson, oneSpan } from "../support/otlp.ts";
import { until } from "../support/until.ts";
import { aTest, freshName, openWorld, type World } from "../support/world.ts";

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.stop());

const reads = (key: string) => send(w.url, { method: "GET", path: "/v1/organization", key });

describe("a new key", () => {
  test("a new key has its secret in the answer to its creation only, and that answer must not be cached", async () => {
    const reply = await send(w.url, { method: "POST", path: "/api/keys", key: w.adminKey, json: { name: "deploy" } });
    expect(reply.status).toBe(201);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    const { secret, ...made } = ApiKeyWithSecret.parse(JSON.parse(reply.text));
    expect(secret).toMatch(SECRET_PATTERN);
    expect(made).toMatchObject({
      name: "deploy",
      scope: "organization",
      project_id: null,
      last_used_at: null,
      revoked_at: null,
    });
    expect(made.looks_like).toBe(`svc_sk_…${secret.slice(-4)}`);

    const { keys } = await w.admin.keys.list();
    expect(keys.find(({ id }) => id === made.id)).toEqual(made);
    const revoked = await send(w.url, { method: "POST", path: `/api/keys/${made.id}/revoke`, key: w.adminKey });
    expect(revoked.text).not.toContain(secret);
    expect(ApiKey.parse(JSON.parse(revoked.text)).id).toBe(made.id);
  });

  test("a new key has no name unless the request has one, and is project-scoped when the request names a project", async () => {
    const withoutBody = await send(w.url, { method: "POST", path: "/api/keys", key: w.adminKey });
    expect(withoutBody.status).toBe(201);
    const unnamed = { name: null, scope: "organization", project_id: null };
    expect(JSON.parse(withoutBody.text)).toMatchObject(unnamed);
    expect(await w.admin.keys.create()).toMatchObject(unnamed);
    expect(await w.admin.keys.create({ project_id: w.project.id })).toMatchObject({
      scope: "project",
      project_id: w.project.id,
    });
  });

  test("a new key is stored as its SHA-256 only: no store contains the secret", async () => {
    const { secret } = await w.admin.keys.create({ name: "hidden" });
    await reads(secret);
    const hash = createHash("sha256").update(secret).digest("hex");
    expect(await placesWith(w.dataDir, hash)).not.toEqual({});
    expect(await placesWith(w.dataDir, secret.slice("svc_sk_".length))).toEqual({});
  });

  test("a new key has a secret unlike those of other keys", async () => {
    const secrets = await Promise.all(Array.from({ length: 50 }, async () => (await w.admin.keys.create()).secret));
    expect(new Set(secrets.map((secret) => secret.slice(7, 17))).size).toBe(50);
  });
});

test("last_used_at is null until the key's first successful request, and refused secrets do not set it", async () => {
  const { id, secret } = await w.admin.keys.create();
  const lastUse = async () => (await w.admin.keys.list()).keys.find((key) => key.id === id)!.last_used_at;
  await reads(`${secret.slice(0, -1)}${secret.endsWith("A") ? "B" : "A"}`);
  expect(await lastUse()).toBeNull();
  const before = new Date().toISOString();
  await reads(secret);
  const first = await lastUse();
  expect(first! >= before).toBe(true);
  await reads(secret);
  expect((await lastUse())! >= first!).toBe(true);
});

describe("revoking", () => {
  test("a second revocation returns the same record, with the time of the first", async () => {
    const { id } = await w.admin.keys.create();
    const first = await w.admin.keys.revoke({ apiKeyId: id });
    expect(first.revoked_at).not.toBeNull();
    expect(await w.admin.keys.revoke({ apiKeyId: id })).toEqual(first);
  });

  test("a revocation applies to the next request of another open connection", async () => {
    const { id, secret } = await w.admin.keys.create();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    const ask = () =>
      new Promise<number>((resolve, reject) => {
        const asked = request(
          `${w.url}/v1/organization`,
          { agent, headers: { authorization: `Bearer ${secret}` } },
          (answer) => {
            answer.resume().once("end", () => resolve(answer.statusCode!));
          },
        );
        asked
          .once("socket", (socket) => sockets.add(socket))
          .once("error", reject)
          .end();
      });
    expect(await ask()).toBe(200);
    await w.admin.keys.revoke({ apiKeyId: id });
    expect(await ask()).toBe(401);
    expect(sockets.size).toBe(1);
    agent.destroy();
  });

  test("a key can revoke itself", async () => {
    const { id, secret } = await w.admin.keys.create();
    await w.clientOf(secret).keys.revoke({ apiKeyId: id });
    expectRefusal(await reads(secret), "not_authenticated");
  });

  test("a revocation leaves another key of the same name and project valid", async () => {
    const wanted = { name: "worker", project_id: w.project.id };
    const [old, replacement] = [await w.admin.keys.create(wanted), await w.admin.keys.create(wanted)];
    await w.admin.keys.revoke({ apiKeyId: old.id });
    expectRefusal(await reads(old.secret), "not_authenticated");
    expect((await reads(replacement.secret)).status).toBe(200);
  });
});

describe("listing", () => {
  const idsSeenWith = async (key: string) => (await w.clientOf(key).keys.list()).keys.map(({ id }) => id);

  test("a list shows admins every key of the organization, newest first, and others only the keys that they created", async () => {
    const admins = await w.admin.keys.create();
    const members = await w.member.client.keys.create();
    const viewers = await w.viewer.client.keys.create();
    const all = await idsSeenWith(w.adminKey);
    expect(all.slice(0, 3)).toEqual([viewers.id, members.id, admins.id]);
    const { keys: own } = await w.clientOf(w.member.key).keys.list();
    expect(own.map(({ id }) => id)).toContain(members.id);
    expect(new Set(own.map((key) => key.created_by_user_id))).toEqual(new Set([w.member.session.user.id]));
    expect(await idsSeenWith(w.stranger.key)).not.toEqual(expect.arrayContaining([members.id]));
  });

  test("a list shows a project key only the keys of its project", async () => {
    const elsewhere = [await w.admin.keys.create(), await w.admin.keys.create({ project_id: w.otherProject.id })];
    const { keys } = await w.client.keys.list();
    expect(new Set(keys.map(({ project_id }) => project_id))).toEqual(new Set([w.project.id]));
    for (const { id } of elsewhere) {
      expectRefusal(
        await send(w.url, { method: "POST", path: `/api/keys/${id}/revoke`, key: w.projectKey }),
        "not_found",
      );
    }
  });
});

describe("permissions of a key", () => {
  const inProject = (more: Record<string, unknown> = {}) => ({ project_id: w.project.id, ...more });
  const ask = (key: string, method: string, path: string, json?: object) =>
    send(w.url, { method, path, key, ...(json && { json }) });

  test("a key without chosen permissions may do what its creator may, and a list names each permission once", async () => {
    expect((await w.admin.keys.create()).permissions).toEqual(["admin"]);
    const { id, permissions } = await w.admin.keys.create(
      inProject({ permissions: ["test", "ingest", "read", "test"] }),
    );
    expect(permissions).toEqual(["ingest", "test"]);
    expect((await w.admin.keys.list()).keys.find((key) => key.id === id)!.permissions).toEqual(["ingest", "test"]);
    expect(await w.admin.keys.create(inProject({ permissions: ["write", "ingest"] }))).toMatchObject({
      permissions: ["write"],
    });
  });

  test("a worker's key sends spans, and can neither read, delete and change anything nor make or revoke a key", async () => {
    const { id, secret } = await w.admin.keys.create(inProject({ name: "worker", permissions: ["ingest"] }));
    const traceId = "7".repeat(32);
    const body = encodeJson(oneSpan({ traceId }));
    await w.clientOf(secret).traces.ingest({ body, contentType: "application/json" });
    await until("the conversation is readable", () => w.client.traces.get({ traceId }).then(() => true));
    const { id: testId } = await w.client.tests.create(aTest());
    const refused = {
      read: await ask(secret, "GET", `/v1/traces/${traceId}`),
      write: await ask(secret, "DELETE", `/v1/traces/${traceId}`),
      "write a test": await ask(secret, "DELETE", `/api/tests/${testId}`),
      test: await ask(secret, "POST", "/v1/runs", {}),
      admin: await ask(secret, "POST", "/api/keys", inProject({ name: "evil" })),
      "admin to revoke": await ask(secret, "POST", `/api/keys/${id}/revoke`),
    };
    for (const [what, reply] of Object.entries(refused))
      expect(expectRefusal(reply, "not_permitted").message).toContain(`lacks the permission \`${what.split(" ")[0]}\``);
    expect((await w.client.traces.get({ traceId })).traceId).toBe(traceId);
    expect((await w.client.tests.get({ testId })).id).toBe(testId);
  });

  test("a key that lacks a permission gets the same bytes for a resource of another project as for a missing one", async () => {
    const traceIds = ["5b8efff798038103d269b633813fc60c", "f".repeat(32)];
    const replies = await Promise.all(
      traceIds.map((traceId) => ask(w.keysWith.ingest.project, "GET", `/v1/traces/${traceId}`)),
    );
    const bodies = replies.map(({ text }) => text.replace(/"requestId":"[^"]+"/, ""));
    expect(bodies[0]).toBe(bodies[1]);
  });

  test("`ingest` needs a project, and a role that may send spans", async () => {
    const everywhere = await ask(w.adminKey, "POST", "/api/keys", { permissions: ["ingest"] });
    expect(expectRefusal(everywhere, "unprocessable").details).toMatchObject({ issues: [{ path: "project_id" }] });
    for (const permission of ["ingest", "test", "write"]) {
      const reply = await ask(w.viewer.key, "POST", "/api/keys", inProject({ permissions: [permission] }));
      expect(expectRefusal(reply, "not_permitted").message).toContain("member or admin");
    }
    expect((await ask(w.viewer.key, "POST", "/api/keys", inProject({ permissions: ["read"] }))).status).toBe(201);
    for (const permissions of [[], ["everything"]])
      expectRefusal(await ask(w.adminKey, "POST", "/api/keys", inProject({ permissions })), "unprocessable");
  });

  test("a role that falls below a key's permissions limits the key from its next request on", async () => {
    const person = await join(w.url, w.admin, "falling@acme.test", "member");
    const { secret } = await w.clientOf(person.key).keys.create(inProject({ permissions: ["write"] }));
    expect((await ask(secret, "POST", "/v1/test-suites", { name: freshName("suite") })).status).toBe(201);
    await w.admin.members.edit({ userId: person.session.user.id, role: "viewer" });
    const refused = await ask(secret, "POST", "/v1/test-suites", { name: freshName("suite") });
    expect(expectRefusal(refused, "not_permitted").message).toContain("role viewer");
    expect((await ask(secret, "GET", "/v1/test-suites")).status).toBe(200);
  });
});

test("a key's last use has the client's address", async () => {
  const { id, secret } = await w.admin.keys.create();
  const headers = { "x-forwarded-for": "203.0.113.7" };
  await send(w.url, { method: "GET", path: "/v1/organization", key: secret, headers });
  const used = (await w.admin.keys.list()).keys.find((key) => key.id === id)!;
  expect(used).toMatchObject({ last_used_address: "203.0.113.7", last_used_at: expect.any(String) });
});

test("an admin revokes all keys of a member, who keeps the session; those of others go on", async () => {
  const person = await join(w.url, w.admin, "many-keys@acme.test", "member");
  const { secret } = await w.clientOf(person.key).keys.create({ project_id: w.project.id, permissions: ["ingest"] });
  const userId = person.session.user.id;
  expect(await w.admin.members.revokeKeys({ userId })).toEqual({ revokedKeys: 2 });
  for (const key of [person.key, secret]) expectRefusal(await reads(key), "not_authenticated");
  expect((await reads(w.member.key)).status).toBe(200);
  expect(await w.admin.members.revokeKeys({ userId })).toEqual({ revokedKeys: 0 });
  const session = await send(w.url, { method: "GET", path: "/api/auth/get-session", cookie: person.cookie });
  expect(session.status).toBe(200);
});

describe("a key and its creator's role", () => {
  const writes = async (key: string) => {
    const json = { name: freshName("suite") };
    return (await send(w.url, { method: "POST", path: `/v1/test-suites?projectId=${w.project.id}`, key, json })).status;
  };

  test("a project key creates keys of its project, with at most the creator's role", async () => {
    const reply = await send(w.url, {
      method: "POST",
      path: "/api/keys",
      key: w.viewerProjectKey,
      json: { project_id: w.project.id },
    });
    expect(reply.status).toBe(201);
    const made = jsonOf<{ secret: string; created_by_user_id: string }>(reply);
    expect(made.created_by_user_id).toBe(w.viewer.session.user.id);
    expect(await writes(made.secret)).toBe(403);
  });

  test("a change of the role applies to the next request", async () => {
    const person = await join(w.url, w.admin, "changing@acme.test", "viewer");
    const userId = person.session.user.id;
    for (const [role, status] of [
      ["member", 201],
      ["viewer", 403],
      ["admin", 201],
    ] as const) {
      await w.admin.members.edit({ userId, role });
      expect(await writes(person.key)).toBe(status);
    }
    expect((await w.clientOf(person.key).members.list()).members.length).toBeGreaterThan(1);
  });

  test("the keys and sessions of a removed person are refused from the next request", async () => {
    const person = await join(w.url, w.admin, "leaving@acme.test", "member");
    expect(await writes(person.key)).toBe(201);
    await w.admin.members.remove({ userId: person.session.user.id });
    expect(await writes(person.key)).toBe(401);
    expectRefusal(
      await send(w.url, { method: "GET", path: "/api/auth/get-session", cookie: person.cookie }),
      "not_authenticated",
    );
  });
});
