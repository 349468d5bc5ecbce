import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { totpCodeAt } from "../../packages/server/src/tenancy/second-factor/totp.ts";
import { join as joinAs } from "../support/people.ts";
import { startServer, type TestServer } from "../support/server.ts";

const PASSWORD = "a long enough password";
const OTHER = "another long password";

const home = mkdtempSync(join(tmpdir(), "svc-spec-"));
let server: TestServer;
let admin: ReturnType<typeof openHome>;
let ada: ReturnType<typeof openHome>;
beforeAll(async () => {
  server = await startServer();
  await server.admin.organization.edit({ name: "Acme" });
  admin = openHome({ SVC_URL: server.url, SVC_API_KEY: server.adminKey });
  ada = openHome({ SVC_URL: server.url, SVC_PASSWORD: PASSWORD });
});
afterAll(async () => {
  admin.remove();
  ada.remove();
  await server.stop();
  rmSync(home, { recursive: true });
});

test("an admin invites a person, who accepts at their terminal and has keys then", async () => {
  const created = await admin.svc(["invitations", "create", "ada@acme.test", "--role", "viewer"]);
  expect(created.stdout).toMatch(/^[\w-]{43}\n$/);
  expect((await admin.svc(["invitations", "list"])).stdout).toMatch(/ada@acme\.test +viewer/);
  const accepted = await ada.svc(["invitations", "accept", "--name", "Ada Park"], { stdin: created.stdout });
  expect(accepted).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('You belong to "Acme"') });
  expect(accepted.stderr).toContain("as viewer with the address ada@acme.test");
  expect((await ada.svc(["tests", "list"])).exitCode).toBe(0);
  expect((await admin.svc(["invitations", "list"])).stdout).toContain("no open invitations");
  expect((await admin.svc(["members", "list"])).stdout).toMatch(/ada@acme\.test +Ada Park +viewer/);
});

test("an admin withdraws an invitation, whose token is refused then", async () => {
  const { invitation, token } = await admin.json<{ invitation: { id: string }; token: string }>([
    "invitations",
    "create",
    "bob@acme.test",
  ]);
  expect((await admin.svc(["invitations", "revoke", invitation.id])).stdout).toContain(invitation.id);
  const refused = await ada.svc(["invitations", "accept", "--name", "Bob"], { stdin: token });
  expect(refused.exitCode).toBe(1);
});

test("an admin changes a role and removes a member by e-mail address", async () => {
  expect((await admin.svc(["members", "role", "Ada@acme.test", "member"])).stdout).toBe("Ada Park is now member.\n");
  const last = await admin.svc(["members", "role", "admin@acme.test", "viewer"]);
  expect([last.exitCode, last.stderr]).toEqual([1, expect.stringContaining("last admin")]);
  expect((await admin.svc(["members", "role", "ada@acme.test", "owner"])).exitCode).toBe(2);
  const { token } = await admin.json<{ token: string }>(["invitations", "create", "eve@acme.test"]);
  await server.clientOf().accounts.signUp({
    name: "Eve",
    email: "eve@acme.test",
    password: PASSWORD,
    invitation_token: token,
  });
  expect((await admin.svc(["members", "remove", "eve@acme.test"])).exitCode).toBe(2);
  expect((await admin.svc(["members", "remove", "eve@acme.test", "--yes"])).stdout).toContain("Removed Eve");
  expect((await admin.svc(["members", "remove", "eve@acme.test", "--yes"])).stderr).toContain("svc members list");
});

test("a person sees their account, changes the name and the password, and signs out everywhere", async () => {
  const email = ["--email", "ada@acme.test"];
  expect((await ada.svc(["account", "show", ...email])).stdout).toMatch(/Ada Park[^]*Acme +member/);
  const renamed = await ada.svc(["account", "rename", "Ada Byron", ...email]);
  expect(renamed.stdout).toBe("The name of ada@acme.test is Ada Byron.\n");
  const changed = await ada.svc(["account", "password", ...email], { env: { SVC_NEW_PASSWORD: OTHER } });
  expect(changed.stdout).toContain("Changed the password");
  const wrong = await ada.svc(["account", "show", ...email]);
  expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining("password is wrong")]);
  const out = await ada.svc(["account", "sign-out", ...email], { env: { SVC_PASSWORD: OTHER } });
  expect(out.stdout).toContain("signed out everywhere");
});

test("an admin's one-time token gives a member a new password", async () => {
  const created = await admin.svc(["members", "reset-password", "ada@acme.test"]);
  const reset = await ada.svc(["account", "reset-password"], {
    stdin: created.stdout,
    env: { SVC_NEW_PASSWORD: PASSWORD },
  });
  expect(reset).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("svc login") });
  expect((await ada.svc(["login", "--email", "ada@acme.test"])).exitCode).toBe(0);
  const mail = await ada.svc(["account", "reset-password", "--request", "ada@acme.test"]);
  expect([mail.exitCode, mail.stderr]).toEqual([1, expect.stringContaining("svc members reset-password")]);
});

test("a person and an admin revoke keys with the sessions, after a password or by themselves", async () => {
  const email = ["--email", "ada@acme.test"];
  const changed = await ada.svc(["account", "password", ...email, "--sign-out", "--revoke-keys"], {
    env: { SVC_NEW_PASSWORD: OTHER },
  });
  expect(changed.stdout).toMatch(/^Changed the password of ada@acme\.test\. \d+ API keys are revoked\.\n$/);
  const listed = await ada.svc(["tests", "list"]);
  expect([listed.exitCode, listed.stderr]).toEqual([1, expect.stringContaining("svc login")]);
  expect((await ada.svc(["login", ...email], { env: { SVC_PASSWORD: OTHER } })).exitCode).toBe(0);
  const revoke = ["members", "revoke-keys", "ada@acme.test"];
  expect((await admin.svc(revoke)).exitCode).toBe(2);
  expect((await admin.svc([...revoke, "--yes"])).stdout).toBe("Revoked 2 API keys of Ada Byron (ada@acme.test).\n");
  const out = await ada.svc(["account", "sign-out", "--revoke-keys", ...email], { env: { SVC_PASSWORD: OTHER } });
  expect(out.stdout).toBe("ada@acme.test is signed out everywhere.\n");
  const again = await ada.svc(["account", "password", ...email], {
    env: { SVC_PASSWORD: OTHER, SVC_NEW_PASSWORD: PASSWORD },
  });
  expect(again.stdout).toBe("Changed the password of ada@acme.test.\n");
});

test("a person leaves an organization after a confirmation", async () => {
  const leave = ["account", "leave", "Acme", "--email", "ada@acme.test"];
  expect((await ada.svc(leave)).exitCode).toBe(2);
  expect((await ada.svc(["account", "leave", "Elsewhere", "--email", "ada@acme.test", "--yes"])).stderr).toContain(
    '"Acme"',
  );
  expect((await ada.svc([...leave, "--yes"])).stdout).toBe('Left "Acme".\n');
  expect((await ada.svc(["tests", "list"])).exitCode).toBe(1);
});

test("a person with a second factor signs in with a code or a recovery code, and an admin removes it", async () => {
  const { email, client } = await joinAs(server.url, server.admin, "fay@acme.test", "viewer");
  const { secret } = await client.secondFactor.newSecret();
  const code = totpCodeAt(secret, Date.now());
  const { recovery_codes } = await client.secondFactor.enable({ password: PASSWORD, secret, code });
  const show = (more: Record<string, string>) => {
    const home = openHome({ SVC_URL: server.url, SVC_PASSWORD: PASSWORD, ...more });
    return home.svc(["account", "show", "--email", email]).finally(home.remove);
  };
  const without = await show({});
  expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining("SVC_CODE")]);
  const used = await show({ SVC_CODE: code });
  expect([used.exitCode, used.stderr]).toEqual([1, expect.stringContaining("This code is wrong, was used already")]);
  expect((await show({ SVC_CODE: totpCodeAt(secret, Date.now() + 30_000) })).exitCode).toBe(0);
  expect((await show({ SVC_CODE: recovery_codes![0]! })).exitCode).toBe(0);
  const removed = await admin.svc(["members", "remove-second-factor", email, "--yes"]);
  expect(removed.stdout).toBe("The password alone signs fay in now.\n");
  expect((await show({})).exitCode).toBe(0);
});

test("an admin reads who did what, by filters, and saves all of it to a new file of their own", async () => {
  const { stdout } = await admin.svc(["audit", "list", "--operation", "members", "--outcome", "refused"]);
  expect(stdout).toMatch(
    /admin@acme\.test, key First key +127\.0\.0\.1 +members\.edit +refused: conflict +user usr_\w+/,
  );
  const { items } = await admin.json<{ items: { operation: string }[] }>(["audit", "list", "--actor", "eve@acme.test"]);
  expect(items.map(({ operation }) => operation)).toEqual(["accounts.signUp"]);
  const file = join(home, "audit.ndjson");
  expect((await admin.svc(["audit", "export", "--save", file])).stdout).toContain(`The audit is in ${file}.`);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ operation: "audit.export" });
  expect(statSync(file).mode & 0o077).toBe(0);
  const again = await admin.svc(["audit", "export", "--save", file]);
  expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining("exists")]);
});
