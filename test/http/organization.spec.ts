import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { join, signUpAsk } from "../support/people.ts";
import { expectRefusal, send } from "../support/request.ts";
import { openWorld, type World } from "../support/world.ts";

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.stop());

test("everyone sees their organization, and an admin renames it for everyone", async () => {
  const { organization } = await w.admin.organization.get();
  expect((await w.viewer.client.organization.get()).organization).toEqual(organization);
  expect((await w.client.organization.get()).organization).toEqual(organization);
  expect((await w.stranger.client.organization.get()).organization.id).not.toBe(organization.id);
  const renamed = await w.admin.organization.edit({ name: " Acme Voice " });
  expect(renamed.organization).toMatchObject({ id: organization.id, name: "Acme Voice" });
  expect((await w.member.client.organization.get()).organization).toEqual(renamed.organization);
});

describe("members", () => {
  test("members are listed with their roles and without credentials", async () => {
    const { members, nextPageToken } = await w.admin.members.list();
    expect(nextPageToken).toBeNull();
    expect(members.map(({ email, role }) => [email, role])).toEqual(
      expect.arrayContaining([
        ["admin@acme.test", "admin"],
        ["member@acme.test", "member"],
        ["viewer@acme.test", "viewer"],
      ]),
    );
    expect(members.map(({ email }) => email)).not.toContain("removed@acme.test");
    expect(Object.keys(members[0]!).sort()).toEqual(["createdAt", "email", "name", "role", "userId"]);
  });

  test("an organization keeps an admin when two admins demote each other at once", async () => {
    const second = await join(w.url, w.admin, "second@acme.test", "admin");
    const firstId = (await w.adminSession.accounts.session()).user.id;
    const outcomes = await Promise.allSettled([
      w.admin.members.edit({ userId: second.session.user.id, role: "viewer" }),
      w.clientOf(second.key).members.edit({ userId: firstId, role: "viewer" }),
    ]);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const survivors = [w.admin, w.clientOf(second.key)];
    const roles = await Promise.all(
      survivors.map((client) =>
        client.members.list().then(
          () => "admin",
          () => "other",
        ),
      ),
    );
    expect(roles.filter((role) => role === "admin")).toHaveLength(1);
    if (roles[0] !== "admin") await w.clientOf(second.key).members.edit({ userId: firstId, role: "admin" });
  });
});

describe("invitations", () => {
  test("invitations are listed without their tokens while they are open, and can be revoked once", async () => {
    const { invitation, token } = await w.admin.invitations.create({ email: "Guest@Acme.test", role: "viewer" });
    expect(invitation.email).toBe("guest@acme.test");
    const listed = await w.admin.invitations.list();
    expect(listed.invitations).toContainEqual(invitation);
    expect(JSON.stringify(listed)).not.toContain(token);
    await w.admin.invitations.revoke({ invitationId: invitation.id });
    expect((await w.admin.invitations.list()).invitations).not.toContainEqual(invitation);
    await expect(w.admin.invitations.revoke({ invitationId: invitation.id })).rejects.toMatchObject({
      code: "not_found",
    });
    const used = await send(w.url, signUpAsk("guest@acme.test", { invitation_token: token }));
    expectRefusal(used, "not_permitted");
  });

  test("invitations expire after seven days", async () => {
    const { invitation } = await w.admin.invitations.create({ email: "week@acme.test", role: "viewer" });
    const days = (Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt)) / 86_400_000;
    expect(days).toBe(7);
  });
});
