import { allOperations, type AuditLine, type Operation } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { totpCodeAt } from "../../packages/server/src/tenancy/second-factor/totp.ts";
import { linesOf, linesOfReply, requestIdOf } from "../support/audit.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { openFakeIdentityProvider } from "../support/identity-provider/fake.ts";
import { INPUTS, type OperationName } from "../support/operation-inputs.ts";
import { askOf } from "../support/operation-request.ts";
import { newAddress } from "../support/operation-resources.ts";
import { cookieOf, join, PASSWORD, signUp } from "../support/people.ts";
import { type Ask, expectRefusal, jsonOf, type Reply, send } from "../support/request.ts";
import { until } from "../support/until.ts";
import { openWorld, type World } from "../support/world.ts";

/** Operations that use a method for changes but leave no audit line. The contract gives the reason of each. */
const LEFT_OUT = [
  "secondFactor.newSecret",
  "passkeys.challenge",
  "singleSignOn.start",
  "device.code",
  "invitations.preview",
  "tests.readBehaviors",
  "tests.draftFromPrompt",
  "tests.draftVariants",
  "traces.ingest",
  "simulations.useTool",
  "simulations.bridge",
  "monitoring.discover",
  "service.check",
  "alertRules.preview",
  "review.next",
];
/** Operations that read recordings, exports or keys. */
const SENSITIVE = [
  "keys.list",
  "providerKeys.list",
  "languageModel.get",
  "exports.file",
  "recordings.audioOfSimulation",
  "recordings.audioOfConversation",
  "audit.export",
];
/** Operations with status 201 whose answer has no record with an id. */
const WITHOUT_RECORD = new Set(["sample.start", "judge.calibrate", "members.resetPassword"]);
/** Decides by the method and these lists, independently of the rule in the contract. */
const hasLine = (name: string, { method }: Operation): boolean =>
  SENSITIVE.includes(name) || (method !== "GET" && !LEFT_OUT.includes(name));

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(async () => {
  await w.stop();
  for (const stop of stops) await stop();
});

/** These operations end or change a session, so each request uses the session of a new person. */
const OF_FRESH_PERSON = new Set([
  "accounts.signOut",
  "accounts.revokeSessions",
  "accounts.changePassword",
  "accounts.leaveOrganization",
  "accounts.deleteUser",
  "secondFactor.enable",
  "passkeys.options",
]);

/** Creates a member of Acme with a passkey and a recovery code. */
async function personWithPasskey() {
  const { client, cookie } = await join(w.url, w.admin, newAddress(), "viewer");
  const device = createAuthenticator(w.url);
  const { challenge } = await client.passkeys.options({ password: PASSWORD });
  const { passkey, recovery_codes } = await client.passkeys.add({ name: "A phone", ...device.create(challenge) });
  return { client, cookie, device, passkey, shown: { password: PASSWORD, recovery_code: recovery_codes![0]! } };
}

/** For each operation: members of the body, and cookies, that only a real device or identity provider can give. */
const PROVED: Partial<Record<string, () => Promise<Partial<Ask>>>> = {
  "secondFactor.newRecoveryCodes": async () => {
    const { cookie, shown } = await personWithPasskey();
    return { cookie, json: shown };
  },
  "secondFactor.disable": async () => {
    const { client, cookie } = await join(w.url, w.admin, newAddress(), "viewer");
    const { secret } = await client.secondFactor.newSecret();
    const code = totpCodeAt(secret, Date.now());
    const { recovery_codes } = await client.secondFactor.enable({ password: PASSWORD, secret, code });
    return { cookie, json: { password: PASSWORD, recovery_code: recovery_codes![0] } };
  },
  "passkeys.add": async () => {
    const { client, cookie } = await join(w.url, w.admin, newAddress(), "viewer");
    const { challenge } = await client.passkeys.options({ password: PASSWORD });
    return { cookie, json: { name: "A phone", ...createAuthenticator(w.url).create(challenge) } };
  },
  "passkeys.remove": async () => {
    const { cookie, passkey, shown } = await personWithPasskey();
    return { cookie, json: { passkey_id: passkey.id, ...shown } };
  },
  "passkeys.signIn": async () => {
    const { client, device } = await personWithPasskey();
    const { challenge } = await client.passkeys.challenge();
    return { json: { passkey: device.get(challenge) } };
  },
  "singleSignOn.finish": async () => {
    const { email, session } = await join(w.url, w.admin, newAddress(), "viewer");
    const provider = await openFakeIdentityProvider();
    stops.push(provider.stop);
    await w.admin.singleSignOn.set({ issuer: provider.issuer, ...provider.client, domains: ["acme.test"] });
    const path = "/api/auth/single-sign-on/start";
    const reply = await send(w.url, { method: "POST", path, json: { organization_id: session.organization.id } });
    const { url } = jsonOf<{ url: string }>(reply);
    return { cookie: cookieOf(reply), json: await provider.authorize(url, { sub: "somebody", email }) };
  },
};
const stops: (() => Promise<void>)[] = [];

/** Returns a request of the operation that succeeds. */
async function askFor(name: string, op: Operation): Promise<Ask> {
  const input = await INPUTS[name as OperationName](w);
  const ask = askOf(op, { project: w.project.id, projectId: w.project.id, ...input });
  if (name === "simulations.useTool") return ask;
  if (PROVED[name]) return { ...ask, ...(await PROVED[name]()) };
  if (name === "accounts.switchOrganization") return { ...ask, cookie: w.member.cookie };
  if (OF_FRESH_PERSON.has(name)) return { ...ask, cookie: (await join(w.url, w.admin, newAddress(), "viewer")).cookie };
  if (name === "invitations.accept") {
    const guest = await signUp(w.url, newAddress());
    const { token } = await w.admin.invitations.create({ email: guest.email, role: "viewer" });
    return { ...ask, json: { token }, cookie: guest.cookie };
  }
  if (op.credential === "session") return { ...ask, cookie: w.adminCookie };
  if (op.credential === "public") return ask;
  return { ...ask, key: op.permission === "ingest" ? w.projectKey : w.adminKey };
}

describe("every operation, executed once", () => {
  type Use = { name: string; op: Operation; ask: Ask; reply: Reply };
  const uses: Use[] = [];
  let lines: AuditLine[];

  beforeAll(async () => {
    for (const { name, operation: op } of allOperations) {
      const ask = await askFor(name, op);
      uses.push({ name, op, ask, reply: await send(w.url, ask) });
    }
    const founder = uses.find(({ name }) => name === "accounts.signUp")!.reply;
    const admins = [{ key: w.adminKey }, { key: w.stranger.key }, { cookie: cookieOf(founder) }];
    const requested = uses.find(({ name }) => name === "accounts.requestPasswordReset")!.reply;
    await until("the line is written for which no answer waits", async () => (await linesOfReply(w, requested))[0]);
    lines = (await Promise.all(admins.map((admin) => linesOf(w, admin)))).flat();
  });

  test("every operation, executed once leaves exactly one line when it changes something or reads recordings, exports or keys, and else none", () => {
    const expected = uses.map(({ name, op }) => `${name}: ${hasLine(name, op) ? 1 : 0}`);
    const actual = uses.map(({ name, reply }) => {
      const own = lines.filter(({ requestId }) => requestId === requestIdOf(reply));
      return `${name}: ${own.length}`;
    });
    expect(actual).toEqual(expected);
  });

  test("the line says what was done, by whom, from where and how it ended", async () => {
    const { users, keys } = await idsOfAcme();
    for (const { name, op, ask, reply } of uses.filter(({ name, op }) => hasLine(name, op))) {
      const line = lines.find(({ requestId }) => requestId === requestIdOf(reply))!;
      const hasNoModel = name === "judge.calibrate";
      if (name !== "simulations.useTool" && !hasNoModel) expect([name, reply.status]).toEqual([name, op.status]);
      expect(line, name).toMatchObject({
        operation: name,
        outcome: hasNoModel ? "refused" : "done",
        error: hasNoModel ? "conflict" : null,
        address: expect.stringMatching(/^10\.\d+\.\d+\.\d+$/),
        projectId: op.scope === "project" ? w.project.id : null,
      });
      const { via, key, userId, email, sessionId } = line.actor;
      if (ask.key !== undefined) {
        expect([name, via, key, email]).toEqual([name, "key", keys.get(ask.key), "admin@acme.test"]);
        expect(users).toContain(userId);
      } else {
        const isSession = sessionId !== null;
        expect([name, via, key]).toEqual([name, isSession ? "session" : "none", null]);
        expect(isSession, name).toBe(
          !["accounts.requestPasswordReset", "accounts.resetPassword", "device.token"].includes(name),
        );
        expect(email, name).toMatch(/@/);
      }
      if (name === "device.token") expect(line.resource).toMatchObject({ kind: "API key" });
      const inPath = Object.keys(op.params?.shape ?? {});
      if (inPath.length > 0 || (op.status === 201 && !WITHOUT_RECORD.has(name)))
        expect(line.resource, name).not.toBeNull();
      if (inPath.length > 0 && op.status !== 201) expect(ask.path).toContain(encodeURIComponent(line.resource!.id));
      if (op.status === 201 && !WITHOUT_RECORD.has(name) && line.resource!.kind !== "user")
        expect(reply.text, name).toContain(line.resource!.id);
    }
  });

  test("no line has a secret, a text of a body, or a part of an answer", () => {
    const written = JSON.stringify(lines);
    const texts = new Set([PASSWORD, w.adminKey, w.projectKey, w.adminCookie.split("=")[1]!, w.platformA.apiKey]);
    const collect = (value: unknown): void => {
      if (typeof value === "string") texts.add(value);
      else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
    };
    const SECRETS = new Set(["secret", "token", "access_token", "device_code", "user_code"]);
    for (const { ask, reply } of uses) {
      collect(ask.json);
      if (!reply.headers.get("content-type")?.startsWith("application/json")) continue;
      for (const [name, value] of Object.entries(jsonOf<Record<string, unknown>>(reply)))
        if (SECRETS.has(name)) collect(value);
    }
    const isShown = (text: string) => text.length < 8 || /@|^[a-z]{3,4}_[0-9a-z]{26}$/.test(text);
    const wanted = [...texts].filter((text) => !isShown(text));
    expect(wanted.length).toBeGreaterThan(20);
    expect(wanted.filter((text) => written.includes(text))).toEqual([]);
  });

  test("each organization sees its own lines only", async () => {
    const ofStranger = await linesOf(w, { key: w.stranger.key });
    const ids = new Set((await linesOf(w)).map(({ id }) => id));
    expect(ofStranger.length).toBeGreaterThan(0);
    expect(ofStranger.filter(({ id }) => ids.has(id))).toEqual([]);
    const people = new Set(ofStranger.map(({ actor }) => actor.email));
    expect([...people]).toEqual(["stranger@elsewhere.test"]);
  });

  test("the list has the lines of the export, newest first, page by page, and finds them by each filter", async () => {
    const all = (await linesOf(w)).toReversed();
    const listed: AuditLine[] = [];
    for (let pageToken: string | undefined; ;) {
      const page = await w.admin.audit.list({
        pageSize: 200,
        ...(pageToken !== undefined && { pageToken }),
        to: all[0]!.at,
      });
      listed.push(...page.lines);
      if (page.nextPageToken === null) break;
      pageToken = page.nextPageToken;
    }
    expect(listed).toEqual(all.filter(({ at }) => at < all[0]!.at));

    const some = listed.find(({ operation, resource }) => operation === "tests.create" && resource !== null)!;
    const key = listed.find(({ actor }) => actor.key !== null)!.actor.key!;
    const FILTERS: [Record<string, string>, (line: AuditLine) => boolean][] = [
      [{ actor: "Member@acme.test" }, ({ actor }) => actor.email === "member@acme.test"],
      [{ actor: some.actor.userId! }, ({ actor }) => actor.userId === some.actor.userId],
      [{ actor: key.id }, ({ actor }) => actor.key?.id === key.id],
      [{ operation: "keys.create" }, ({ operation }) => operation === "keys.create"],
      [{ operation: "keys" }, ({ operation }) => operation.startsWith("keys.")],
      [{ resource: some.resource!.id }, ({ resource }) => resource?.id === some.resource!.id],
      [{ outcome: "refused" }, ({ outcome }) => outcome === "refused"],
      [
        { outcome: "done", operation: "runs" },
        ({ outcome, operation }) => outcome === "done" && operation.startsWith("runs."),
      ],
      [{ outcome: "failed" }, ({ outcome }) => outcome === "failed"],
      [{ outcome: "unknown" }, ({ outcome }) => outcome === "unknown"],
      [{ from: some.at }, ({ at }) => at >= some.at],
      [{ from: "2020-01-01T00:00:00+02:00", to: some.at }, ({ at }) => at < some.at],
    ];
    for (const [filter, matches] of FILTERS) {
      const to = filter["to"] ?? all[0]!.at;
      const found = await linesOf(w, { key: w.adminKey }, `?${new URLSearchParams({ ...filter, to }).toString()}`);
      expect(found, JSON.stringify(filter)).toEqual(
        listed
          .filter(matches)
          .filter(({ at }) => at < to)
          .toReversed(),
      );
    }
    expectRefusal(
      await send(w.url, { method: "GET", path: "/v1/audit?pageToken=tst_1", key: w.adminKey }),
      "unprocessable",
    );
  });
});

/** Returns the ids of Acme's people, and for each secret of its keys the name and id that an audit line shows. */
async function idsOfAcme() {
  const { keys } = await w.admin.keys.list();
  const shown = (secret: string): [string, unknown] => {
    const { id, name, looks_like: looksLike } = keys.find(({ looks_like }) => looks_like.endsWith(secret.slice(-4)))!;
    return [secret, { id, name, looksLike }];
  };
  return {
    users: keys.map(({ created_by_user_id }) => created_by_user_id),
    keys: new Map([w.adminKey, w.projectKey].map(shown)),
  };
}
