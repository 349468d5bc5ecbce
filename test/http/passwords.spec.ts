import { readdirSync, readFileSync, statSync } from "node:fs";
import { join as joinPath } from "node:path";
import { describe, expect, test } from "vitest";
import { openBareService } from "../support/bare-service.ts";
import { cookieOf, join, PASSWORD } from "../support/people.ts";
import { expectRefusal, jsonOf, type Reply, send } from "../support/request.ts";
import { useTwoOrganizations } from "../support/two-organizations.ts";

const NEW_PASSWORD = "another long password";
const world = useTwoOrganizations();
const { address, ask, inBoth, mailedTokens, signIn } = world;

describe("passwords and sessions", () => {
  test("a new password needs the current one, and ends the other sessions when the person wishes it", async () => {
    const person = await join(world.service.url, world.acme.client, address(), "viewer");
    const other = cookieOf(await signIn(person.email));
    await expect(
      person.client.accounts.changePassword({ current_password: "not it", new_password: NEW_PASSWORD }),
    ).rejects.toMatchObject({ code: "not_permitted" });
    await person.client.accounts.changePassword({ current_password: PASSWORD, new_password: NEW_PASSWORD });
    expect((await ask({ path: "/api/auth/get-session", cookie: other })).status).toBe(200);
    const again = cookieOf(await signIn(person.email, NEW_PASSWORD));
    await world.clientWith(again).accounts.changePassword({
      current_password: NEW_PASSWORD,
      new_password: PASSWORD,
      revoke_other_sessions: true,
    });
    expectRefusal(await ask({ path: "/api/auth/get-session", cookie: other }), "not_authenticated");
    expectRefusal(await signIn(person.email, NEW_PASSWORD), "not_authenticated");
    expect((await signIn(person.email)).status).toBe(200);
  });

  test("a change of the password gives the session a new cookie, counts the others, and revokes the keys on request", async () => {
    const person = await join(world.service.url, world.acme.client, address(), "viewer");
    const change = (cookie: string, json: object) =>
      ask({
        method: "POST",
        path: "/api/auth/change-password",
        cookie,
        json: { current_password: PASSWORD, new_password: PASSWORD, ...json },
      });
    const other = cookieOf(await signIn(person.email));
    const kept = await change(person.cookie, {});
    expect(jsonOf(kept)).toEqual({ other_sessions: 1, revoked_keys: 0 });
    const renewed = cookieOf(kept);
    expectRefusal(await ask({ path: "/api/auth/get-session", cookie: person.cookie }), "not_authenticated");
    const session = jsonOf<typeof person.session>(await ask({ path: "/api/auth/get-session", cookie: renewed }));
    expect([session.user, session.organization]).toEqual([person.session.user, person.session.organization]);
    expect((await ask({ path: "/v1/organization", key: person.key })).status).toBe(200);
    const ended = await change(renewed, { revoke_other_sessions: true, revoke_keys: true });
    expect(jsonOf(ended)).toEqual({ other_sessions: 0, revoked_keys: 1 });
    expectRefusal(await ask({ path: "/v1/organization", key: person.key }), "not_authenticated");
    expectRefusal(await ask({ path: "/api/auth/get-session", cookie: other }), "not_authenticated");
    expect((await ask({ path: "/api/auth/get-session", cookie: cookieOf(ended) })).status).toBe(200);
  });

  test("signing out everywhere and a reset revoke the keys of all organizations on request, and say how many", async () => {
    const both = await inBoth();
    const [, globex] = (await both.client.accounts.session()).organizations;
    await both.client.accounts.switchOrganization({ organization_id: globex!.id });
    const { secret: second } = await both.client.keys.create({ name: "second" });
    expect(await both.client.accounts.revokeSessions({ revoke_keys: true })).toEqual({ revoked_keys: 2 });
    for (const key of [both.key, second])
      expectRefusal(await ask({ path: "/v1/organization", key }), "not_authenticated");

    const person = await join(world.service.url, world.acme.client, address(), "member");
    const { token } = await world.acme.client.members.resetPassword({ userId: person.session.user.id });
    const json = { token, new_password: NEW_PASSWORD, revoke_keys: true };
    const reset = await ask({ method: "POST", path: "/api/auth/reset-password", json });
    expect(jsonOf(reset)).toEqual({ revoked_keys: 1 });
    expectRefusal(await ask({ path: "/v1/organization", key: person.key }), "not_authenticated");
  });

  test.each([
    ["qwertyuiop", "most common"],
    ["QwertyUiop", "most common"],
    ["1qaz2wsx3edc", "most common"],
    ["aaaaaaaaaaaa", "repeats"],
    ["abcdabcdabcdab", "repeats"],
    ["9876543210", "sequence"],
    ["abcdefghijkl", "sequence"],
    ["chooses-badly@acme.test", "own address"],
    ["chooses-badly2026!", "own address"],
    ["Ada Park Ada", "own address"],
  ])("the password %s is refused at sign-up, at a change and at a reset", async (password, reason) => {
    const email = "chooses-badly@acme.test";
    const invite = () => world.acme.client.invitations.create({ email, role: "viewer" });
    const expectWeak = (reply: Reply, member: string) => {
      const { details } = expectRefusal(reply, "unprocessable");
      expect(details).toMatchObject({ issues: [{ path: member, message: expect.stringContaining(reason) }] });
    };
    const person = { name: "Ada Park Ada", email, invitation_token: (await invite()).token };
    const signUp = (json: object) => ask({ method: "POST", path: "/api/auth/sign-up/email", json });
    expectWeak(await signUp({ ...person, password }), "password");
    const signedUp = await signUp({ ...person, password: PASSWORD });
    expect(signedUp.status).toBe(201);
    const change = { current_password: PASSWORD, new_password: password };
    const cookie = cookieOf(signedUp);
    expectWeak(await ask({ method: "POST", path: "/api/auth/change-password", cookie, json: change }), "new_password");
    const { user } = jsonOf<{ user: { id: string } }>(signedUp);
    const { token } = await world.acme.client.members.resetPassword({ userId: user.id });
    const json = { token, new_password: password };
    expectWeak(await ask({ method: "POST", path: "/api/auth/reset-password", json }), "new_password");
    const strong = await ask({
      method: "POST",
      path: "/api/auth/reset-password",
      json: { token, new_password: NEW_PASSWORD },
    });
    expect(strong.status).toBe(200);
    await world.acme.client.members.remove({ userId: user.id });
  });

  test("a person sees their sessions, ends one of them, and signs out everywhere; keys keep working", async () => {
    const person = await join(world.service.url, world.acme.client, address(), "viewer");
    const other = cookieOf(await signIn(person.email));
    const { sessions } = await person.client.accounts.listSessions();
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    expect(sessions).toHaveLength(2);
    await person.client.accounts.revokeSession({ session_id: sessions.find(({ current }) => !current)!.id });
    expectRefusal(await ask({ path: "/api/auth/get-session", cookie: other }), "not_authenticated");
    const third = cookieOf(await signIn(person.email));
    expect(await person.client.accounts.revokeSessions()).toEqual({ revoked_keys: 0 });
    for (const cookie of [person.cookie, third])
      expectRefusal(await ask({ path: "/api/auth/get-session", cookie }), "not_authenticated");
    expect((await ask({ path: "/v1/organization", key: person.key })).status).toBe(200);
  });

  test("a forgotten password is reset by mail, once, and all sessions end", async () => {
    const person = await join(world.service.url, world.acme.client, address(), "viewer");
    const request = (email: string) =>
      ask({ method: "POST", path: "/api/auth/request-password-reset", json: { email } });
    const [known, unknown] = [await request(person.email), await request("nobody@acme.test")];
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
    const [token] = await mailedTokens(person.email, 2);
    const use = () =>
      ask({ method: "POST", path: "/api/auth/reset-password", json: { token, new_password: NEW_PASSWORD } });
    const replies = await Promise.all([use(), use()]);
    expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 403]);
    expectRefusal(await use(), "not_permitted");
    expectRefusal(await ask({ path: "/api/auth/get-session", cookie: person.cookie }), "not_authenticated");
    expect((await signIn(person.email, NEW_PASSWORD)).status).toBe(200);
    expect(world.smtp.mailsTo("nobody@acme.test")).toEqual([]);
  });

  test("an admin creates a one-time token for a member, who sets a new password with it", async () => {
    const person = await join(world.service.url, world.acme.client, address(), "member");
    const { token } = await world.acme.client.members.resetPassword({ userId: person.session.user.id });
    const json = { token, new_password: NEW_PASSWORD };
    expect((await ask({ method: "POST", path: "/api/auth/reset-password", json })).status).toBe(200);
    expectRefusal(await ask({ method: "POST", path: "/api/auth/reset-password", json }), "not_permitted");
    expect((await signIn(person.email, NEW_PASSWORD)).status).toBe(200);
  });

  test("an admin gets no token for a person of two organizations, and an earlier token dies when they join another", async () => {
    const both = await inBoth();
    await expect(world.acme.client.members.resetPassword({ userId: both.session.user.id })).rejects.toMatchObject({
      code: "conflict",
    });
    const person = await join(world.service.url, world.acme.client, address(), "member");
    const { token } = await world.acme.client.members.resetPassword({ userId: person.session.user.id });
    const { token: invitation } = await world.globex.client.invitations.create({ email: person.email, role: "viewer" });
    await person.client.invitations.accept({ token: invitation });
    const json = { token, new_password: NEW_PASSWORD };
    expectRefusal(await ask({ method: "POST", path: "/api/auth/reset-password", json }), "not_permitted");
    await world.acme.client.members.remove({ userId: person.session.user.id });
    expectRefusal(await ask({ method: "POST", path: "/api/auth/reset-password", json }), "not_permitted");
  });

  test("a service without mail says who can help with a forgotten password", async () => {
    const bare = await openBareService();
    const json = { email: "founder@acme.test" };
    const reply = await send(bare.url, { method: "POST", path: "/api/auth/request-password-reset", json });
    expect(expectRefusal(reply, "conflict").message).toContain("admin");
    await bare.stop();
  });

  test("the data folder holds neither session tokens nor tokens of invitations and resets", async () => {
    const person = await join(world.service.url, world.acme.client, address(), "member");
    const { token: reset } = await world.acme.client.members.resetPassword({ userId: person.session.user.id });
    const { token: invitation } = await world.acme.client.invitations.create({ email: address(), role: "viewer" });
    const session = decodeURIComponent(person.cookie.split("=")[1]!).split(".")[0]!;
    const files = readdirSync(world.service.dataDir, { recursive: true, encoding: "utf8" })
      .map((file) => joinPath(world.service.dataDir, file))
      .filter((file) => statSync(file).isFile());
    const contents = files.map((file) => readFileSync(file));
    for (const secret of [session, reset, invitation]) {
      expect(secret.length).toBeGreaterThan(20);
      expect(contents.filter((content) => content.includes(secret))).toEqual([]);
    }
  });
});
