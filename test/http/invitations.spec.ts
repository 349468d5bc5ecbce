import { LIMITS, type Session } from "@svc/contract";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { join, signUp, type Person } from "../support/people.ts";
import { expectRefusal, freshAddress, jsonOf } from "../support/request.ts";
import { useTwoOrganizations } from "../support/two-organizations.ts";

type SessionAnswer = z.infer<typeof Session>;

const NEW_PASSWORD = "another long password";
const world = useTwoOrganizations();
const { address, ask, mailedTokens, signIn } = world;
const organizationOf = ({ session }: Person) => session.organization;

describe("invitations", () => {
  const preview = (token: string) => ask({ method: "POST", path: "/v1/invitations/preview", json: { token } });

  test("the holder of a token sees the organization, the inviter, the role and the address, and nothing else", async () => {
    const email = address();
    const { token, invitation } = await world.acme.client.invitations.create({ email, role: "member" });
    expect(jsonOf(await preview(token))).toEqual({
      invitation: {
        organization: { name: organizationOf(world.acme).name },
        inviter: { name: "admin" },
        email,
        role: "member",
        expiresAt: invitation.expiresAt,
      },
    });
  });

  test("a token of an invitation that is used, withdrawn or replaced gets the answer to an unknown token", async () => {
    const unknown = await preview("nonsense");
    expectRefusal(unknown, "not_found");
    expect(jsonOf<{ message: string }>(unknown).message).toContain("Ask an admin for a new one");
    const { token: used } = await world.acme.client.invitations.create({ email: "used@acme.test", role: "viewer" });
    await signUp(world.service.url, "used@acme.test", used);
    const { token: withdrawn, invitation } = await world.acme.client.invitations.create({
      email: address(),
      role: "viewer",
    });
    await world.acme.client.invitations.revoke({ invitationId: invitation.id });
    const email = address();
    const { token: replaced } = await world.acme.client.invitations.create({ email, role: "admin" });
    await world.acme.client.invitations.create({ email, role: "viewer" });
    for (const token of [used, withdrawn, replaced]) expect((await preview(token)).text).toBe(unknown.text);
    const open = (await world.acme.client.invitations.list({ pageSize: 200 })).invitations;
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
    const person = await join(world.service.url, world.acme.client, address(), "viewer");
    const { token } = await world.globex.client.invitations.create({ email: person.email, role: "viewer" });
    const accept = { method: "POST", path: "/v1/invitations/accept", cookie: person.cookie, json: { token } };
    const statuses = (await Promise.all([ask(accept), ask(accept)])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect((await person.client.accounts.session()).organizations).toHaveLength(2);
  });

  test("a service with mail sends the token to the address, and the token works", async () => {
    const email = address();
    await world.acme.client.invitations.create({ email, role: "viewer" });
    const [token] = await mailedTokens(email);
    expect((await signUp(world.service.url, email, token)).session.organization).toEqual(organizationOf(world.acme));
  });
});

describe("an address that a stranger occupies", () => {
  test("the invited person gets in with a separate account, and nobody's account changes hands", async () => {
    const email = address();
    const squatter = await signUp(world.service.url, email);
    const { token } = await world.acme.client.invitations.create({ email, role: "member" });
    const signingUp = { name: "Owner", email, password: NEW_PASSWORD, invitation_token: token };
    const refused = await ask({ method: "POST", path: "/api/auth/sign-up/email", json: signingUp });
    expect(expectRefusal(refused, "conflict")).toMatchObject({
      message: expect.stringContaining("separate_account"),
      details: { missing: "separate_account" },
    });
    const separate = { ...signingUp, separate_account: true };
    const reply = await ask({ method: "POST", path: "/api/auth/sign-up/email", json: separate });
    const session = jsonOf<SessionAnswer>(reply);
    expect(session).toMatchObject({
      user: { email },
      organizations: [{ ...organizationOf(world.acme), role: "member" }],
    });
    expect(session.user.id).not.toBe(squatter.session.user.id);

    const [theirs, owners] = [await signIn(email), await signIn(email, NEW_PASSWORD)];
    expect(jsonOf<SessionAnswer>(theirs).organizations).toEqual(squatter.session.organizations);
    expect(jsonOf<SessionAnswer>(owners).user.id).toBe(session.user.id);
    expect((await ask({ path: "/v1/organization", key: squatter.key })).status).toBe(200);
    expectRefusal(await signIn(email, "neither password"), "not_authenticated");
  });

  test("an admin who invites somebody's address gets no access to their account and takes none away", async () => {
    const victim = await signUp(world.service.url, address());
    const { token } = await world.globex.client.invitations.create({ email: victim.email, role: "viewer" });
    const json = { name: "x", email: victim.email, password: NEW_PASSWORD, invitation_token: token };
    const path = "/api/auth/sign-up/email";
    expect((await ask({ method: "POST", path, json: { ...json, separate_account: true } })).status).toBe(201);
    expect(jsonOf<SessionAnswer>(await signIn(victim.email))).toMatchObject({ user: victim.session.user });
    expect((await ask({ path: "/v1/organization", cookie: victim.cookie })).status).toBe(200);
    expect(jsonOf<SessionAnswer>(await signIn(victim.email, NEW_PASSWORD)).organizations).toMatchObject([
      organizationOf(world.globex),
    ]);
  });

  test("the owner of the mailbox proves the address by mail, and other accounts of the address sign in no more", async () => {
    const email = address();
    await signUp(world.service.url, email);
    const { token } = await world.acme.client.invitations.create({ email, role: "member" });
    const json = { name: "Owner", email, password: NEW_PASSWORD, invitation_token: token, separate_account: true };
    await ask({ method: "POST", path: "/api/auth/sign-up/email", json });
    await ask({ method: "POST", path: "/api/auth/request-password-reset", json: { email } });
    const tokens = await mailedTokens(email, 2);
    expect(tokens).toHaveLength(2);
    const set = (value: string, password: string) =>
      ask({ method: "POST", path: "/api/auth/reset-password", json: { token: value, new_password: password } });
    expect((await set(tokens[1]!, "password of the owner")).status).toBe(200);
    expectRefusal(await signIn(email), "not_authenticated");
    expect(jsonOf<SessionAnswer>(await signIn(email, "password of the owner")).organizations).toMatchObject([
      organizationOf(world.acme),
    ]);
    const { token: second } = await world.globex.client.invitations.create({ email, role: "viewer" });
    const again = await ask({
      method: "POST",
      path: "/api/auth/sign-up/email",
      json: { ...json, invitation_token: second },
    });
    expectRefusal(again, "conflict");
  });

  test("an email address has a limited number of accounts", async () => {
    const email = address();
    await signUp(world.service.url, email);
    const statuses: number[] = [];
    for (let at = 1; at <= LIMITS.accountsPerAddress; at++) {
      const founder = await signUp(world.service.url, address());
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
