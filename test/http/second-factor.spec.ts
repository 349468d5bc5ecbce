import type { Answer, Operations } from "@svc/sdk";
import { beforeAll, describe, expect, test } from "vitest";
import {
  base32,
  newTotpSecret,
  stepOf,
  totpCodeAt,
  totpUri,
} from "../../packages/server/src/tenancy/second-factor/totp.ts";
import { cookieOf, join, PASSWORD, type Person } from "../support/people.ts";
import { expectRefusal, type Reply } from "../support/request.ts";
import { useTwoOrganizations } from "../support/two-organizations.ts";

const STEP_MS = 30_000;
const world = useTwoOrganizations();
const { address, ask, signIn } = world;

/** Returns the code of the next 30 seconds. The service accepts it, even after the current code was used. */
const nextCode = (secret: string) => totpCodeAt(secret, Date.now() + STEP_MS);

/** Returns a code that differs from all codes that the secret has at about this time. */
function wrongCode(secret: string): string {
  const near = new Set([-2, -1, 0, 1, 2].map((steps) => totpCodeAt(secret, Date.now() + steps * STEP_MS)));
  for (let code = 100_000; ; code++) if (!near.has(String(code))) return String(code);
}

type Protected = Person & { secret: string; recoveryCodes: string[] };

/** Creates a member of Acme with a second factor. */
async function joinProtected(role: "admin" | "member" | "viewer" = "viewer"): Promise<Protected> {
  const person = await join(world.service.url, world.acme.client, address(), role);
  const { secret } = await person.client.secondFactor.newSecret();
  const code = totpCodeAt(secret, Date.now());
  const { recovery_codes } = await person.client.secondFactor.enable({ password: PASSWORD, secret, code });
  return { ...person, secret, recoveryCodes: recovery_codes! };
}

const expectAskForCode = (reply: Reply) =>
  expect(expectRefusal(reply, "not_authenticated").details).toMatchObject({ missing: "code" });

const from = (network: string, json: object) =>
  ask({ method: "POST", path: "/api/auth/sign-in/email", json, headers: { "x-forwarded-for": network } });

describe("codes of an authenticator app", () => {
  const secret = base32(Buffer.from("12345678901234567890"));

  test.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("at %i s the code is the one of RFC 6238, appendix B", (seconds, code) => {
    expect(totpCodeAt(secret, seconds * 1000)).toBe(code);
  });

  test.each([
    ["two steps ago", -2, false],
    ["one step ago", -1, true],
    ["now", 0, true],
    ["one step ahead", 1, true],
    ["two steps ahead", 2, false],
  ])("a code of %s is accepted: %o %s", (_, steps, accepted) => {
    const now = 1_111_111_111_000;
    expect(stepOf(secret, totpCodeAt(secret, now + steps * STEP_MS), now) !== undefined).toBe(accepted);
  });

  test("a secret has 160 random bits, and its address is the one that apps read", () => {
    expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
    expect(newTotpSecret()).not.toBe(newTotpSecret());
    expect(totpUri("AB", { issuer: "svc", account: "ada@acme.test at host" })).toBe(
      "otpauth://totp/svc:ada%40acme.test%20at%20host?secret=AB&issuer=svc",
    );
  });
});

describe("a person with an authenticator app", () => {
  let ada: Protected;
  beforeAll(async () => {
    ada = await joinProtected();
  });

  test("the right password alone starts no session, and says what is missing", async () => {
    const before = (await ada.client.accounts.listSessions()).sessions.length;
    const reply = await signIn(ada.email);
    expectAskForCode(reply);
    expect(reply.headers.getSetCookie()).toEqual([]);
    expect((await ada.client.accounts.listSessions()).sessions).toHaveLength(before);
  });

  test("a stranger without the password does not learn that there is a second factor", async () => {
    const wrong = await signIn(ada.email, "not the password", { code: nextCode(ada.secret) });
    expect(expectRefusal(wrong, "not_authenticated").details ?? {}).toEqual({});
    expect(wrong.text).not.toMatch(/code/);
  });

  test("a code works once, and no code before it works afterwards", async () => {
    const bob = await joinProtected();
    const code = nextCode(bob.secret);
    expectAskForCode(await signIn(bob.email, PASSWORD, { code: wrongCode(bob.secret) }));
    expectAskForCode(await signIn(bob.email, PASSWORD, { code: totpCodeAt(bob.secret, Date.now() - 10 * STEP_MS) }));
    const [one, other] = await Promise.all([0, 1].map(() => signIn(bob.email, PASSWORD, { code })));
    expect(new Set([one!.status, other!.status])).toEqual(new Set([200, 401]));
    expectAskForCode(await signIn(bob.email, PASSWORD, { code }));
    expectAskForCode(await signIn(bob.email, PASSWORD, { code: totpCodeAt(bob.secret, Date.now()) }));
  });

  test("a recovery code works once, in any letter case and with or without hyphens, and only for its owner", async () => {
    const bob = await joinProtected();
    const [first, second] = bob.recoveryCodes;
    expectAskForCode(await signIn(ada.email, PASSWORD, { recovery_code: first }));
    const typed = first!.toUpperCase().replaceAll("-", " ");
    const signedIn = await signIn(bob.email, PASSWORD, { recovery_code: typed });
    expect(signedIn.status).toBe(200);
    expectAskForCode(await signIn(bob.email, PASSWORD, { recovery_code: first }));
    expect(await world.clientWith(cookieOf(signedIn)).secondFactor.get()).toEqual({
      authenticator: true,
      recovery_codes_left: 9,
    });
    const [one, other] = await Promise.all([0, 1].map(() => signIn(bob.email, PASSWORD, { recovery_code: second })));
    expect(new Set([one!.status, other!.status])).toEqual(new Set([200, 401]));
  });

  test("wrong codes are slowed from all networks together, even the right one, and leave other accounts alone", async () => {
    const bob = await joinProtected();
    const other = await joinProtected();
    const wrong = { email: bob.email, password: PASSWORD, code: wrongCode(bob.secret) };
    let slowed: Reply | undefined;
    for (let network = 1; slowed === undefined && network < 50; network++) {
      const reply = await from(`2001:db8:9:${network.toString(16)}::1`, wrong);
      if (reply.status === 429) slowed = reply;
      else expectAskForCode(reply);
    }
    expect(expectRefusal(slowed!, "too_many_requests").message).toContain("wrong codes for this account");
    const { conditions } = await world.acme.client.conditions.list();
    expect(conditions.map(({ code }) => code)).toContain("wrong_codes_at_account");
    expect(JSON.stringify(conditions)).not.toContain(bob.email);
    const right = { ...wrong, code: nextCode(bob.secret) };
    expect([200, 429]).toContain((await from("2001:db8:9:aaaa::1", right)).status);
    expect((await signIn(other.email, PASSWORD, { code: nextCode(other.secret) })).status).toBe(200);
  });

  test("a reset of the password leaves the second factor", async () => {
    const bob = await joinProtected();
    const { token } = await world.acme.client.members.resetPassword({ userId: bob.session.user.id });
    await ask({
      method: "POST",
      path: "/api/auth/reset-password",
      json: { token, new_password: "another long password" },
    });
    expectAskForCode(await signIn(bob.email, "another long password"));
  });

  test("an authenticator app is set up with the password and a code of the new secret, and only once", async () => {
    const bob = await join(world.service.url, world.acme.client, address(), "viewer");
    const { secret } = await bob.client.secondFactor.newSecret();
    const enable = (more: object) =>
      bob.client.secondFactor
        .enable({ password: PASSWORD, secret, code: totpCodeAt(secret, Date.now()), ...more })
        .then(
          () => "enabled",
          ({ code }: { code: string }) => code,
        );
    expect(await enable({ password: "not the password" })).toBe("not_permitted");
    expect(await enable({ code: wrongCode(secret) })).toBe("not_permitted");
    expect(await bob.client.secondFactor.get()).toEqual({ authenticator: false, recovery_codes_left: 0 });
    expect((await signIn(bob.email)).status).toBe(200);
    const outcomes = (await Promise.all([enable({}), enable({})])).sort();
    // The second request is refused: a factor exists already, or the code was used.
    expect([
      ["conflict", "enabled"],
      ["enabled", "not_permitted"],
    ]).toContainEqual(outcomes);
    expectAskForCode(await signIn(bob.email));
  });

  test("an authenticator app is removed, and its recovery codes are replaced, only with the password and a code", async () => {
    const bob = await joinProtected();
    const { secondFactor } = bob.client;
    const refusalOf = (asked: Promise<unknown>) =>
      asked.then(
        () => "done",
        ({ code }: { code: string }) => code,
      );
    const code = wrongCode(bob.secret);
    expect(await refusalOf(secondFactor.disable({ password: PASSWORD }))).toBe("not_permitted");
    expect(await refusalOf(secondFactor.disable({ password: PASSWORD, code }))).toBe("not_permitted");
    expect(await refusalOf(secondFactor.newRecoveryCodes({ password: PASSWORD, code }))).toBe("not_permitted");
    const right: Answer<Operations["secondFactor"]["newRecoveryCodes"]> = await secondFactor.newRecoveryCodes({
      password: PASSWORD,
      code: nextCode(bob.secret),
    });
    expect(new Set([...right.recovery_codes, ...bob.recoveryCodes]).size).toBe(20);
    const disable = (recovery_code: string, password = PASSWORD) =>
      refusalOf(secondFactor.disable({ password, recovery_code }));
    expect(await disable(bob.recoveryCodes[0]!)).toBe("not_permitted");
    expect(await disable(right.recovery_codes[0]!, "not the password")).toBe("not_permitted");
    expect(await disable(right.recovery_codes[0]!)).toBe("done");
    expect((await signIn(bob.email)).status).toBe(200);
    expect(await disable(right.recovery_codes[1]!)).toBe("conflict");
  });

  test("an admin removes it for a member of no other organization, whose sessions end", async () => {
    const bob = await joinProtected();
    const userId = bob.session.user.id;
    await expect(world.globex.client.members.removeSecondFactor({ userId })).rejects.toMatchObject({
      code: "not_found",
    });
    await world.acme.client.members.removeSecondFactor({ userId });
    expectRefusal(await ask({ path: "/api/auth/get-session", cookie: bob.cookie }), "not_authenticated");
    expect((await signIn(bob.email)).status).toBe(200);

    const both = await world.inBoth();
    await expect(world.acme.client.members.removeSecondFactor({ userId: both.session.user.id })).rejects.toMatchObject({
      code: "conflict",
    });
  });
});
