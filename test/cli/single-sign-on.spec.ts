import { afterAll, beforeAll, expect, test } from "vitest";
import { openBareService } from "../support/bare-service.ts";
import { openHome } from "../support/cli.ts";
import { type FakeIdentityProvider, openFakeIdentityProvider } from "../support/identity-provider/fake.ts";
import { signUp } from "../support/people.ts";

let service: Awaited<ReturnType<typeof openBareService>>;
let provider: FakeIdentityProvider;
let home: ReturnType<typeof openHome>;

beforeAll(async () => {
  [service, provider] = await Promise.all([
    openBareService({ SVC_OUTBOUND_PRIVATE: "true" }),
    openFakeIdentityProvider(),
  ]);
  const admin = await signUp(service.url, "admin@acme.test");
  const { secret } = await admin.client.keys.create({ name: "cli", permissions: ["admin"] });
  home = openHome({ SVC_URL: service.url, SVC_API_KEY: secret });
});
afterAll(async () => {
  await service?.stop();
  await provider?.stop();
  home?.remove();
});

const sso = (words: string[], stdin?: string) =>
  home.svc(["single-sign-on", ...words], stdin === undefined ? {} : { stdin });
const setting = (...more: string[]) =>
  `set --issuer ${provider.issuer} --client-id svc --domain acme.test --domain acme.example`.split(" ").concat(more);

test("an admin sets, sees, changes and removes the identity provider, and no output has the client secret", async () => {
  const none = await sso(["show"]);
  expect([none.exitCode, none.stdout]).toEqual([
    0,
    expect.stringMatching(/svc single-sign-on set[^]+redirect URI +http/),
  ]);

  const set = await sso(setting(), `${provider.client.clientSecret}\n`);
  expect([set.exitCode, set.stdout]).toEqual([0, expect.stringContaining("acme.test, acme.example can sign in with")]);
  const kept = await sso(setting("--require", "--join-as", "viewer", "--keep-secret"));
  expect([kept.exitCode, kept.stderr]).toEqual([0, ""]);
  const shown = await sso(["show", "--json"]);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    singleSignOn: {
      issuer: provider.issuer,
      domains: ["acme.test", "acme.example"],
      required: true,
      joinRole: "viewer",
    },
    redirectUri: expect.stringContaining("/sign-in/single-sign-on/done"),
  });
  for (const { stdout, stderr } of [set, kept, shown])
    expect(stdout + stderr).not.toContain(provider.client.clientSecret);

  const removed = await sso(["remove", "--yes"]);
  expect([removed.exitCode, removed.stdout]).toEqual([0, "Removed the identity provider.\n"]);
  expect(JSON.parse((await sso(["show", "--json"])).stdout)).toMatchObject({ singleSignOn: null });
});

test("a provider that the service cannot use and a missing secret are refused, and the message says what to do", async () => {
  const noSecret = await sso(setting(), "\n");
  expect([noSecret.exitCode, noSecret.stderr]).toEqual([
    2,
    expect.stringMatching(/client secret is empty.*standard input/),
  ]);
  const first = await sso(setting("--keep-secret"));
  expect([first.exitCode, first.stderr]).toEqual([1, expect.stringMatching(/secret/)]);
  const elsewhere = ["set", "--issuer", `${provider.issuer}/nowhere`, "--client-id", "svc", "--domain", "acme.test"];
  const wrong = await sso(elsewhere, "a-secret\n");
  expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringMatching(/cannot be used.*status 404/)]);
});
