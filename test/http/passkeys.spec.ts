import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readProof } from "../../packages/server/src/tenancy/second-factor/passkey-proof.ts";
import { totpCodeAt } from "../../packages/server/src/tenancy/second-factor/totp.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { cookieOf, join, PASSWORD, type Person } from "../support/people.ts";
import { expectRefusal, jsonOf, type Reply } from "../support/request.ts";
import { useTwoOrganizations } from "../support/two-organizations.ts";

type Device = ReturnType<typeof createAuthenticator>;

const world = useTwoOrganizations();
const { address, ask, signIn } = world;

const post = (path: string, json: object) => ask({ method: "POST", path, json });
const newChallenge = async () =>
  jsonOf<{ challenge: string }>(await post("/api/auth/passkeys/challenge", {})).challenge;
const signInWith = async (
  device: Device,
  ...lies: Parameters<Device["get"]> extends [string, ...infer L] ? L : never
) => post("/api/auth/passkeys/sign-in", { passkey: device.get(await newChallenge(), ...lies) });
const startsNoSession = (reply: Reply) => expect(reply.headers.getSetCookie()).toEqual([]);

async function add({ client }: Person, device: Device, shown: object = {}) {
  const { challenge } = await client.passkeys.options({ password: PASSWORD, ...shown });
  return client.passkeys.add({ name: "A phone", ...device.create(challenge) });
}

const newPerson = () => join(world.service.url, world.acme.client, address(), "viewer");
const newDevice = (...options: Parameters<typeof createAuthenticator> extends [string, ...infer O] ? O : never) =>
  createAuthenticator(world.service.url, ...options);
const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => "done",
    ({ code }: { code: string }) => code,
  );

describe("a passkey", () => {
  test.each(["ec", "ed25519", "rsa"] as const)(
    "with a key of the kind %s signs its person in, without a password and a code",
    async (kind) => {
      const [person, device] = [await newPerson(), newDevice({ kind })];
      const { passkey } = await add(person, device);
      expect(passkey).toMatchObject({ name: "A phone", rp_id: "127.0.0.1", last_used_at: null });
      const reply = await signInWith(device);
      expect(jsonOf<Person["session"]>(reply).user.id).toBe(person.session.user.id);
      const { passkeys } = await world.clientWith(cookieOf(reply)).passkeys.list();
      expect(passkeys).toMatchObject([{ id: passkey.id, last_used_at: expect.any(String) }]);
    },
  );

  test("a passkey makes a sign-in with the password ask for it, or for a recovery code", async () => {
    const [person, device] = [await newPerson(), newDevice()];
    const { recovery_codes } = await add(person, device);
    const refused = await signIn(person.email);
    expect(expectRefusal(refused, "not_authenticated").details).toMatchObject({ missing: "code" });
    startsNoSession(refused);
    expectRefusal(await signIn(person.email, PASSWORD, { code: "123456" }), "not_authenticated");
    expect((await signIn(person.email, PASSWORD, { recovery_code: recovery_codes![0] })).status).toBe(200);
    const passkey = device.get(await newChallenge());
    expect((await signIn(person.email, PASSWORD, { passkey })).status).toBe(200);
    expectRefusal(await signIn(person.email, PASSWORD, { passkey }), "not_authenticated");
    expectRefusal(await signIn(person.email, "not the password", { passkey }), "not_authenticated");
  });

  test("a passkey of one person is no second factor of another", async () => {
    const [one, other] = [await newPerson(), await newPerson()];
    const [device, stranger] = [newDevice(), newDevice()];
    await add(one, device);
    await add(other, stranger);
    const passkey = stranger.get(await newChallenge());
    expectRefusal(await signIn(one.email, PASSWORD, { passkey }), "not_authenticated");
  });

  const foreignKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  test.each<[what: string, lies: Parameters<Device["get"]>[1]]>([
    ["another key", { key: foreignKey }],
    ["for a page of another origin", { origin: "https://elsewhere.test" }],
    ["for a page of another port", { origin: "http://127.0.0.1:1" }],
    ["inside of a page of another origin", { crossOrigin: true }],
    ["for another host", { rpId: "elsewhere.test" }],
    ["without a check of the person", { flags: 0x01 }],
    ["without a person", { flags: 0x04 }],
    ["as the creation of a passkey", { type: "webauthn.create" }],
    ["with the counter of a copy", { counter: 1 }],
    ["with no counter any more", { counter: 0 }],
  ])("a passkey signs nobody in with %s", async (_, lies) => {
    const [person, device] = [await newPerson(), newDevice()];
    await add(person, device);
    const reply = await signInWith(device, lies);
    expectRefusal(reply, "not_authenticated");
    startsNoSession(reply);
  });

  test("a passkey signs nobody in twice with one challenge, with a made-up one, or when no account has it", async () => {
    const [person, device] = [await newPerson(), newDevice()];
    await add(person, device);
    const passkey = device.get(await newChallenge());
    const replies = await Promise.all([0, 1].map(() => post("/api/auth/passkeys/sign-in", { passkey })));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 401]));
    const madeUp = { passkey: device.get("c".repeat(43)) };
    expectRefusal(await post("/api/auth/passkeys/sign-in", madeUp), "not_authenticated");
    expectRefusal(await signInWith(newDevice()), "not_authenticated");
    const { challenge } = await person.client.passkeys.options({
      password: PASSWORD,
      passkey: device.get(await newChallenge()),
    });
    expectRefusal(await post("/api/auth/passkeys/sign-in", { passkey: device.get(challenge) }), "not_authenticated");
  });

  test("a passkey works only at the host name at which it was made, whatever host a request names", async () => {
    const device = createAuthenticator("http://svc.example.test");
    const stored = { ...device.create("c"), rp_id: "svc.example.test" };
    const at = (host: string) => ({ rpId: host, origins: new Set([`http://${host}`]) });
    expect(readProof(device.get("c"), stored, at("svc.example.test"))).toEqual({ counter: 2 });
    const phished = device.get("c", { origin: "http://evil.test", rpId: "evil.test" });
    expect(() => readProof(phished, stored, at("evil.test"))).toThrow("it works at svc.example.test only");
  });

  test.each<[what: string, lies: Parameters<Device["create"]>[1]]>([
    ["for a page of another origin", { origin: "https://elsewhere.test" }],
    ["for another host", { rpId: "elsewhere.test" }],
    ["without a check of the person", { flags: 0x41 }],
    ["without a credential", { flags: 0x05 }],
    ["with another id in its data", { id: Buffer.from("another") }],
    ["as a signature", { type: "webauthn.get" }],
  ])("a passkey is not added when it was made %s", async (_, lies) => {
    const { client } = await newPerson();
    const { challenge } = await client.passkeys.options({ password: PASSWORD });
    const made = client.passkeys.add({ name: "A phone", ...newDevice().create(challenge, lies) });
    expect(await codeOf(made)).toBe("not_permitted");
    expect((await client.passkeys.list()).passkeys).toEqual([]);
  });

  test("a passkey is not added with a weak key, twice, or with the challenge of another person or of a sign-in", async () => {
    const [{ client }, other, device] = [await newPerson(), await newPerson(), newDevice()];
    const { challenge } = await client.passkeys.options({ password: PASSWORD });
    const made = { name: "A phone", ...device.create(challenge) };
    expect(await codeOf(other.client.passkeys.add(made))).toBe("not_permitted");
    expect(await codeOf(client.passkeys.add(made))).toBe("not_permitted");
    expect(await codeOf(client.passkeys.add({ name: "x", ...device.create(await newChallenge()) }))).toBe(
      "not_permitted",
    );
    const weak = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ type: "spki", format: "der" });
    for (const lie of [
      { public_key: weak.toString("base64url"), algorithm: -257 },
      { algorithm: -257 },
      { public_key: "AAAA" },
    ]) {
      const again = await client.passkeys.options({ password: PASSWORD });
      const asked = client.passkeys.add({ name: "x", ...device.create(again.challenge), ...lie });
      expect(await codeOf(asked)).toBe("not_permitted");
    }
    const third = await client.passkeys.options({ password: PASSWORD });
    expect(await codeOf(client.passkeys.add({ name: "x", ...device.create(third.challenge) }))).toBe("done");
    const { challenge: last } = await other.client.passkeys.options({ password: PASSWORD });
    expect(await codeOf(other.client.passkeys.add({ name: "x", ...device.create(last) }))).toBe("conflict");
  });

  test("a passkey is added and removed with the password, and with a second factor when there is one", async () => {
    const [person, device] = [await newPerson(), newDevice()];
    const { passkeys, secondFactor } = person.client;
    expect(await codeOf(passkeys.options({ password: "not the password" }))).toBe("not_permitted");
    const { passkey, recovery_codes } = await add(person, device);
    expect(await codeOf(passkeys.options({ password: PASSWORD }))).toBe("not_permitted");

    const { secret } = await secondFactor.newSecret();
    const code = totpCodeAt(secret, Date.now());
    const enabling = { password: PASSWORD, secret, code };
    expect(await codeOf(secondFactor.enable(enabling))).toBe("not_permitted");
    const enabled = await secondFactor.enable({ ...enabling, passkey: device.get(await newChallenge()) });
    expect(enabled.recovery_codes).toBeNull();

    const removing = { passkey_id: passkey.id, password: PASSWORD };
    expect(await codeOf(passkeys.remove(removing))).toBe("not_permitted");
    expect(await codeOf(passkeys.remove({ ...removing, recovery_code: recovery_codes![0]! }))).toBe("done");
    expect(await codeOf(passkeys.remove(removing))).toBe("not_found");
    expectRefusal(await signInWith(device), "not_authenticated");
    expect(await secondFactor.get()).toEqual({ authenticator: true, recovery_codes_left: 9 });
    await secondFactor.disable({ password: PASSWORD, recovery_code: recovery_codes![1]! });
    expect(await secondFactor.get()).toEqual({ authenticator: false, recovery_codes_left: 0 });
    expect((await signIn(person.email)).status).toBe(200);
  });

  test("a passkey goes with the second factor that an admin removes", async () => {
    const [person, device] = [await newPerson(), newDevice()];
    await add(person, device);
    await world.acme.client.members.removeSecondFactor({ userId: person.session.user.id });
    expectRefusal(await signInWith(device), "not_authenticated");
    expect((await signIn(person.email)).status).toBe(200);
  });
});
