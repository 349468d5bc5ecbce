import { readFileSync, readdirSync, statSync } from "node:fs";
import { join as joinPath } from "node:path";
import { setTimeout } from "node:timers/promises";
import { LIMITS, ORGANIZATION_HEADER, type Session } from "@svc/contract";
import { createClient } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { blockOf } from "../../packages/server/src/http/address-block.ts";
import { createAttempts } from "../../packages/server/src/accounts/attempts.ts";
import { createRateLimit } from "../../packages/server/src/http/rate-limit.ts";
import { openBareService } from "../support/bare-service.ts";
import { cookieOf, join, PASSWORD, type Person, signUp, signUpAsk } from "../support/people.ts";
import { type Ask, expectRefusal, freshAddress, jsonOf, send } from "../support/request.ts";
import { startSmtp } from "../support/smtp.ts";
import { until } from "../support/until.ts";

type Service = Awaited<ReturnType<typeof openBareService>>;
type SessionAnswer = z.infer<typeof Session>;

const NEW_PASSWORD = "another long password";

let service: Service;
let smtp: Awaited<ReturnType<typeof startSmtp>>;
let acme: Person;
let globex: Person;
beforeAll(async () => {
  smtp = await startSmtp();
  service = await openBareService({
    SVC_OPEN_SIGNUP: "true",
    SVC_SMTP_URL: smtp.url,
    SVC_MAIL_FROM: "svc <svc@acme.test>",
  });
  acme = await signUp(service.url, "admin@acme.test");
  globex = await signUp(service.url, "admin@globex.test");
});
afterAll(async () => {
  await service.stop();
  await smtp.stop();
});

let serial = 0;
const address = () => `person-${++serial}@acme.test`;
const ask = (more: Partial<Ask> & { path: string }) => send(service.url, { method: "GET", ...more });
const signIn = (email: string, password = PASSWORD, more: Record<string, unknown> = {}) =>
  ask({ method: "POST", path: "/api/auth/sign-in/email", json: { email, password, ...more } });
const clientWith = (cookie: string) => createClient({ baseUrl: service.url, cookie, retries: 0 });
const organizationOf = ({ session }: Person) => session.organization;

/** Signs a person up at Acme and makes them a member of Globex too. */
async function inBoth(role: "admin" | "member" | "viewer" = "member"): Promise<Person> {
  const person = await join(service.url, acme.client, address(), role);
  const { token } = await globex.client.invitations.create({ email: person.email, role });
  await person.client.invitations.accept({ token });
  return person;
}

/** Returns the newest token that was sent to the address. */
async function mailedTokens(email: string, count = 1): Promise<string[]> {
  const mails = await until("the mail has arrived", () => {
    const received = smtp.mailsTo(email);
    return received.length >= count && received;
  });
  const text = mails.at(-1)!.data.replaceAll("=\n", "").replaceAll("=3D", "=");
  return [...text.matchAll(/\/(?:invitation|reset)\/([\w-]{43})\b/g)].map(([, token]) => token!);
}

describe("several organizations", () => {
  test("a person accepts an invitation while signed in, and the session names all organizations", async () => {
    const person = await inBoth("viewer");
    const session = await person.client.accounts.session();
    expect(session.organization).toEqual(organizationOf(acme));
    expect(session.organizations).toEqual([
      { ...organizationOf(acme), role: "viewer" },
      { ...organizationOf(globex), role: "viewer" },
    ]);
  });

  test("a session switches its organization, and sees only that one's records afterwards", async () => {
    const person = await inBoth("admin");
    const switched = await person.client.accounts.switchOrganization({
      organization_id: organizationOf(globex).id,
    });
    expect(switched.organization).toEqual(organizationOf(globex));
    expect((await person.client.organization.get()).organization.id).toBe(organizationOf(globex).id);
    const emails = (await person.client.members.list()).members.map(({ email }) => email);
    expect(emails).toContain(globex.email);
    expect(emails).not.toContain(acme.email);
  });

  test("a header names another organization of the person for one request, and no organization of others", async () => {
    const person = await inBoth();
    const read = (organizationId: string) =>
      ask({ path: "/v1/organization", cookie: person.cookie, headers: { [ORGANIZATION_HEADER]: organizationId } });
    const named = jsonOf<{ organization: { id: string } }>(await read(organizationOf(globex).id));
    expect(named.organization.id).toBe(organizationOf(globex).id);
    expect((await person.client.organization.get()).organization.id).toBe(organizationOf(acme).id);
    const stranger = await signUp(service.url, address());
    expectRefusal(await read(organizationOf(stranger).id), "not_authenticated");
    expectRefusal(await read("org_06ft2v8xk3n9q4w7r1y5z0abcd"), "not_authenticated");
  });

  test("a role holds in its organization only", async () => {
    const person = await join(service.url, acme.client, address(), "viewer");
    const { token } = await globex.client.invitations.create({ email: person.email, role: "admin" });
    await person.client.invitations.accept({ token });
    const invite = (organizationId: string) =>
      ask({
        method: "POST",
        path: "/v1/invitations",
        cookie: person.cookie,
        headers: { [ORGANIZATION_HEADER]: organizationId },
        json: { email: address(), role: "viewer" },
      });
    expectRefusal(await invite(organizationOf(acme).id), "not_permitted");
    expect((await invite(organizationOf(globex).id)).status).toBe(201);
    await globex.client.members.edit({ userId: person.session.user.id, role: "viewer" });
    await acme.client.members.edit({ userId: person.session.user.id, role: "admin" });
    expect((await invite(organizationOf(acme).id)).status).toBe(201);
    expectRefusal(await invite(organizationOf(globex).id), "not_permitted");
  });

  test("a key stays in the organization of its session, and the header does not move it", async () => {
    const person = await inBoth();
    const reply = await ask({
      path: "/v1/organization",
      key: person.key,
      headers: { [ORGANIZATION_HEADER]: organizationOf(globex).id },
    });
    expect(jsonOf<{ organization: { id: string } }>(reply).organization.id).toBe(organizationOf(acme).id);
  });

  test("a removed person keeps the other organization; the keys and sessions of the one die at once and stay dead", async () => {
    const person = await inBoth();
    const elsewhere = cookieOf(await signIn(person.email, PASSWORD, { organization_id: organizationOf(globex).id }));
    const { secret: otherKey } = await clientWith(elsewhere).keys.create({ name: "of globex" });
    await acme.client.members.remove({ userId: person.session.user.id });
    expectRefusal(await ask({ path: "/v1/organization", key: person.key }), "not_authenticated");
    expectRefusal(await ask({ path: "/v1/organization", cookie: person.cookie }), "not_authenticated");
    expect((await ask({ path: "/v1/organization", key: otherKey })).status).toBe(200);
    expect((await clientWith(elsewhere).accounts.session()).organizations).toEqual([
      { ...organizationOf(globex), role: "member" },
    ]);
    expectRefusal(
      await ask({
        path: "/v1/organization",
        cookie: elsewhere,
        headers: { [ORGANIZATION_HEADER]: organizationOf(acme).id },
      }),
      "not_authenticated",
    );
    const { token } = await acme.client.invitations.create({ email: person.email, role: "admin" });
    await clientWith(elsewhere).invitations.accept({ token });
    expectRefusal(await ask({ path: "/v1/organization", key: person.key }), "not_authenticated");
  });

  test("a person leaves an organization, and the last admin of one does not", async () => {
    const person = await inBoth();
    await person.client.accounts.leaveOrganization({ organizationId: organizationOf(globex).id });
    expect((await person.client.accounts.session()).organizations).toHaveLength(1);
    const founder = await signUp(service.url, address());
    const leave = { organizationId: organizationOf(founder).id };
    await expect(founder.client.accounts.leaveOrganization(leave)).rejects.toMatchObject({ code: "conflict" });
    await expect(founder.client.accounts.deleteUser({ password: PASSWORD })).rejects.toMatchObject({
      code: "conflict",
    });
    const second = await join(service.url, founder.client, address(), "admin");
    await founder.client.accounts.leaveOrganization(leave);
    expectRefusal(await signIn(founder.email), "not_authenticated");
    expect((await second.client.members.list()).members).toHaveLength(1);
  });

  test("when both admins leave at once, one stays", async () => {
    const one = await signUp(service.url, address());
    const other = await join(service.url, one.client, address(), "admin");
    const leave = { organizationId: organizationOf(one).id };
    const outcomes = await Promise.allSettled([
      one.client.accounts.leaveOrganization(leave),
      other.client.accounts.leaveOrganization(leave),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("deleting the account needs the password and revokes its keys everywhere", async () => {
    const person = await inBoth();
    await person.client.accounts.deleteUser({ password: PASSWORD });
    expectRefusal(await signIn(person.email), "not_authenticated");
    expectRefusal(await ask({ path: "/v1/organization", key: person.key }), "not_authenticated");
  });
});

describe("invitations", () => {
  const preview = (token: string) => ask({ method: "POST", path: "/v1/invitations/preview", json: { token } });

  test("the holder of a token sees the organization, the inviter, the role and the address, and nothing else", async () => {
    const email = address();
    const { token, invitation } = await acme.client.invitations.create({ email, role: "member" });
    expect(jsonOf(await preview(token))).toEqual({
      invitation: {
        organization: { name: organizationOf(acme).name },
        inviter: { name: "admin" },
        email,
        role: "member",
        expiresAt: invitation.expiresAt,
      },
    });
  });

  test("a used, a withdrawn and a replaced token answer as an unknown one", async () => {
    const unknown = await preview("nonsense");
    expectRefusal(unknown, "not_found");
    expect(jsonOf<{ message: string }>(unknown).message).toContain("Ask an admin for a new one");
    const { token: used } = await acme.client.invitations.create({ email: "used@acme.test", role: "viewer" });
    await signUp(service.url, "used@acme.test", used);
    const { token: withdrawn, invitation } = await acme.client.invitations.create({ email: address(), role: "viewer" });
    await acme.client.invitations.revoke({ invitationId: invitation.id });
    const email = address();
    const { token: replaced } = await acme.client.invitations.create({ email, role: "admin" });
    await acme.client.invitations.create({ email, role: "viewer" });
    for (const token of [used, withdrawn, replaced]) expect((await preview(token)).text).toBe(unknown.text);
    const open = (await acme.client.invitations.list({ pageSize: 200 })).invitations;
    expect(open.filter((one) => one.email === email)).toMatchObject([{ role: "viewer" }]);
  });

  test("guesses of a token are limited by the network of the client", async () => {
    const from = freshAddress();
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        ask({
          method: "POST",
          path: "/v1/invitations/preview",
          json: { token: `guess ${at}` },
          headers: { "x-forwarded-for": from },
        }),
      ),
    );
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(30);
    expectRefusal(
      replies.find(({ status }) => status === 429)!,
      "too_many_requests",
    );
  });

  test("one invitation accepted twice at once makes one member", async () => {
    const person = await join(service.url, acme.client, address(), "viewer");
    const { token } = await globex.client.invitations.create({ email: person.email, role: "viewer" });
    const accept = { method: "POST", path: "/v1/invitations/accept", cookie: person.cookie, json: { token } };
    const statuses = (await Promise.all([ask(accept), ask(accept)])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect((await person.client.accounts.session()).organizations).toHaveLength(2);
  });

  test("a service with mail sends the token to the address, and the token works", async () => {
    const email = address();
    await acme.client.invitations.create({ email, role: "viewer" });
    const [token] = await mailedTokens(email);
    expect((await signUp(service.url, email, token)).session.organization).toEqual(organizationOf(acme));
  });
});

describe("an address that a stranger occupies", () => {
  test("the invited person gets in with a separate account, and nobody's account changes hands", async () => {
    const email = address();
    const squatter = await signUp(service.url, email);
    const { token } = await acme.client.invitations.create({ email, role: "member" });
    const signingUp = { name: "Owner", email, password: NEW_PASSWORD, invitation_token: token };
    const refused = await ask({ method: "POST", path: "/api/auth/sign-up/email", json: signingUp });
    expect(expectRefusal(refused, "conflict")).toMatchObject({
      message: expect.stringContaining("separate_account"),
      details: { missing: "separate_account" },
    });
    const separate = { ...signingUp, separate_account: true };
    const reply = await ask({ method: "POST", path: "/api/auth/sign-up/email", json: separate });
    const session = jsonOf<SessionAnswer>(reply);
    expect(session).toMatchObject({ user: { email }, organizations: [{ ...organizationOf(acme), role: "member" }] });
    expect(session.user.id).not.toBe(squatter.session.user.id);

    const [theirs, owners] = [await signIn(email), await signIn(email, NEW_PASSWORD)];
    expect(jsonOf<SessionAnswer>(theirs).organizations).toEqual(squatter.session.organizations);
    expect(jsonOf<SessionAnswer>(owners).user.id).toBe(session.user.id);
    expect((await ask({ path: "/v1/organization", key: squatter.key })).status).toBe(200);
    expectRefusal(await signIn(email, "neither password"), "not_authenticated");
  });

  test("an admin who invites somebody's address gets no access to their account and takes none away", async () => {
    const victim = await signUp(service.url, address());
    const { token } = await globex.client.invitations.create({ email: victim.email, role: "viewer" });
    const json = { name: "x", email: victim.email, password: NEW_PASSWORD, invitation_token: token };
    const path = "/api/auth/sign-up/email";
    expect((await ask({ method: "POST", path, json: { ...json, separate_account: true } })).status).toBe(201);
    expect(jsonOf<SessionAnswer>(await signIn(victim.email))).toMatchObject({ user: victim.session.user });
    expect((await ask({ path: "/v1/organization", cookie: victim.cookie })).status).toBe(200);
    expect(jsonOf<SessionAnswer>(await signIn(victim.email, NEW_PASSWORD)).organizations).toMatchObject([
      organizationOf(globex),
    ]);
  });

  test("the owner of the mailbox proves the address by mail, and other accounts of the address sign in no more", async () => {
    const email = address();
    await signUp(service.url, email);
    const { token } = await acme.client.invitations.create({ email, role: "member" });
    const json = { name: "Owner", email, password: NEW_PASSWORD, invitation_token: token, separate_account: true };
    await ask({ method: "POST", path: "/api/auth/sign-up/email", json });
    await ask({ method: "POST", path: "/api/auth/request-password-reset", json: { email } });
    const tokens = await mailedTokens(email, 2);
    expect(tokens).toHaveLength(2);
    const set = (value: string, password: string) =>
      ask({ method: "POST", path: "/api/auth/reset-password", json: { token: value, new_password: password } });
    expect((await set(tokens[1]!, "password of the owner")).status).toBe(204);
    expectRefusal(await signIn(email), "not_authenticated");
    expect(jsonOf<SessionAnswer>(await signIn(email, "password of the owner")).organizations).toMatchObject([
      organizationOf(acme),
    ]);
    const { token: second } = await globex.client.invitations.create({ email, role: "viewer" });
    const again = await ask({
      method: "POST",
      path: "/api/auth/sign-up/email",
      json: { ...json, invitation_token: second },
    });
    expectRefusal(again, "conflict");
  });

  test("an address has a bounded number of accounts", async () => {
    const email = address();
    await signUp(service.url, email);
    const statuses: number[] = [];
    for (let at = 1; at <= LIMITS.accountsPerAddress; at++) {
      const founder = await signUp(service.url, address());
      const { token } = await founder.client.invitations.create({ email, role: "viewer" });
      const json = { name: "x", email, password: `${NEW_PASSWORD} ${at}`, invitation_token: token };
      const reply = await ask({
        method: "POST",
        path: "/api/auth/sign-up/email",
        json: { ...json, separate_account: true },
      });
      statuses.push(reply.status);
    }
    expect(statuses).toEqual([...Array.from({ length: LIMITS.accountsPerAddress - 1 }, () => 201), 409]);
  });
});

describe("passwords and sessions", () => {
  test("a new password needs the current one, and ends the other sessions when the person wishes it", async () => {
    const person = await join(service.url, acme.client, address(), "viewer");
    const other = cookieOf(await signIn(person.email));
    await expect(
      person.client.accounts.changePassword({ current_password: "not it", new_password: NEW_PASSWORD }),
    ).rejects.toMatchObject({ code: "not_permitted" });
    await person.client.accounts.changePassword({ current_password: PASSWORD, new_password: NEW_PASSWORD });
    expect((await ask({ path: "/api/auth/get-session", cookie: other })).status).toBe(200);
    await person.client.accounts.changePassword({
      current_password: NEW_PASSWORD,
      new_password: PASSWORD,
      revoke_other_sessions: true,
    });
    expectRefusal(await ask({ path: "/api/auth/get-session", cookie: other }), "not_authenticated");
    expect((await person.client.accounts.session()).user).toEqual(person.session.user);
    expectRefusal(await signIn(person.email, NEW_PASSWORD), "not_authenticated");
    expect((await signIn(person.email)).status).toBe(200);
  });

  test("a person sees their sessions, ends one of them, and signs out everywhere; keys keep working", async () => {
    const person = await join(service.url, acme.client, address(), "viewer");
    const other = cookieOf(await signIn(person.email));
    const { sessions } = await person.client.accounts.listSessions();
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    expect(sessions).toHaveLength(2);
    await person.client.accounts.revokeSession({ session_id: sessions.find(({ current }) => !current)!.id });
    expectRefusal(await ask({ path: "/api/auth/get-session", cookie: other }), "not_authenticated");
    const third = cookieOf(await signIn(person.email));
    await person.client.accounts.revokeSessions();
    for (const cookie of [person.cookie, third])
      expectRefusal(await ask({ path: "/api/auth/get-session", cookie }), "not_authenticated");
    expect((await ask({ path: "/v1/organization", key: person.key })).status).toBe(200);
  });

  test("a forgotten password is reset by mail, once, and all sessions end", async () => {
    const person = await join(service.url, acme.client, address(), "viewer");
    const request = (email: string) =>
      ask({ method: "POST", path: "/api/auth/request-password-reset", json: { email } });
    const [known, unknown] = [await request(person.email), await request("nobody@acme.test")];
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
    const [token] = await mailedTokens(person.email, 2);
    const use = () =>
      ask({ method: "POST", path: "/api/auth/reset-password", json: { token, new_password: NEW_PASSWORD } });
    const replies = await Promise.all([use(), use()]);
    expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([204, 403]);
    expectRefusal(await use(), "not_permitted");
    expectRefusal(await ask({ path: "/api/auth/get-session", cookie: person.cookie }), "not_authenticated");
    expect((await signIn(person.email, NEW_PASSWORD)).status).toBe(200);
    expect(smtp.mailsTo("nobody@acme.test")).toEqual([]);
  });

  test("an admin creates a one-time token for a member, who sets a new password with it", async () => {
    const person = await join(service.url, acme.client, address(), "member");
    const { token } = await acme.client.members.resetPassword({ userId: person.session.user.id });
    const json = { token, new_password: NEW_PASSWORD };
    expect((await ask({ method: "POST", path: "/api/auth/reset-password", json })).status).toBe(204);
    expectRefusal(await ask({ method: "POST", path: "/api/auth/reset-password", json }), "not_permitted");
    expect((await signIn(person.email, NEW_PASSWORD)).status).toBe(200);
  });

  test("an admin gets no token for a person of two organizations, and an earlier token dies when they join another", async () => {
    const both = await inBoth();
    await expect(acme.client.members.resetPassword({ userId: both.session.user.id })).rejects.toMatchObject({
      code: "conflict",
    });
    const person = await join(service.url, acme.client, address(), "member");
    const { token } = await acme.client.members.resetPassword({ userId: person.session.user.id });
    const { token: invitation } = await globex.client.invitations.create({ email: person.email, role: "viewer" });
    await person.client.invitations.accept({ token: invitation });
    const json = { token, new_password: NEW_PASSWORD };
    expectRefusal(await ask({ method: "POST", path: "/api/auth/reset-password", json }), "not_permitted");
    await acme.client.members.remove({ userId: person.session.user.id });
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
    const person = await join(service.url, acme.client, address(), "member");
    const { token: reset } = await acme.client.members.resetPassword({ userId: person.session.user.id });
    const { token: invitation } = await acme.client.invitations.create({ email: address(), role: "viewer" });
    const session = decodeURIComponent(person.cookie.split("=")[1]!).split(".")[0]!;
    const files = readdirSync(service.dataDir, { recursive: true, encoding: "utf8" })
      .map((file) => joinPath(service.dataDir, file))
      .filter((file) => statSync(file).isFile());
    const contents = files.map((file) => readFileSync(file));
    for (const secret of [session, reset, invitation]) {
      expect(secret.length).toBeGreaterThan(20);
      expect(contents.filter((content) => content.includes(secret))).toEqual([]);
    }
  });
});

describe("limits of sign-in", () => {
  test("guesses at one account slow down on their network; the owner elsewhere and other accounts are not affected", async () => {
    const [victim, other] = [
      await join(service.url, acme.client, address(), "viewer"),
      await join(service.url, acme.client, address(), "viewer"),
    ];
    const from = (address: string, email: string, password: string) =>
      ask({
        method: "POST",
        path: "/api/auth/sign-in/email",
        json: { email, password },
        headers: { "x-forwarded-for": address },
      });
    // A busy machine may outlive a short wait. Each round guesses from a network with a limit of requests that is still unused,
    // and one wrong guess more doubles the wait.
    let round = 0;
    const slowed = await until("the right password is refused during a wait", async () => {
      const network = `2001:db8:42:${++round}`;
      for (let wrong = 0; wrong < 5 + round;) {
        const guess = await from(`${network}::${wrong + 1}`, victim.email, `guess ${wrong}`);
        if (guess.status === 401) {
          wrong++;
          continue;
        }
        expectRefusal(guess, "too_many_requests");
        await setTimeout(1000 * Number(guess.headers.get("retry-after")));
      }
      const right = await from(`${network}::99`, victim.email, PASSWORD);
      if (right.status === 200) return false;
      expect(expectRefusal(right, "too_many_requests").message).toContain("wrong passwords for this account");
      return network;
    });
    expect((await from("2001:db8:43:1::1", victim.email, PASSWORD)).status).toBe(200);
    expect((await from(`${slowed}::1`, other.email, PASSWORD)).status).toBe(200);
  });

  test("the wait doubles with each wrong password up to 15 minutes, ends, and is gone after the right one", () => {
    const attempts = createAttempts();
    const begin = (now: number) => {
      try {
        attempts.begin("a", now);
        return 0;
      } catch (error) {
        return (error as { retryAfterSeconds: number }).retryAfterSeconds;
      }
    };
    for (let free = 0; free < 5; free++) expect(begin(0)).toBe(0);
    let now = 0;
    const waits: number[] = [];
    for (let at = 0; at < 15; at++) {
      expect(begin(now)).toBe(0);
      waits.push(begin(now + 0.5));
      now += waits.at(-1)! * 1000 + 1;
    }
    expect(waits.slice(0, 4)).toEqual([1, 2, 4, 8]);
    expect(Math.max(...waits)).toBe(900);
    attempts.succeed("a");
    expect([begin(now), begin(now), begin(now)]).toEqual([0, 0, 0]);
  });

  test.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002:ffff::1", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::192.0.2.7", "64:ff9b:0:0::/64"],
  ])("the address %s counts as the network %s", (text, block) => {
    expect(blockOf(text)).toBe(block);
  });

  test("a limit never asks for a longer wait than its window", () => {
    for (let start = 1; start < 100_000; start = start * 1.7 + 0.1) {
      const limit = createRateLimit(1);
      expect(limit.count("a", start).resetSeconds).toBeLessThanOrEqual(60);
    }
  });
});

describe("an unclaimed instance", () => {
  const claim = (url: string, host: string): Ask => ({
    ...signUpAsk("founder@acme.test"),
    headers: { host, "x-svc": url },
  });

  test("only local host names and the configured address claim it, so that a page under a rebound name cannot", async () => {
    const bare = await openBareService({ SVC_BASE_URL: "https://voice.acme.test" });
    const { request } = await import("node:http");
    const status = (host: string, forwarded?: string) =>
      new Promise<number>((resolve, reject) => {
        const { json, path, method } = claim(bare.url, host);
        const headers = {
          host,
          "content-type": "application/json",
          ...(forwarded !== undefined && { "x-forwarded-host": forwarded }),
        };
        const sent = request(`${bare.url}${path}`, { method, headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode!);
        });
        sent.on("error", reject);
        sent.end(JSON.stringify(json));
      });
    for (const host of ["evil.test", "evil.test:3100", "localhost.evil.test", "127.0.0.1.evil.test"])
      expect([host, await status(host)]).toEqual([host, 403]);
    expect(await status("evil.test", "localhost")).toBe(403);
    expect(jsonOf(await send(bare.url, { method: "GET", path: "/api/instance" }))).toEqual({
      claimed: false,
      open_sign_up: false,
      mail: false,
    });
    expect(await status("voice.acme.test")).toBe(201);
    expect(jsonOf(await send(bare.url, { method: "GET", path: "/api/instance" }))).toMatchObject({ claimed: true });
    await bare.stop();
  });
});

describe("the origin of a session's request", () => {
  const write = (cookie: string, origin: string, more: Record<string, string> = {}): Ask => ({
    method: "POST",
    path: "/api/keys",
    json: {},
    headers: { cookie, origin, ...more },
  });

  test("another scheme is another origin, and a trusted proxy names the scheme", async () => {
    const https = service.url.replace("http:", "https:");
    expectRefusal(await send(service.url, write(acme.cookie, https)), "not_permitted");
    expect((await send(service.url, write(acme.cookie, service.url))).status).toBe(201);
    const proxied = { "x-forwarded-proto": "https" };
    expect((await send(service.url, write(acme.cookie, https, proxied))).status).toBe(201);
    expectRefusal(await send(service.url, write(acme.cookie, "http://elsewhere.test", proxied)), "not_permitted");
  });
});

test("a key's last use is its last successful one", async () => {
  const viewer = await join(service.url, acme.client, address(), "viewer");
  const lastUse = async () => {
    const { keys } = await acme.client.keys.list();
    return keys.find(({ created_by_user_id }) => created_by_user_id === viewer.session.user.id)!.last_used_at;
  };
  expectRefusal(await ask({ path: "/v1/members", key: viewer.key }), "not_permitted");
  expectRefusal(await ask({ path: "/api/tests/none", key: viewer.key }), "not_found");
  expect(await lastUse()).toBeNull();
  expect((await ask({ path: "/v1/organization", key: viewer.key })).status).toBe(200);
  expect(await lastUse()).not.toBeNull();
});
