import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createRateLimit, createTokenBucket } from "../../packages/server/src/http/rate-limit.ts";
import { encodeJson, oneSpan } from "../support/otlp.ts";
import { signUp } from "../support/people.ts";
import { type Ask, expectRefusal, freshAddress, jsonOf, send } from "../support/request.ts";
import { startServer, type TestServer } from "../support/server.ts";

const DEFAULT_LIMIT = 600;
/** The number of requests that the start of the spec's service makes with Acme's key. */
const SPENT_BEFORE = 1;

describe("an organization's requests", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({
      settings: { SVC_RATE_LIMIT_PER_MINUTE: "", SVC_OPEN_SIGNUP: "true", SVC_TRUST_PROXY: "true" },
    });
  });
  afterAll(() => server.stop());

  const read = (key: string) => send(server.url, { method: "GET", path: "/v1/organization", key });

  test("an organization may send six hundred requests a minute; headers state the remaining number, and the next request is refused", async () => {
    const spare = await server.admin.keys.create({ name: "made in time" });
    const first = await read(server.adminKey);
    expect(first.headers.get("ratelimit-limit")).toBe(`${DEFAULT_LIMIT}`);
    expect(first.headers.get("ratelimit-remaining")).toBe(`${DEFAULT_LIMIT - SPENT_BEFORE - 2}`);
    const reset = Number(first.headers.get("ratelimit-reset"));
    expect(reset).toBeGreaterThan(0);
    expect(reset).toBeLessThanOrEqual(60);

    const rest = await Promise.all(
      Array.from({ length: DEFAULT_LIMIT - SPENT_BEFORE - 2 }, () => read(server.adminKey)),
    );
    expect(rest.filter(({ status }) => status !== 200)).toEqual([]);

    const refused = await read(server.adminKey);
    expectRefusal(refused, "too_many_requests");
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(reset);
    expect(refused.headers.get("ratelimit-remaining")).toBe("0");

    expectRefusal(await read(spare.secret), "too_many_requests");
    expectRefusal(await read(server.projectKey), "too_many_requests");
  });

  test("one organization's requests do not limit another organization or the health endpoint", async () => {
    const stranger = await signUp(server.url, "stranger@elsewhere.test");
    expect((await read(stranger.key)).status).toBe(200);
    expect((await send(server.url, { method: "GET", path: "/health", key: server.adminKey })).status).toBe(200);
  });

  test("a request over the limit is refused before its body is read", async () => {
    const body = Buffer.alloc(2 * 1024 * 1024);
    const ask: Ask = {
      method: "POST",
      path: "/api/tests",
      key: server.adminKey,
      body,
      headers: { "content-type": "application/json" },
    };
    expectRefusal(await send(server.url, ask), "too_many_requests");
  });
});

test("exports, refused requests and requests of sessions count too", async () => {
  const server = await startServer({ settings: { SVC_RATE_LIMIT_PER_MINUTE: "20" } });
  const remaining = async (ask: Ask) => Number((await send(server.url, ask)).headers.get("ratelimit-remaining"));
  const exported = { path: "/v1/traces", body: encodeJson(oneSpan()), headers: { "content-type": "application/json" } };
  const start = await remaining({ method: "GET", path: "/v1/organization", key: server.adminKey });
  expect(await remaining({ method: "POST", key: server.projectKey, ...exported })).toBe(start - 1);
  expect(await remaining({ method: "POST", key: server.adminKey, ...exported })).toBe(start - 2);
  expect(await remaining({ method: "GET", path: "/api/tests/none", key: server.adminKey })).toBe(start - 3);
  const signIn = { email: "admin@acme.test", password: "correct horse battery" };
  const signedIn = await send(server.url, { method: "POST", path: "/api/auth/sign-in/email", json: signIn });
  const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!;
  expect(await remaining({ method: "GET", path: "/v1/organization", cookie })).toBe(start - 4);
  await server.stop();
});

test("requests of OTLP exporters have their own rate limit when one is set, and an exporter may repeat a refused one after at most five seconds", async () => {
  const server = await startServer({
    settings: { SVC_RATE_LIMIT_PER_MINUTE: "20", SVC_INGEST_RATE_LIMIT_PER_MINUTE: "30" },
  });
  const exported: Ask = {
    method: "POST",
    path: "/v1/traces",
    key: server.projectKey,
    body: encodeJson(oneSpan()),
    headers: { "content-type": "application/json" },
  };
  const replies = await Promise.all(Array.from({ length: 45 }, () => send(server.url, exported)));
  const refused = replies.filter(({ status }) => status === 429);
  expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(30);
  expect(refused.length).toBeGreaterThan(0);
  for (const reply of refused) expect(Number(reply.headers.get("retry-after"))).toBeLessThanOrEqual(5);
  const others = await send(server.url, { method: "GET", path: "/v1/organization", key: server.adminKey });
  expect(others.status).toBe(200);
  expect(others.headers.get("ratelimit-limit")).toBe("20");
  await server.stop();
});

test("a bucket admits its rate however the requests are spread, and a client that waits as asked is admitted", () => {
  fc.assert(
    fc.property(fc.integer({ min: 12, max: 10_000 }), fc.array(fc.nat(3_000), { maxLength: 200 }), (limit, gaps) => {
      const bucket = createTokenBucket(limit);
      let now = 0;
      let admitted = 0;
      for (const gap of gaps) {
        now += gap;
        const window = bucket.count("acme", now);
        if (!window.exceeded) admitted++;
        else {
          now += window.resetSeconds * 1000;
          expect(bucket.count("acme", now).exceeded).toBe(false);
          admitted++;
        }
      }
      expect(admitted).toBeLessThanOrEqual(limit + (now * limit) / 60_000 + 1);
    }),
  );
});

test("guessed keys are limited per address; valid keys and other addresses are not", async () => {
  const server = await startServer({ settings: { SVC_TRUST_PROXY: "true" } });
  const address = freshAddress();
  const guess = (from: string, key = "svc_sk_guess") =>
    send(server.url, { method: "GET", path: "/v1/organization", key, headers: { "x-forwarded-for": from } });
  const replies = await Promise.all(Array.from({ length: 100 }, () => guess(address)));
  const slowed = replies.filter(({ status }) => status === 429);
  expect(slowed.length).toBe(40);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401, 429]));
  expect(jsonOf<{ error: string }>(slowed[0]!).error).toBe("too_many_requests");
  expect((await guess(address, server.adminKey)).status).toBe(200);
  expect((await guess(address)).status).toBe(429);
  expect((await guess(freshAddress())).status).toBe(401);
  await server.stop();
});

test("a window ends after one minute even when the machine's clock is set back", () => {
  const requests = createRateLimit(1);
  requests.count("an organization");
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() - 24 * 3_600_000);
  try {
    expect(requests.count("an organization").resetSeconds).toBeLessThanOrEqual(60);
  } finally {
    clock.mockRestore();
  }
});
