import { exportSPKI, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAuthenticator } from "../support/authenticator.ts";
import { openBareService } from "../support/bare-service.ts";
import { type FakeIdentityProvider, openFakeIdentityProvider } from "../support/identity-provider/fake.ts";
import { cookieOf, join, PASSWORD, type Person, signUp } from "../support/people.ts";
import { type Ask, expectRefusal, jsonOf, type Reply, send } from "../support/request.ts";
import { finishSignOn, signOnAt, startSignOn } from "../support/sign-on.ts";

type SessionShown = Person["session"];
type Settings = Parameters<Person["client"]["singleSignOn"]["set"]>[0];

let service: Awaited<ReturnType<typeof openBareService>>;
let [acme, globex]: [Person?, Person?] = [];
let [ofAcme, ofGlobex]: [FakeIdentityProvider?, FakeIdentityProvider?] = [];
let serial = 0;
const address = () => `person-${++serial}@acme.test`;
const acmeId = () => acme!.session.organization.id;

beforeAll(async () => {
  service = await openBareService({ SVC_OPEN_SIGNUP: "true", SVC_OUTBOUND_PRIVATE: "true" });
  acme = await signUp(service.url, "admin@acme.test");
  globex = await signUp(service.url, "admin@globex.test");
  [ofAcme, ofGlobex] = await Promise.all([openFakeIdentityProvider(), openFakeIdentityProvider()]);
});
afterAll(async () => {
  await service.stop();
  await ofAcme!.stop();
  await ofGlobex!.stop();
});

const ask = (more: Partial<Ask> & { path: string }) => send(service.url, { method: "GET", ...more });
const post = (path: string, json: object) => ask({ method: "POST", path, json });
const signIn = (email: string, more: object = {}) =>
  post("/api/auth/sign-in/email", { email, password: PASSWORD, ...more });
const sessionOf = (cookie: string, headers: Record<string, string> = {}) =>
  ask({ path: "/api/auth/get-session", cookie, headers });

const setAcme = (more: Partial<Settings> = {}) =>
  acme!.client.singleSignOn.set({ issuer: ofAcme!.issuer, ...ofAcme!.client, domains: ["acme.test"], ...more });
const setGlobex = (more: Partial<Settings> = {}) =>
  globex!.client.singleSignOn.set({
    issuer: ofGlobex!.issuer,
    ...ofGlobex!.client,
    domains: ["acme.test", "globex.test"],
    joinRole: "member",
    ...more,
  });

const start = (organization = acmeId(), cookie?: string) => startSignOn({ url: service.url, organization }, cookie);
const finish = (browser: string | undefined, json: object) => finishSignOn(service.url, browser, json);
/** Signs a person in at the provider of an organization. */
const signOn = (
  person: { sub: string; email?: string },
  lies?: Parameters<FakeIdentityProvider["authorize"]>[2],
  { provider = ofAcme!, organization = acmeId() } = {},
) => signOnAt({ url: service.url, organization, provider }, person, lies);

const inGlobex = () => ({ provider: ofGlobex!, organization: globex!.session.organization.id });
const startsNoSession = (reply: Reply) => expect(reply.headers.getSetCookie()).toEqual([]);

describe("an organization's identity provider", () => {
  test("an organization's identity provider opens the account of a member by a verified address, then by the identity alone", async () => {
    await setAcme();
    const person = await join(service.url, acme!.client, address(), "member");
    const sub = `sub of ${person.email}`;
    const first = await signOn({ sub, email: person.email.toUpperCase() });
    expect(jsonOf<SessionShown>(first)).toMatchObject({
      user: { id: person.session.user.id },
      organization: { id: acmeId() },
      role: "member",
    });
    const again = await signOn({ sub, email: "a-new-address@acme.test" });
    expect(jsonOf<SessionShown>(again).user.id).toBe(person.session.user.id);
    expect(jsonOf(await sessionOf(cookieOf(again)))).toMatchObject({ organization: { id: acmeId() } });
  });

  test("an organization's identity provider may tell the address in its profile", async () => {
    await setAcme();
    const { email, session } = await join(service.url, acme!.client, address(), "viewer");
    const profile = { sub: "told", email, email_verified: true };
    const reply = await signOn({ sub: "told" }, { without: ["email_verified"], profile });
    expect(jsonOf<SessionShown>(reply).user.id).toBe(session.user.id);
  });

  test("an organization's identity provider lets new people join with the role that the admin chose, and only then", async () => {
    await setAcme();
    const [email, sub] = [address(), "a newcomer"];
    expect(expectRefusal(await signOn({ sub, email }), "not_permitted").message).toContain("invitation");
    await setAcme({ joinRole: "viewer" });
    const joined = await signOn({ sub, email }, { claims: { name: "Nia Berg" } });
    const { user, role } = jsonOf<SessionShown>(joined);
    expect([user.name, user.email, role]).toEqual(["Nia Berg", email, "viewer"]);
    expect(jsonOf<SessionShown>(await signOn({ sub, email })).user.id).toBe(user.id);
    expectRefusal(await signIn(email), "not_authenticated");
    await acme!.client.members.remove({ userId: user.id });
    expectRefusal(await sessionOf(cookieOf(joined)), "not_authenticated");
    expect(jsonOf<SessionShown>(await signOn({ sub, email })).user.id).not.toBe(user.id);
  });

  const now = Math.floor(Date.now() / 1000);
  const plain = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  test.each<[what: string, lies: NonNullable<Parameters<FakeIdentityProvider["authorize"]>[2]>]>([
    ["a key that it does not publish", { token: (claims) => ofAcme!.signAsStranger(claims) }],
    ["no algorithm", { token: (claims) => `${plain({ alg: "none", typ: "JWT" })}.${plain(claims)}.` }],
    [
      "its public key as a shared secret",
      {
        token: async (claims) =>
          new SignJWT(claims)
            .setProtectedHeader({ alg: "HS256", kid: "one" })
            .sign(Buffer.from(await exportSPKI(ofAcme!.publicKey))),
      },
    ],
    [
      "a signature of other claims",
      {
        token: async (claims) => {
          const [head, , signature] = (await ofAcme!.sign({ ...claims, sub: "another" })).split(".");
          return `${head}.${plain(claims)}.${signature}`;
        },
      },
    ],
    ["another issuer", { claims: { iss: "https://elsewhere.test" } }],
    ["another audience", { claims: { aud: "another client" } }],
    ["several audiences", { claims: { aud: ["svc", "another client"] } }],
    ["another authorized party", { claims: { azp: "another client" } }],
    ["an end in the past", { claims: { iat: now - 7_200, exp: now - 3_600 } }],
    ["no end", { without: ["exp"] }],
    ["no nonce", { without: ["nonce"] }],
    ["the nonce of another sign-in", { claims: { nonce: "n".repeat(43) } }],
    ["no subject", { without: ["sub"] }],
    ["a profile of another person", { without: ["email"], profile: { sub: "another", email: "admin@acme.test" } }],
  ])("an organization's identity provider opens no session by a token with %s", async (_, lies) => {
    await setAcme({ joinRole: "viewer" });
    const reply = await signOn({ sub: "a liar", email: address() }, lies);
    expectRefusal(reply, "not_authenticated");
    startsNoSession(reply);
  });

  test.each<[what: string, person: { email?: string }, lies: Parameters<FakeIdentityProvider["authorize"]>[2]]>([
    ["is not verified", { email: "admin@acme.test" }, { claims: { email_verified: false } }],
    ["is not said to be verified", { email: "admin@acme.test" }, { without: ["email_verified"] }],
    ["is missing", {}, {}],
    ["has a domain that the admin did not name", { email: "somebody@elsewhere.test" }, {}],
    ["has a domain below the one that the admin named", { email: "somebody@mail.acme.test" }, {}],
    ["looks like the one of a member", { email: "ad\u{1d5c6}in@acme.test" }, {}],
    ["becomes the one of a member in lower case", { email: "\u212aim@acme.test" }, {}],
    ["looks like one of the domain", { email: "admin@globex.test@acme.test" }, {}],
  ])("an organization's identity provider opens nothing with an address that %s", async (_, person, lies) => {
    await setAcme({ joinRole: "viewer" });
    kim ??= await join(service.url, acme!.client, "kim@acme.test", "viewer");
    const reply = await signOn({ sub: "somebody", ...person }, lies);
    expectRefusal(reply, "not_permitted");
    startsNoSession(reply);
  });

  let kim: Person | undefined;
  test("an organization's identity provider never opens the account of another organization's member, nor takes the address", async () => {
    await setGlobex();
    const victim = await join(service.url, acme!.client, address(), "admin");
    const reply = await signOn({ sub: "a thief", email: victim.email }, {}, inGlobex());
    expect(expectRefusal(reply, "not_permitted").message).toContain("does not belong to this organization");
    startsNoSession(reply);
    expect((await signIn(victim.email)).status).toBe(200);
    expect(jsonOf<SessionShown>(await sessionOf(victim.cookie)).organizations).toHaveLength(1);
  });

  test("an organization's identity provider does not give an account to a second identity with the same address", async () => {
    await setAcme();
    const { email } = await join(service.url, acme!.client, address(), "member");
    expect((await signOn({ sub: "the first employee", email })).status).toBe(200);
    const reply = await signOn({ sub: "the next employee", email });
    expect(expectRefusal(reply, "not_permitted").message).toContain("Another identity");
  });

  test("an organization's identity provider opens only its own organization for a person who belongs to others", async () => {
    await setGlobex();
    const person = await join(service.url, acme!.client, address(), "admin");
    const { token } = await globex!.client.invitations.create({ email: person.email, role: "member" });
    await person.client.invitations.accept({ token });
    const reply = await signOn({ sub: "of both", email: person.email }, {}, inGlobex());
    const cookie = cookieOf(reply);
    const globexId = globex!.session.organization.id;
    expect(jsonOf<SessionShown>(reply).organizations.map(({ id }) => id)).toEqual([globexId]);
    expectRefusal(await sessionOf(cookie, { "svc-organization": acmeId() }), "not_authenticated");
    const post = (path: string, json: object) => ask({ method: "POST", path, cookie, json });
    expectRefusal(await post("/api/auth/organization", { organization_id: acmeId() }), "not_found");
    expectRefusal(await post("/api/auth/update-user", { name: "Mallory" }), "not_permitted");
    expectRefusal(await post("/api/auth/revoke-sessions", { revoke_keys: true }), "not_permitted");
    expectRefusal(await ask({ path: "/api/auth/list-sessions", cookie }), "not_permitted");
    // A new password does not let such a session act in other organizations.
    const changed = await post("/api/auth/change-password", { current_password: PASSWORD, new_password: PASSWORD });
    expectRefusal(await sessionOf(cookieOf(changed), { "svc-organization": acmeId() }), "not_authenticated");
    expect(jsonOf<SessionShown>(await sessionOf(person.cookie)).organizations).toHaveLength(2);
  });

  test("an organization's identity provider may be required: passwords of members stop working there, those of admins and all keys go on", async () => {
    await setAcme();
    const member = await join(service.url, acme!.client, address(), "member");
    const device = createAuthenticator(service.url);
    const { passkeys } = member.client;
    const { challenge } = await passkeys.options({ password: PASSWORD });
    const { recovery_codes } = await passkeys.add({ name: "A phone", ...device.create(challenge) });
    await setAcme({ required: true, clientSecret: undefined });
    expectRefusal(await sessionOf(member.cookie), "not_authenticated");
    const refused = await signIn(member.email, { recovery_code: recovery_codes![0] });
    const asked = jsonOf<{ challenge: string }>(await post("/api/auth/passkeys/challenge", {}));
    const passkey = device.get(asked.challenge);
    expectRefusal(await post("/api/auth/passkeys/sign-in", { passkey }), "not_permitted");
    expect(expectRefusal(refused, "not_permitted").details).toEqual({
      missing: "single_sign_on",
      organization_id: acmeId(),
    });
    startsNoSession(refused);
    expect((await signIn("admin@acme.test")).status).toBe(200);
    expect((await ask({ path: "/v1/organization", key: member.key })).status).toBe(200);
    const signedOn = await signOn({ sub: `sub of ${member.email}`, email: member.email });
    expect((await sessionOf(cookieOf(signedOn))).status).toBe(200);

    await acme!.client.singleSignOn.remove();
    expectRefusal(await sessionOf(cookieOf(signedOn)), "not_authenticated");
    expect((await signIn(member.email, { recovery_code: recovery_codes![1] })).status).toBe(200);
    expectRefusal(await post("/api/auth/single-sign-on/start", { organization_id: acmeId() }), "not_found");
  });
});

describe("a sign-in that waits for the identity provider", () => {
  const person = { sub: "one who waits", email: "admin@acme.test" };

  test("a sign-in that waits for the identity provider ends once, in the browser that started it", async () => {
    await setAcme();
    const { url, browser } = await start();
    const { browser: anothers } = await start();
    const answer = await ofAcme!.authorize(url, person);
    for (const cookie of [undefined, anothers, "svc.single_sign_on=nonsense"])
      expectRefusal(await finish(cookie, answer), "not_authenticated");
    expectRefusal(await finish(browser, { ...answer, state: "nonsense" }), "not_authenticated");
    const replies = await Promise.all([finish(browser, answer), finish(browser, answer)]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 401]));
    expectRefusal(await finish(browser, answer), "not_authenticated");
  });

  test("a sign-in that waits for the identity provider takes no code of another sign-in, even of the same browser", async () => {
    await setAcme();
    const one = await start();
    const other = await start(acmeId(), one.browser);
    expect(other.browser).toBe(one.browser);
    const { code } = await ofAcme!.authorize(one.url, person);
    const { state } = await ofAcme!.authorize(other.url, person);
    expectRefusal(await finish(one.browser, { state, code }), "not_authenticated");
  });

  test("a sign-in that waits for the identity provider takes no answer of another provider, and none after the provider was changed", async () => {
    await setAcme();
    const one = await start();
    const answer = await ofAcme!.authorize(one.url, person);
    expectRefusal(await finish(one.browser, { ...answer, iss: ofGlobex!.issuer }), "not_authenticated");
    const other = await start();
    const late = await ofAcme!.authorize(other.url, person);
    await setAcme({ issuer: ofGlobex!.issuer });
    expectRefusal(await finish(other.browser, late), "not_authenticated");
  });

  test("a sign-in that waits for the identity provider needs the name of the provider in the answer when the provider says that it sends it (RFC 9207)", async () => {
    await setAcme();
    ofAcme!.changes.description = { authorization_response_iss_parameter_supported: true };
    const named = await start();
    const answer = await ofAcme!.authorize(named.url, person);
    expect((await finish(named.browser, { ...answer, iss: ofAcme!.issuer })).status).toBe(200);
    const unnamed = await start();
    expectRefusal(await finish(unnamed.browser, await ofAcme!.authorize(unnamed.url, person)), "not_authenticated");
    ofAcme!.changes.description = {};
  });

  test("a sign-in that waits for the identity provider says the error of the provider as a plain word, and no other text of it", async () => {
    await setAcme();
    const refusalWith = async (error: string) => {
      const { url, browser } = await start();
      const state = new URL(url).searchParams.get("state")!;
      return expectRefusal(await finish(browser, { state, error }), "not_authenticated").message;
    };
    expect(await refusalWith("access_denied")).toContain("`access_denied`");
    expect(await refusalWith("<b>call 555</b>")).not.toContain("555");
    await setAcme({ clientSecret: "a-wrong-secret" });
    const reply = await signOn(person);
    expect(expectRefusal(reply, "not_authenticated").message).toContain("`invalid_client`");
    expect(reply.text).not.toContain("a-wrong-secret");
  });

  test("a sign-in that waits for the identity provider asks for a code with PKCE, a state and a nonce, each of 256 random bits and new each time", async () => {
    await setAcme();
    const asked = await Promise.all([start(), start()]);
    const [one, other] = asked.map(({ url }) => new URL(url).searchParams);
    expect(Object.fromEntries(one!)).toMatchObject({
      response_type: "code",
      scope: "openid email profile",
      code_challenge_method: "S256",
      redirect_uri: `${service.url}/sign-in/single-sign-on/done`,
    });
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect(one!.get(name)).toMatch(/^[\w-]{43}$/);
      expect(one!.get(name)).not.toBe(other!.get(name));
    }
  });
});
