import fc from "fast-check";
import { DEVICE_GRANT, LIMITS } from "@svc/contract";
import { createClient } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  decidePoll,
  type DeviceRow,
  normalUserCode,
  shownUserCode,
  USER_CODE_LETTERS,
} from "../../packages/server/src/tenancy/device-sign-in/rules.ts";
import { openBareService } from "../support/bare-service.ts";
import { openHome } from "../support/cli.ts";
import { join, type Person, signUp } from "../support/people.ts";
import { type Ask, expectRefusal, freshAddress, jsonOf, send } from "../support/request.ts";
import { startServer } from "../support/server.ts";
import { until } from "../support/until.ts";

type Codes = { device_code: string; user_code: string; interval: number; expires_in: number; verification_uri: string };

let service: Awaited<ReturnType<typeof openBareService>>;
let admin: Person;
beforeAll(async () => {
  service = await openBareService({ SVC_OPEN_SIGNUP: "true" });
  admin = await signUp(service.url, "admin@acme.test");
});
afterAll(() => service.stop());

let serial = 0;
const address = () => `device-person-${++serial}@acme.test`;
const ask = (more: Partial<Ask> & { path: string }) => send(service.url, { method: "POST", ...more });
const newCodes = async (client_name = "laptop") =>
  jsonOf<Codes>(await ask({ path: "/api/device/code", json: { client_name } }));
const poll = (device_code: string) =>
  ask({ path: "/api/device/token", json: { grant_type: DEVICE_GRANT, device_code } });
const decide = (what: "approve" | "deny", { cookie }: Person, user_code: string, more: Partial<Ask> = {}) =>
  ask({ path: `/api/device/${what}`, cookie, json: { user_code }, ...more });

describe("the sign-in of a device", () => {
  test("the service answers both codes in the members of RFC 8628, and a user code without vowels and digits", async () => {
    const codes = await newCodes();
    expect(codes).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(new RegExp(`^[${USER_CODE_LETTERS}]{4}-[${USER_CODE_LETTERS}]{4}$`)),
      verification_uri: `${service.url}/device`,
      verification_uri_complete: `${service.url}/device?user_code=${codes.user_code}`,
      expires_in: LIMITS.deviceCodeSeconds,
      interval: LIMITS.devicePollSeconds,
    });
  });

  test("the address that a device shows, and an unknown code, say how to go on", async () => {
    const page = await send(service.url, { method: "GET", path: "/device" });
    expectRefusal(page, "not_found");
    expect(jsonOf<{ message: string }>(page).message).toContain("svc login --approve");
    const unknown = await decide("approve", admin, "BCDF-GHJK");
    expectRefusal(unknown, "not_found");
    expect(jsonOf<{ message: string }>(unknown).message).toMatch(/^No device waits for this code\./);
  });

  test("a client of OAuth 2.0 sends forms: unknown members are ignored, and a repeated member is refused", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" };
    const form = (path: string, body: string, more: Partial<Ask> = {}) => ask({ path, body, headers, ...more });
    const codes = jsonOf<Codes>(
      await form("/api/device/code", "client_id=tv&scope=&client_name=a+t%C3%A9l%C3%A9&audience=x"),
    );
    const { device_code, user_code } = codes;
    expect(await admin.client.device.get({ user_code })).toMatchObject({ client_name: "a télé" });
    const asked = new URLSearchParams({ grant_type: DEVICE_GRANT, device_code, client_id: "tv", client_secret: "x" });
    expectRefusal(await form("/api/device/token", String(asked)), "authorization_pending");
    expect((await decide("approve", admin, user_code)).status).toBe(204);
    expect(jsonOf(await form("/api/device/token", String(asked)))).toMatchObject({ token_type: "Bearer" });
    expectRefusal(await form("/api/device/token", `${asked}&device_code=y`), "invalid_request");
    expectRefusal(await form("/api/device/token", "grant_type=x"), "invalid_request");
    expectRefusal(
      await form("/api/device/approve", `user_code=${user_code}`, { cookie: admin.cookie }),
      "unsupported_media_type",
    );
  });

  test("an approved device gets a key with the person's role, named after the device, listed and revocable", async () => {
    const viewer = await join(service.url, admin.client, address(), "viewer");
    const { device_code, user_code } = await newCodes("the lab's laptop");
    expectRefusal(await poll(device_code), "authorization_pending");
    const seen = await viewer.client.device.get({ user_code: user_code.toLowerCase().replace("-", " ") });
    expect(seen).toMatchObject({ client_name: "the lab's laptop", status: "pending" });
    expect((await decide("approve", viewer, user_code)).status).toBe(204);
    const reply = await poll(device_code);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    const { access_token, token_type, organization } = jsonOf<{
      access_token: string;
      token_type: string;
      organization: object;
    }>(reply);
    expect([token_type, organization]).toEqual(["Bearer", admin.session.organization]);
    const device = createClient({ baseUrl: service.url, apiKey: access_token, retries: 0 });
    await expect(device.members.list()).rejects.toMatchObject({ code: "not_permitted" });
    const key = (await viewer.client.keys.list()).keys.find(({ name }) => name === "the lab's laptop")!;
    expect(key).toMatchObject({ scope: "organization", created_by_user_id: viewer.session.user.id });
    await viewer.client.keys.revoke({ apiKeyId: key.id });
    await expect(device.organization.get()).rejects.toMatchObject({ code: "not_authenticated" });
    expectRefusal(await poll(device_code), "invalid_grant");
  });

  test("a device code gives one key, even to two requests at once", async () => {
    const { device_code, user_code } = await newCodes();
    await decide("approve", admin, user_code);
    const replies = await Promise.all([poll(device_code), poll(device_code), poll(device_code)]);
    expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400, 400]);
  });

  test("the key belongs to the organization of the session that approved", async () => {
    const founder = await signUp(service.url, address());
    const { token } = await admin.client.invitations.create({ email: founder.email, role: "viewer" });
    await founder.client.invitations.accept({ token });
    const { device_code, user_code } = await newCodes();
    await decide("approve", founder, user_code, {
      headers: { "svc-organization": admin.session.organization.id },
    });
    expect(jsonOf<{ organization: object }>(await poll(device_code)).organization).toEqual(admin.session.organization);
  });

  test("a person who left between approval and request gives no key", async () => {
    const member = await join(service.url, admin.client, address(), "member");
    const other = await signUp(service.url, address());
    const { token } = await other.client.invitations.create({ email: member.email, role: "viewer" });
    await member.client.invitations.accept({ token });
    const { device_code, user_code } = await newCodes();
    await decide("approve", member, user_code);
    await admin.client.members.remove({ userId: member.session.user.id });
    expectRefusal(await poll(device_code), "access_denied");
    expectRefusal(await poll(device_code), "invalid_grant");
  });

  test("only a session of the service's pages approves: no key, no other origin", async () => {
    const { device_code, user_code } = await newCodes();
    const json = { user_code };
    expectRefusal(await ask({ path: "/api/device/approve", key: admin.key, json }), "not_authenticated");
    const headers = { cookie: admin.cookie, origin: "https://elsewhere.test" };
    expectRefusal(await ask({ path: "/api/device/approve", headers, json }), "not_permitted");
    expectRefusal(await poll(device_code), "authorization_pending");
  });

  test("guesses of user codes are limited per person and per network, and a right code does not pass the limit", async () => {
    const guesser = await join(service.url, admin.client, address(), "viewer");
    const { user_code } = await newCodes();
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const guess = Array.from({ length: 8 }, (_, letter) => USER_CODE_LETTERS[(at >> letter) % 20]).join("");
        return (await decide("approve", guesser, guess)).status;
      }),
    );
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expectRefusal(await decide("approve", guesser, user_code), "too_many_requests");
    const from = { "x-forwarded-for": freshAddress() };
    const other = await join(service.url, admin.client, address(), "viewer");
    const tries = await Promise.all(
      Array.from({ length: 32 }, (_, at) =>
        decide("deny", at % 2 === 0 ? other : admin, "BBBB-BBBB", { headers: from }),
      ),
    );
    expect(tries.some(({ status }) => status === 429)).toBe(true);
  });
});

describe("a device's request", () => {
  const row = (more: Partial<DeviceRow>): DeviceRow => ({
    id: "dev_x",
    device_code_sha256: "x",
    user_code: "BCDFGHJK",
    client_name: "laptop",
    status: "pending",
    user_id: null,
    organization_id: null,
    interval_seconds: 5,
    polled_ms: null,
    expires_ms: 600_000,
    created_at: "2026-11-22T00:00:00.000Z",
    ...more,
  });
  const codeOf = (device: DeviceRow, now: number) => {
    const poll = decidePoll(device, now);
    return poll.issue ? "issued" : poll.refusal.code;
  };

  test("an expired code of a device never gets a key, whatever a person decided", () => {
    for (const status of ["pending", "approved", "denied"] as const) {
      expect(codeOf(row({ status }), 600_000)).toBe("expired_token");
      expect(codeOf(row({ status }), 599_999)).not.toBe("expired_token");
    }
  });

  test("a device that waits for the interval is never slowed down, and one that does not waits longer each time", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 12_000 }), { minLength: 1, maxLength: 30 }), (gaps) => {
        let device = row({});
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          const early = device.polled_ms !== null && now - device.polled_ms < device.interval_seconds * 1000;
          const poll = decidePoll(device, now);
          if (poll.issue) throw new Error("a pending code gives no key");
          expect(poll.refusal.code).toBe(early ? "slow_down" : "authorization_pending");
          expect(poll.intervalSeconds).toBe(device.interval_seconds + (early ? 5 : 0));
          device = { ...device, polled_ms: now, interval_seconds: poll.intervalSeconds };
        }
      }),
    );
  });

  test("a typed code means the shown one, whatever its case, spaces and hyphens", () => {
    const letters = fc.array(fc.constantFrom(...USER_CODE_LETTERS), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(letters, fc.constantFrom("", " ", "-", " - ", "\t"), fc.boolean(), (code, gap, lower) => {
        const shown = shownUserCode(code.join(""));
        const typed = shown.replace("-", gap);
        expect(normalUserCode(lower ? typed.toLowerCase() : typed)).toBe(code.join(""));
      }),
    );
  });
});

describe("svc login", () => {
  test("a machine without a key signs in by a code that a person approves in another terminal, and works", async () => {
    const server = await startServer({ deviceIntervalSeconds: 1 });
    const [machine, person] = [openHome({ SVC_URL: server.url }), openHome({ SVC_URL: server.url })];
    try {
      const login = machine.start(["login", "--device"]);
      const code = await until("the code", () => /Your code is (\S+)/.exec(login.stderr())?.[1]);
      const env = { SVC_PASSWORD: "correct horse battery" };
      const approve = ["login", "--approve", code, "--email", "admin@acme.test"];
      const unsure = await person.svc(approve, { env });
      expect([unsure.exitCode, unsure.stderr]).toEqual([2, expect.stringContaining("--yes")]);
      const silent = await person.svc(approve);
      expect([silent.exitCode, silent.stderr]).toEqual([2, expect.stringContaining("no password in SVC_PASSWORD")]);
      const approved = await person.svc([...approve, "--yes"], { env });
      expect({ ...approved, stderr: "" }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Approved") });
      const { exitCode, stdout, stderr } = await login.ended;
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
      expect(stdout + stderr).not.toMatch(/svc_sk_[\w-]{10}/);
      expect((await machine.svc(["tests", "list"])).exitCode).toBe(0);
      const { keys } = await server.admin.keys.list();
      expect(keys.filter(({ name }) => name?.startsWith("svc CLI on "))).toHaveLength(2);
    } finally {
      machine.remove();
      person.remove();
      await server.stop();
    }
  });

  test("a denied machine says so and saves nothing", async () => {
    const server = await startServer({ deviceIntervalSeconds: 1 });
    const home = openHome({ SVC_URL: server.url });
    try {
      const login = home.start(["login", "--device"]);
      const user_code = await until("the code", () => /Your code is (\S+)/.exec(login.stderr())?.[1]);
      const json = { email: "admin@acme.test", password: "correct horse battery" };
      const signedIn = await send(server.url, { method: "POST", path: "/api/auth/sign-in/email", json });
      const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!;
      await send(server.url, { method: "POST", path: "/api/device/deny", cookie, json: { user_code } });
      const { exitCode, stderr } = await login.ended;
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining("denied")]);
      expect((await home.svc(["tests", "list"])).exitCode).toBe(1);
    } finally {
      home.remove();
      await server.stop();
    }
  });
});
