import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProviders } from "../../packages/server/src/tenancy/single-sign-on/provider.ts";
import { openBareService } from "../support/bare-service.ts";
import { type FakeIdentityProvider, openFakeIdentityProvider } from "../support/identity-provider/fake.ts";
import { cookieOf, join, type Person, signUp } from "../support/people.ts";
import { type Ask, expectRefusal, jsonOf, send } from "../support/request.ts";
import { signOnAt } from "../support/sign-on.ts";
import { placesWith } from "../support/stored-bytes.ts";

type Settings = Parameters<Person["client"]["singleSignOn"]["set"]>[0];

let service: Awaited<ReturnType<typeof openBareService>>;
let acme: Person;
let [ofAcme, another]: [FakeIdentityProvider?, FakeIdentityProvider?] = [];
beforeAll(async () => {
  service = await openBareService({ SVC_OPEN_SIGNUP: "true", SVC_OUTBOUND_PRIVATE: "true" });
  acme = await signUp(service.url, "admin@acme.test");
  [ofAcme, another] = await Promise.all([openFakeIdentityProvider(), openFakeIdentityProvider()]);
});
afterAll(async () => {
  await service.stop();
  await ofAcme!.stop();
  await another!.stop();
});

const ask = (more: Partial<Ask> & { path: string }) => send(service.url, { method: "GET", ...more });
const sessionOf = (cookie: string) => ask({ path: "/api/auth/get-session", cookie });
const setAcme = (more: Partial<Settings> = {}) =>
  acme.client.singleSignOn.set({ issuer: ofAcme!.issuer, ...ofAcme!.client, domains: ["acme.test"], ...more });
/** Signs the same person in at a provider, with this address. */
const signOn = (email: string, provider = ofAcme!) =>
  signOnAt(
    { url: service.url, organization: acme.session.organization.id, provider },
    { sub: "the same subject", email },
  );

describe("the settings of single sign-on", () => {
  test("the settings of single sign-on never show the client secret, and seal it", async () => {
    await setAcme({ clientSecret: "a-very-secret-text-of-Acme" });
    const shown = await ask({ path: "/v1/organization/single-sign-on", key: acme.key });
    expect(jsonOf(shown)).toMatchObject({ singleSignOn: { issuer: ofAcme!.issuer, required: false, joinRole: null } });
    expect(shown.text).not.toContain("secret-text");
    expect(await placesWith(service.dataDir, "a-very-secret-text-of-Acme")).toEqual({});
  });

  test("need the secret again for another issuer or client, whose identities open no account of the former one", async () => {
    await setAcme();
    const { email } = await join(service.url, acme.client, "employee@acme.test", "member");
    const signedOn = cookieOf(await signOn(email));
    for (const more of [{ issuer: another!.issuer }, { clientId: "another" }])
      await expect(setAcme({ ...more, clientSecret: undefined })).rejects.toMatchObject({ code: "unprocessable" });
    await setAcme({ clientSecret: undefined });
    expect((await sessionOf(signedOn)).status).toBe(200);
    await setAcme({ issuer: another!.issuer });
    expectRefusal(await sessionOf(signedOn), "not_authenticated");
    const reply = await signOn("newcomer@acme.test", another);
    expectRefusal(reply, "not_permitted");
  });

  test.each([
    ["no encryption", { issuer: "http://login.example.com" }],
    ["another scheme", { issuer: "javascript:alert(1)" }],
    ["a query", { issuer: "https://login.example.com/?a=b" }],
    ["no machine behind it", { issuer: "http://127.0.0.1:9" }],
  ])("refuse an issuer with %s", async (_, more) => {
    await expect(setAcme(more)).rejects.toMatchObject({
      code: "unprocessable",
      details: { issues: [{ path: "issuer" }] },
    });
  });

  test.each([
    [
      "describes another issuer",
      { description: { issuer: "https://elsewhere.test" } },
      "HOST describes another issuer.",
    ],
    [
      "sends people to a script",
      { description: { authorization_endpoint: "javascript:alert(1)" } },
      "the description of HOST is wrong at authorization_endpoint: This must be an https address.",
    ],
    [
      "takes secrets without encryption",
      { description: { token_endpoint: "http://elsewhere.test/token" } },
      "the description of HOST is wrong at token_endpoint: This must be an https address.",
    ],
    [
      "has no keys",
      { description: { jwks_uri: undefined } },
      "the description of HOST is wrong at jwks_uri: This is missing.",
    ],
    ["answers with a list", { page: "[]" }, "the description of HOST is wrong: This must be an object."],
    [
      "answers with a page for people",
      { page: "<!doctype html>" },
      "HOST answered the request for its description with something other than JSON.",
    ],
    ["redirects", { redirectTo: "/keys" }, "HOST answered with a redirect, which is not followed."],
  ])("refuse a provider that %s, and say what is wrong", async (_, changes, words) => {
    Object.assign(ofAcme!.changes, changes);
    const message = words.replace("HOST", new URL(ofAcme!.issuer).host);
    const refused: unknown = await setAcme().catch((error: unknown) => error);
    Object.assign(ofAcme!.changes, { description: {}, redirectTo: undefined, page: undefined });
    expect(refused).toMatchObject({
      code: "unprocessable",
      details: { issues: [{ path: "issuer", message: expect.stringContaining(`cannot be used: ${message}`) }] },
    });
  });

  test("reach no private address where the operator forbids them", async () => {
    await expect(createProviders("refuse").describe(ofAcme!.issuer)).rejects.toThrow("has a private address");
  });

  test("find an organization by an address only where strangers open none", async () => {
    await setAcme();
    const byAddress = (url: string, email: string) =>
      send(url, { method: "POST", path: "/api/auth/single-sign-on/start", json: { email } });
    expectRefusal(await byAddress(service.url, "somebody@acme.test"), "not_found");

    const closed = await openBareService();
    const founder = await signUp(closed.url, "admin@acme.test");
    expect((await byAddress(closed.url, "somebody@acme.test")).status).toBe(404);
    await founder.client.singleSignOn.set({ issuer: ofAcme!.issuer, ...ofAcme!.client, domains: ["acme.test"] });
    const found = jsonOf<{ url: string }>(await byAddress(closed.url, "somebody@acme.test"));
    expect(found.url).toContain(`${ofAcme!.issuer}/authorize?`);
    expectRefusal(await byAddress(closed.url, "somebody@mail.acme.test"), "not_found");
    await closed.stop();
  });
});
