import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { createClient } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withoutTable } from "../support/away-table.ts";
import { openBareService } from "../support/bare-service.ts";
import { needsStoreFile } from "../support/engine.ts";
import { whileHeld } from "../support/held-store.ts";
import { cookieOf, join, PASSWORD, type Person, signUp, signUpAsk } from "../support/people.ts";
import { type Ask, expectRefusal, jsonOf, send } from "../support/request.ts";
import { placesWith } from "../support/stored-bytes.ts";

type Service = Awaited<ReturnType<typeof openBareService>>;

const signInAsk = (email: string, password = PASSWORD): Ask => ({
  method: "POST",
  path: "/api/auth/sign-in/email",
  json: { email, password },
});
const sessionAsk = (cookie: string): Ask => ({ method: "GET", path: "/api/auth/get-session", cookie });

describe("a fresh instance", () => {
  test("a fresh instance is claimed by the first of two people who sign up at once, and the other is asked for an invitation", async () => {
    const service = await openBareService();
    const replies = await Promise.all(
      ["one@acme.test", "two@acme.test"].map((email) => send(service.url, signUpAsk(email))),
    );
    expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 403]);
    expectRefusal(
      replies.find(({ status }) => status === 403)!,
      "not_permitted",
    );
    const winner = createClient({
      baseUrl: service.url,
      cookie: cookieOf(replies.find(({ status }) => status === 201)!),
    });
    expect((await winner.members.list()).members).toHaveLength(1);
    await service.stop();
  });

  test("a fresh instance is claimed in one transaction: a claim that fails in the middle leaves nothing and can be repeated", async () => {
    const service = await openBareService();
    await withoutTable(service.dataDir, "suites", async () => {
      expectRefusal(await send(service.url, signUpAsk("founder@acme.test")), "internal_error");
    });
    const founder = await signUp(service.url, "founder@acme.test");
    expect(founder.session.role).toBe("admin");
    expect((await founder.client.projects.list()).projects).toMatchObject([{ name: "Default" }]);
    await service.stop();
  });

  test("a fresh instance keeps its sessions and keys after a restart", async () => {
    const dataDir = mkdtempSync(joinPath(tmpdir(), "svc-spec-"));
    const first = await openBareService({ SVC_DATA_DIR: dataDir });
    const founder = await signUp(first.url, "founder@acme.test");
    await first.stop();
    const second = await openBareService({ SVC_DATA_DIR: dataDir });
    expect(jsonOf(await send(second.url, sessionAsk(founder.cookie)))).toEqual(founder.session);
    expect((await send(second.url, { method: "GET", path: "/v1/organization", key: founder.key })).status).toBe(200);
    expectRefusal(await send(second.url, signUpAsk("late@acme.test")), "not_permitted");
    await second.stop();
    rmSync(dataDir, { recursive: true });
  });

  test("the secret that signs sessions is private to the user of the service", async (context) => {
    needsStoreFile(context);
    const dataDir = mkdtempSync(joinPath(tmpdir(), "svc-spec-"));
    const service = await openBareService({ SVC_DATA_DIR: dataDir });
    expect(statSync(joinPath(dataDir, "auth-secret")).mode & 0o777).toBe(0o600);
    await service.stop();
    rmSync(dataDir, { recursive: true });
  });
});

describe("on a claimed instance", () => {
  let service: Service;
  let founder: Person;
  beforeAll(async () => {
    service = await openBareService();
    founder = await signUp(service.url, "founder@acme.test");
  });
  afterAll(() => service.stop());

  test("the founder is admin of an organization with one project and its suite", async () => {
    expect(founder.session).toMatchObject({
      role: "admin",
      user: { name: "founder" },
      organization: { name: "founder's organization" },
    });
    const { projects } = await founder.client.projects.list();
    expect(projects).toMatchObject([{ name: "Default" }]);
    expect((await founder.client.suites.list()).testSuites).toMatchObject([{ name: "Default", isDefault: true }]);
  });

  test("when two admins demote each other at once, one stays admin", async () => {
    const { url, stop } = await openBareService();
    const one = await signUp(url, "one@acme.test");
    const other = await join(url, one.client, "other@acme.test", "admin");
    await Promise.allSettled([
      one.client.members.edit({ userId: other.session.user.id, role: "viewer" }),
      other.client.members.edit({ userId: one.session.user.id, role: "viewer" }),
    ]);
    const roles = await Promise.all(
      [one, other].map(async ({ key }) => (await send(url, { method: "GET", path: "/v1/members", key })).status),
    );
    expect(roles.sort((a, b) => a - b)).toEqual([200, 403]);
    await stop();
  });

  test("a sign-up without an invitation is refused and leaves no account", async () => {
    expectRefusal(await send(service.url, signUpAsk("uninvited@acme.test")), "not_permitted");
    expectRefusal(await send(service.url, signInAsk("uninvited@acme.test")), "not_authenticated");
  });

  test.each(["admin", "member", "viewer"] as const)(
    "an invitation admits its person once, with the role %s",
    async (role) => {
      const email = `${role}@acme.test`;
      const { token } = await founder.client.invitations.create({ email, role });
      expectRefusal(
        await send(service.url, signUpAsk("somebody-else@acme.test", { invitation_token: token })),
        "not_permitted",
      );
      const { session } = await signUp(service.url, email.toUpperCase(), token);
      expect(session).toMatchObject({ role, user: { email }, organization: founder.session.organization });
      expectRefusal(await send(service.url, signUpAsk(email, { invitation_token: token })), "not_permitted");
      expect((await founder.client.invitations.list()).invitations.map((open) => open.email)).not.toContain(email);
    },
  );

  test("one invitation used twice at once creates one account", async () => {
    const email = "twice@acme.test";
    const { token } = await founder.client.invitations.create({ email, role: "viewer" });
    const ask = signUpAsk(email, { invitation_token: token });
    const replies = await Promise.all([send(service.url, ask), send(service.url, ask)]);
    expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 403]);
  });

  test("an invitation that is revoked during its sign-up either admits the person first or refuses them", async () => {
    const email = "withdrawn@acme.test";
    for (let round = 0; round < 3; round++) {
      const { invitation, token } = await founder.client.invitations.create({ email, role: "viewer" });
      const signingUp = send(service.url, signUpAsk(email, { invitation_token: token }));
      const [signedUp, withdrawn] = await Promise.all([
        signingUp,
        send(service.url, { method: "DELETE", path: `/v1/invitations/${invitation.id}`, key: founder.key }),
      ]);
      expect([[201, 404].join(), [403, 204].join()]).toContain([signedUp.status, withdrawn.status].join());
      if (signedUp.status === 201) return;
      expectRefusal(await send(service.url, signInAsk(email)), "not_authenticated");
    }
  });

  test("a removed person can be invited again and gets a new account", async () => {
    const gone = await join(service.url, founder.client, "again@acme.test", "member");
    await founder.client.members.remove({ userId: gone.session.user.id });
    expectRefusal(await send(service.url, signInAsk("again@acme.test")), "not_authenticated");
    const back = await join(service.url, founder.client, "again@acme.test", "viewer");
    expect(back.session.user.id).not.toBe(gone.session.user.id);
    expectRefusal(
      await send(service.url, { method: "GET", path: "/v1/organization", key: gone.key }),
      "not_authenticated",
    );
  });

  test("a person who used one of two invitations and was removed cannot return with the other one", async () => {
    const email = "invited-twice@acme.test";
    const { token: asAdmin } = await founder.client.invitations.create({ email, role: "admin" });
    const person = await join(service.url, founder.client, email, "viewer");
    expect((await founder.client.invitations.list()).invitations.map((open) => open.email)).not.toContain(email);
    await founder.client.members.remove({ userId: person.session.user.id });
    expectRefusal(await send(service.url, signUpAsk(email, { invitation_token: asAdmin })), "not_permitted");
  });

  test("a sign-up while the store is locked answers 503, not that the address is taken, and can be repeated", async (context) => {
    needsStoreFile(context);
    const { token } = await founder.client.invitations.create({ email: "locked-out@acme.test", role: "viewer" });
    const ask = signUpAsk("locked-out@acme.test", { invitation_token: token });
    expectRefusal(await whileHeld(service.dataDir, () => send(service.url, ask)), "unavailable");
    expect((await send(service.url, ask)).status).toBe(201);
  });

  test("on a claimed instance changes of other people succeed while many people sign up", async () => {
    const invitations = ["slow-1@acme.test", "slow-2@acme.test", "slow-3@acme.test"].map(async (email) => {
      const { token } = await founder.client.invitations.create({ email, role: "viewer" });
      return signUpAsk(email, { invitation_token: token });
    });
    const signUps = Promise.all((await Promise.all(invitations)).map((ask) => send(service.url, ask)));
    const changes: number[] = [];
    while ((await Promise.race([signUps, Promise.resolve()])) === undefined) {
      const json = { name: `Test ${changes.length}`, scenario: "A caller calls.", expected_behaviors: ["Answers."] };
      changes.push((await send(service.url, { method: "POST", path: "/api/tests", key: founder.key, json })).status);
    }
    expect((await signUps).map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(changes.filter((status) => status !== 201)).toEqual([]);
  });

  test("signing in ignores the address's upper and lower case and sets a same-site cookie", async () => {
    const reply = await send(service.url, signInAsk("Founder@ACME.test"));
    expect(jsonOf<Person["session"]>(reply).user).toEqual(founder.session.user);
    const [cookie, ...others] = reply.headers.getSetCookie();
    expect(others).toEqual([]);
    expect(cookie).toMatch(/^svc\.session_token=[^;]+; /);
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    expect(cookie).toMatch(/; Path=\/(;|$)/);
    expect(cookie).not.toMatch(/; (Secure|Domain)/);
    expect(reply.headers.get("cache-control")).toBe("no-store");
  });

  test("a wrong password and an unknown address get the same answer and no cookie", async () => {
    const [wrong, unknown] = [
      await send(service.url, signInAsk("founder@acme.test", "not it")),
      await send(service.url, signInAsk("no@acme.test")),
    ];
    expectRefusal(wrong, "not_authenticated");
    expect(unknown.text).toBe(wrong.text);
    expect([...wrong.headers.getSetCookie(), ...unknown.headers.getSetCookie()]).toEqual([]);
  });

  test("signing out ends this session only, and answers 204 without a session too", async () => {
    const [one, other] = [cookieOf(await send(service.url, signInAsk("founder@acme.test"))), founder.cookie];
    const out = await send(service.url, { method: "POST", path: "/api/auth/sign-out", cookie: one });
    expect([out.status, out.text]).toEqual([204, ""]);
    expect(out.headers.getSetCookie()[0]).toMatch(/^svc\.session_token=;.*Max-Age=0/);
    expectRefusal(await send(service.url, sessionAsk(one)), "not_authenticated");
    expect((await send(service.url, sessionAsk(other))).status).toBe(200);
    expect((await send(service.url, { method: "POST", path: "/api/auth/sign-out" })).status).toBe(204);
  });

  test("no store contains a password", async () => {
    await send(service.url, signInAsk("founder@acme.test"));
    expect(await placesWith(service.dataDir, "founder@acme.test")).not.toEqual({});
    expect(await placesWith(service.dataDir, PASSWORD)).toEqual({});
  });
});

test("open sign-up creates an organization for each person", async () => {
  const service = await openBareService({ SVC_OPEN_SIGNUP: "true" });
  const [one, two] = [await signUp(service.url, "one@acme.test"), await signUp(service.url, "two@elsewhere.test")];
  expect(two.session.role).toBe("admin");
  expect(two.session.organization.id).not.toBe(one.session.organization.id);
  expect((await two.client.members.list()).members).toHaveLength(1);
  await service.stop();
});

test("behind HTTPS the cookie is secure, has the __Secure- prefix and works from the public origin only", async () => {
  const origin = "https://voice.acme.test";
  const service = await openBareService({ SVC_BASE_URL: origin });
  const reply = await send(service.url, signUpAsk("founder@acme.test"));
  expect(reply.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Secure-svc\.session_token=.*; Secure/)]);
  const cookie = cookieOf(reply);
  expect((await send(service.url, { method: "GET", path: "/api/auth/get-session", headers: { cookie } })).status).toBe(
    200,
  );
  const write = (from: string): Ask => ({
    method: "POST",
    path: "/api/keys",
    json: {},
    headers: { cookie, origin: from },
  });
  expect((await send(service.url, write(origin))).status).toBe(201);
  expectRefusal(await send(service.url, write("https://voice.acme.test.evil.test")), "not_permitted");
  await service.stop();
});
