import { LIMITS, ORGANIZATION_HEADER } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { cookieOf, join, PASSWORD, signUp, type Person } from "../support/people.ts";
import { expectRefusal, jsonOf } from "../support/request.ts";
import { useTwoOrganizations } from "../support/two-organizations.ts";

const world = useTwoOrganizations();
const { address, ask, clientWith, inBoth, signIn } = world;
const organizationOf = ({ session }: Person) => session.organization;

describe("several organizations", () => {
  test("a person accepts an invitation while signed in, and the session names all organizations", async () => {
    const person = await inBoth("viewer");
    const session = await person.client.accounts.session();
    expect(session.organization).toEqual(organizationOf(world.acme));
    expect(session.organizations).toEqual([
      { ...organizationOf(world.acme), role: "viewer" },
      { ...organizationOf(world.globex), role: "viewer" },
    ]);
  });

  test("a session switches its organization, and sees only that one's records afterwards", async () => {
    const person = await inBoth("admin");
    const switched = await person.client.accounts.switchOrganization({
      organization_id: organizationOf(world.globex).id,
    });
    expect(switched.organization).toEqual(organizationOf(world.globex));
    expect((await person.client.organization.get()).organization.id).toBe(organizationOf(world.globex).id);
    const emails = (await person.client.members.list()).members.map(({ email }) => email);
    expect(emails).toContain(world.globex.email);
    expect(emails).not.toContain(world.acme.email);
  });

  test("a header names another organization of the person for one request, and no organization of others", async () => {
    const person = await inBoth();
    const read = (organizationId: string) =>
      ask({ path: "/v1/organization", cookie: person.cookie, headers: { [ORGANIZATION_HEADER]: organizationId } });
    const named = jsonOf<{ organization: { id: string } }>(await read(organizationOf(world.globex).id));
    expect(named.organization.id).toBe(organizationOf(world.globex).id);
    expect((await person.client.organization.get()).organization.id).toBe(organizationOf(world.acme).id);
    const stranger = await signUp(world.service.url, address());
    expectRefusal(await read(organizationOf(stranger).id), "not_authenticated");
    expectRefusal(await read("org_06ft2v8xk3n9q4w7r1y5z0abcd"), "not_authenticated");
  });

  test("a person's role in one organization gives no right in another", async () => {
    const person = await join(world.service.url, world.acme.client, address(), "viewer");
    const { token } = await world.globex.client.invitations.create({ email: person.email, role: "admin" });
    await person.client.invitations.accept({ token });
    const invite = (organizationId: string) =>
      ask({
        method: "POST",
        path: "/v1/invitations",
        cookie: person.cookie,
        headers: { [ORGANIZATION_HEADER]: organizationId },
        json: { email: address(), role: "viewer" },
      });
    expectRefusal(await invite(organizationOf(world.acme).id), "not_permitted");
    expect((await invite(organizationOf(world.globex).id)).status).toBe(201);
    await world.globex.client.members.edit({ userId: person.session.user.id, role: "viewer" });
    await world.acme.client.members.edit({ userId: person.session.user.id, role: "admin" });
    expect((await invite(organizationOf(world.acme).id)).status).toBe(201);
    expectRefusal(await invite(organizationOf(world.globex).id), "not_permitted");
  });

  test("a key stays in the organization of its session, and the header does not move it", async () => {
    const person = await inBoth();
    const reply = await ask({
      path: "/v1/organization",
      key: person.key,
      headers: { [ORGANIZATION_HEADER]: organizationOf(world.globex).id },
    });
    expect(jsonOf<{ organization: { id: string } }>(reply).organization.id).toBe(organizationOf(world.acme).id);
  });

  test("a removed person keeps the other organization; the keys and sessions of the one die at once and stay dead", async () => {
    const person = await inBoth();
    const elsewhere = cookieOf(
      await signIn(person.email, PASSWORD, { organization_id: organizationOf(world.globex).id }),
    );
    const { secret: otherKey } = await clientWith(elsewhere).keys.create({ name: "of globex" });
    await world.acme.client.members.remove({ userId: person.session.user.id });
    expectRefusal(await ask({ path: "/v1/organization", key: person.key }), "not_authenticated");
    expectRefusal(await ask({ path: "/v1/organization", cookie: person.cookie }), "not_authenticated");
    expect((await ask({ path: "/v1/organization", key: otherKey })).status).toBe(200);
    expect((await clientWith(elsewhere).accounts.session()).organizations).toEqual([
      { ...organizationOf(world.globex), role: "member" },
    ]);
    expectRefusal(
      await ask({
        path: "/v1/organization",
        cookie: elsewhere,
        headers: { [ORGANIZATION_HEADER]: organizationOf(world.acme).id },
      }),
      "not_authenticated",
    );
    const { token } = await world.acme.client.invitations.create({ email: person.email, role: "admin" });
    await clientWith(elsewhere).invitations.accept({ token });
    expectRefusal(await ask({ path: "/v1/organization", key: person.key }), "not_authenticated");
  });

  test("a person leaves an organization, and the last admin of one does not", async () => {
    const person = await inBoth();
    const left = await ask({
      method: "POST",
      path: "/v1/account/leave-organization",
      cookie: person.cookie,
      headers: { [ORGANIZATION_HEADER]: organizationOf(world.globex).id },
    });
    expect(left.status).toBe(204);
    expect((await person.client.accounts.session()).organizations).toHaveLength(1);
    const founder = await signUp(world.service.url, address());
    await expect(founder.client.accounts.leaveOrganization()).rejects.toMatchObject({ code: "conflict" });
    await expect(founder.client.accounts.deleteUser({ password: PASSWORD })).rejects.toMatchObject({
      code: "conflict",
    });
    const second = await join(world.service.url, founder.client, address(), "admin");
    await founder.client.accounts.leaveOrganization();
    expectRefusal(await signIn(founder.email), "not_authenticated");
    expect((await second.client.members.list()).members).toHaveLength(1);
  });

  test("when both admins leave at once, one stays", async () => {
    const one = await signUp(world.service.url, address());
    const other = await join(world.service.url, one.client, address(), "admin");
    const outcomes = await Promise.allSettled([
      one.client.accounts.leaveOrganization(),
      other.client.accounts.leaveOrganization(),
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

test("a person changes their name, and every organization of the person shows it", async () => {
  const person = await inBoth();
  const session = await person.client.accounts.editUser({ name: " Ana Silva " });
  expect(session).toEqual({ ...(await person.client.accounts.session()), expiresAt: session.expiresAt });
  expect(session.user).toMatchObject({ id: person.session.user.id, name: "Ana Silva", email: person.email });
  for (const { client } of [world.acme, world.globex]) {
    const { members } = await client.members.list({ pageSize: 200 });
    expect(members.find(({ userId }) => userId === session.user.id)!.name).toBe("Ana Silva");
  }
  const write = (json: unknown, more: object = { cookie: person.cookie }) =>
    ask({ method: "POST", path: "/api/auth/update-user", json, ...more });
  for (const name of ["", "  ", "a".repeat(LIMITS.nameCharacters + 1)])
    expect((await write({ name })).status).toBeGreaterThanOrEqual(400);
  expectRefusal(await write({ name: "x" }, { key: person.key }), "not_authenticated");
});

test("a key's last use is its last successful one", async () => {
  const viewer = await join(world.service.url, world.acme.client, address(), "viewer");
  const lastUse = async () => {
    const { keys } = await world.acme.client.keys.list();
    return keys.find(({ created_by_user_id }) => created_by_user_id === viewer.session.user.id)!.last_used_at;
  };
  expectRefusal(await ask({ path: "/v1/members", key: viewer.key }), "not_permitted");
  expectRefusal(await ask({ path: "/api/tests/none", key: viewer.key }), "not_found");
  expect(await lastUse()).toBeNull();
  expect((await ask({ path: "/v1/organization", key: viewer.key })).status).toBe(200);
  expect(await lastUse()).not.toBeNull();
});
