import { createClient } from "@svc/sdk";
import { resetOwner } from "@svc/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cookieOf, join, PASSWORD, type Person, signUpAsk } from "../support/people.ts";
import { send } from "../support/request.ts";
import { until } from "../support/until.ts";
import { openBareService } from "../support/bare-service.ts";
import { databasesOf } from "../support/engine.ts";
import { openProcesses, type Processes } from "./processes.ts";
import type { TestServer } from "../support/server.ts";

const ROUNDS = 20;

let processes: Processes;
let one: TestServer;
let other: TestServer;
beforeAll(async () => {
  processes = await openProcesses(2, { settings: { SVC_TRUST_PROXY: "true" } });
  [one, other] = processes.services as [TestServer, TestServer];
});
afterAll(() => processes.stop());

let people = 0;
/** Creates a person of the organization, who has a session and a key. */
const newPerson = (role: "viewer" | "member" | "admin" = "member"): Promise<Person> =>
  join(one.url, one.admin, `person${++people}@acme.test`, role);

const statusAtOther = async (credential: { key: string } | { cookie: string }) =>
  (await send(other.url, { method: "GET", path: "/v1/projects", ...credential })).status;
const writeAtOther = async (key: string) =>
  (await send(other.url, { method: "POST", path: "/v1/agents", key, json: { name: `Desk ${++people}` } })).status;

test("processes that start at the same time on an empty database make one organization and one key", async () => {
  expect((await one.admin.projects.list()).projects).toHaveLength(1);
  expect((await other.admin.keys.list()).keys.map(({ name }) => name)).toHaveLength(2);
});

test("one of two people who sign up at once at two processes of an unclaimed deployment founds the organization, and the other is asked for an invitation", async () => {
  for (let round = 0; round < 5; round++) {
    const first = await openBareService();
    const second = await openBareService(await databasesOf(first.dataDir));
    const answers = await Promise.all(
      [first, second].map(({ url }, at) => send(url, signUpAsk(`person${at}@acme.test`))),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 403]);
    await second.stop();
    await first.stop();
  }
});

test("a session that ends at one process is refused by the other one at the next request", async () => {
  const { email } = await newPerson();
  for (let round = 0; round < ROUNDS; round++) {
    const signedIn = await send(one.url, {
      method: "POST",
      path: "/api/auth/sign-in/email",
      json: { email, password: PASSWORD },
    });
    const cookie = cookieOf(signedIn);
    expect(await statusAtOther({ cookie })).toBe(200);
    await createClient({ baseUrl: one.url, cookie, retries: 0 }).accounts.signOut();
    expect(await statusAtOther({ cookie })).toBe(401);
  }
});

test("a removed member's key and session are refused by the other process at the next request", async () => {
  for (let round = 0; round < 5; round++) {
    const { key, cookie, session } = await newPerson();
    expect([await statusAtOther({ key }), await statusAtOther({ cookie })]).toEqual([200, 200]);
    await one.admin.members.remove({ userId: session.user.id });
    expect([await statusAtOther({ key }), await statusAtOther({ cookie })]).toEqual([401, 401]);
  }
});

test("a new role holds at the other process from the next request on", async () => {
  const { key, session } = await newPerson("viewer");
  for (let round = 0; round < ROUNDS; round++) {
    expect(await writeAtOther(key)).toBe(403);
    await one.admin.members.edit({ userId: session.user.id, role: "member" });
    expect(await writeAtOther(key)).toBe(201);
    await one.admin.members.edit({ userId: session.user.id, role: "viewer" });
  }
});

test("a key's permissions and expiry apply at every process from its first request on", async () => {
  const key = async (more: object) => (await one.admin.keys.create({ project_id: one.project.id, ...more })).secret;
  const worker = await key({ permissions: ["ingest"] });
  const reader = await key({ permissions: ["read"] });
  expect([await statusAtOther({ key: worker }), await statusAtOther({ key: reader })]).toEqual([403, 200]);
  expect([await writeAtOther(reader), await writeAtOther(await key({ permissions: ["write"] }))]).toEqual([403, 201]);
  const short = await key({ expires_at: new Date(Date.now() + 1_000).toISOString() });
  expect(await statusAtOther({ key: short })).toBe(200);
  await until("the key has expired at both", async () => {
    const here = await send(one.url, { method: "GET", path: "/v1/projects", key: short });
    return here.status === 401 && (await statusAtOther({ key: short })) === 401;
  });
});

test("keys that end with a password, a sign-out or an admin's word are refused by the other process at the next request", async () => {
  for (let round = 0; round < 3; round++) {
    const { key, client, session } = await newPerson();
    const { secret } = await client.keys.create({ permissions: ["read"] });
    expect([await statusAtOther({ key }), await statusAtOther({ key: secret })]).toEqual([200, 200]);
    const end = [
      () => one.admin.members.revokeKeys({ userId: session.user.id }),
      () => client.accounts.revokeSessions({ revoke_keys: true }),
      () =>
        client.accounts.changePassword({
          current_password: PASSWORD,
          new_password: `${PASSWORD} 2`,
          revoke_keys: true,
        }),
    ][round]!;
    await end();
    expect([await statusAtOther({ key }), await statusAtOther({ key: secret })]).toEqual([401, 401]);
  }
});

test("an owner who lost everything gets an address on the databases, which works at each process once", async () => {
  const { email, address, token } = await resetOwner({ ...processes.databases, SVC_BASE_URL: one.url }, {});
  expect([email, address]).toEqual(["admin@acme.test", `${one.url}/reset/${token}`]);
  const use = (url: string) =>
    send(url, { method: "POST", path: "/api/auth/reset-password", json: { token, new_password: PASSWORD } });
  expect([(await use(other.url)).status, (await use(one.url)).status]).toEqual([200, 403]);
});

test("a project's new name selects it at the other process from the next request on", async () => {
  const { project } = await one.admin.projects.create({ name: "Day shift" });
  for (let round = 0; round < 5; round++) {
    const name = `Shift ${round}`;
    await one.admin.projects.edit({ projectId: project.id, name });
    await expect(other.admin.tests.list({ project: name })).resolves.toBeTruthy();
  }
});

test("requests that ask at the same moment as a revoke never outlive it", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id, secret } = await one.admin.keys.create({ name: `round ${round}` });
    const crowd = Array.from({ length: 20 }, () => statusAtOther({ key: secret }));
    await one.admin.keys.revoke({ apiKeyId: id });
    expect(await statusAtOther({ key: secret })).toBe(401);
    for (const status of await Promise.all(crowd)) expect([200, 401]).toContain(status);
  }
});
