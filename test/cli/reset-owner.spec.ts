import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { createClient } from "@svc/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openFakeIdentityProvider } from "../support/identity-provider/fake.ts";
import { openHome } from "../support/cli.ts";
import { totpCodeAt } from "../../packages/server/src/tenancy/second-factor/totp.ts";
import { cookieOf, join, PASSWORD } from "../support/people.ts";
import { send } from "../support/request.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { keySettings } from "../support/secret.ts";

const ADMIN = { email: "admin@acme.test", password: "correct horse battery" };
const NEW_PASSWORD = "another long password";
const keys = keySettings();

const dataDir = mkdtempSync(joinPath(tmpdir(), "svc-reset-"));
let home: ReturnType<typeof openHome>;
let server: TestServer;
const start = () => startServer({ dataDir, settings: keys, isEmbedded: true });
const reset = (...args: string[]) => home.svc(["reset-owner", "--data-dir", dataDir, ...args]);
const signIn = async (email: string, password: string) =>
  (await send(server.url, { method: "POST", path: "/api/auth/sign-in/email", json: { email, password } })).status;

beforeAll(async () => {
  home = openHome({ SVC_BASE_URL: "https://svc.example.com", PORT: "3100" });
  server = await start();
  await join(server.url, server.admin, "second@acme.test", "admin");
  await join(server.url, server.admin, "member@acme.test", "member");
});
afterAll(async () => {
  await server.stop();
  home.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Gives the first admin a second factor. */
async function protectAdmin(): Promise<void> {
  const { email, password } = ADMIN;
  const reply = await send(server.url, { method: "POST", path: "/api/auth/sign-in/email", json: { email, password } });
  const { secondFactor } = createClient({ baseUrl: server.url, cookie: cookieOf(reply), retries: 0 });
  const { secret } = await secondFactor.newSecret();
  await secondFactor.enable({ password, secret, code: totpCodeAt(secret, Date.now()) });
  expect(await signIn(email, password)).toBe(401);
}

test("an owner who lost everything gets a one-time address on the stopped service's folder, and no other way", async () => {
  await protectAdmin();
  const provider = await openFakeIdentityProvider();
  const { issuer, client } = provider;
  await server.admin.singleSignOn.set({ issuer, ...client, domains: ["acme.test"], required: true });
  await provider.stop();
  const running = await reset();
  expect([running.exitCode, running.stdout, running.stderr]).toEqual([
    1,
    "",
    expect.stringContaining("A service runs on"),
  ]);
  await server.stop();

  const member = await reset("--email", "member@acme.test");
  expect([member.exitCode, member.stderr]).toEqual([1, expect.stringContaining("No admin of this service")]);
  const second = await reset("--email", "Second@acme.test");
  expect(second.stdout).toMatch(/^https:\/\/svc\.example\.com\/reset\/[\w-]{43}\n$/);
  const { exitCode, stdout, stderr } = await reset();
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining("admin@acme.test")]);
  const token = stdout.trim().split("/").at(-1)!;
  expect(stdout).not.toBe(second.stdout);

  server = await start();
  const use = () =>
    send(server.url, { method: "POST", path: "/api/auth/reset-password", json: { token, new_password: NEW_PASSWORD } });
  expect((await use()).status).toBe(200);
  expect((await use()).status).toBe(403);
  expect(await signIn("admin@acme.test", NEW_PASSWORD)).toBe(200);
  expect(await signIn("second@acme.test", PASSWORD)).toBe(200);
  expect(await signIn("member@acme.test", PASSWORD)).toBe(200);
  expect((await server.admin.singleSignOn.get()).singleSignOn).toMatchObject({ issuer, required: false });
  const { lines } = await server.admin.audit.list({ operation: "operator.resetOwner" });
  expect(lines.map(({ actor, outcome, resource }) => `${actor.via} ${outcome} ${resource?.kind}`)).toEqual([
    "operator done user",
    "operator done user",
  ]);
});

test("a folder without a service is refused, and stays as it was", async () => {
  const empty = joinPath(home.folder, "nothing");
  const { exitCode, stderr } = await home.svc(["reset-owner", "--data-dir", empty]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("is not a data folder")]);
});
