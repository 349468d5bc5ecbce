import { createClient } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBareService } from "../support/bare-service.ts";
import { type Person, signUp } from "../support/people.ts";
import { type Ask, expectRefusal, jsonOf, type Reply, send } from "../support/request.ts";
import { type SharedServer, shareServer } from "../support/shared-server.ts";

const ALLOWED = "http://localhost:5173";
const FOREIGN = ["http://localhost:5174", "https://localhost:5173", "http://localhost:5173.evil.test", "null", ""];

let service: Awaited<ReturnType<typeof openBareService>>;
let person: Person;
let usual: SharedServer;
beforeAll(async () => {
  service = await openBareService({ SVC_CORS_ORIGINS: `https://app.acme.test, ${ALLOWED}` });
  person = await signUp(service.url, "ada@acme.test");
  usual = await shareServer();
});
afterAll(async () => {
  await service.stop();
  await usual.stop();
});

/** Returns the CORS headers and `Vary` of a reply. */
const corsOf = ({ headers }: Reply) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-") || name === "vary"));

const preflight = (path: string, origin: string): Ask => ({
  method: "OPTIONS",
  path,
  headers: {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type,idempotency-key",
  },
});

/** Requests with each kind of outcome, and the status that a caller with the key gets. */
const requests: [string, Ask, number][] = [
  ["an answer", { method: "GET", path: "/api/keys" }, 200],
  ["a public answer", { method: "GET", path: "/health" }, 200],
  ["a created resource", { method: "POST", path: "/api/keys", json: { name: "From a page" } }, 201],
  ["a refusal", { method: "GET", path: "/api/tests/tst_unknown" }, 404],
  ["an invalid body", { method: "POST", path: "/v1/projects", json: {} }, 400],
  ["an unknown path", { method: "GET", path: "/v1/nothing" }, 404],
  ["an unknown method", { method: "PUT", path: "/api/tests" }, 405],
];

describe("a page of an allowed origin", () => {
  test.each(["/v1/runs", "/api/tests", "/v1/traces", "/v1/nothing"])(
    "its preflight of %s is answered without a credential",
    async (path) => {
      const reply = await send(service.url, preflight(path, ALLOWED));
      expect({ status: reply.status, text: reply.text }).toEqual({ status: 204, text: "" });
      const cors = corsOf(reply);
      expect(cors).toMatchObject({
        "access-control-allow-origin": ALLOWED,
        "access-control-allow-methods": expect.stringMatching(/GET.*POST|POST.*GET/),
        "access-control-allow-headers": expect.stringMatching(/Authorization, Content-Type, .*Idempotency-Key/),
        vary: expect.stringContaining("Origin"),
      });
      expect(cors["access-control-allow-headers"]).not.toMatch(/cookie|\*/i);
      expect(cors).not.toHaveProperty("access-control-allow-credentials");
    },
  );

  test.each(requests)("a page of an allowed origin may read %s to a request with a key", async (_, ask, status) => {
    const reply = await send(service.url, { ...ask, key: person.key, headers: { origin: ALLOWED } });
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status });
    expect(corsOf(reply)).toMatchObject({
      "access-control-allow-origin": ALLOWED,
      "access-control-expose-headers": expect.stringContaining("X-Request-Id, Retry-After"),
      vary: expect.stringContaining("Origin"),
    });
    expect(reply.headers.has("access-control-allow-credentials")).toBe(false);
  });

  test("a page of an allowed origin may read that its request has no key", async () => {
    const reply = await send(service.url, { method: "GET", path: "/api/tests", headers: { origin: ALLOWED } });
    expectRefusal(reply, "not_authenticated");
    expect(corsOf(reply)["access-control-allow-origin"]).toBe(ALLOWED);
  });

  test("a page of an allowed origin changes nothing with a visitor's session, and may read no answer to it", async () => {
    const { cookie } = person;
    const change = await send(service.url, {
      method: "POST",
      path: "/api/keys",
      json: {},
      headers: { cookie, origin: ALLOWED },
    });
    expectRefusal(change, "not_permitted");
    const read = await send(service.url, { method: "GET", path: "/api/keys", headers: { cookie, origin: ALLOWED } });
    for (const reply of [change, read]) expect(reply.headers.has("access-control-allow-credentials")).toBe(false);
  });

  test("the SDK works there: it sends only headers that the preflight allows", async () => {
    const sent = new Set<string>();
    const client = createClient({
      baseUrl: service.url,
      apiKey: person.key,
      fetch: (address, init) => {
        for (const name of new Headers(init?.headers).keys()) sent.add(name);
        return fetch(address, init);
      },
    });
    await client.tests.create({ name: "n", scenario: "s", expected_behaviors: ["b"], project: "Default" });
    await client.runs
      .create({ suiteId: "ste_x", agentId: "agt_x", connectionId: "con_x", idempotencyKey: "seven" })
      .catch(() => undefined);
    await client.traces.ingest({ body: "{}", contentType: "application/json", gzip: true }).catch(() => undefined);
    const allowed = corsOf(await send(service.url, preflight("/v1/runs", ALLOWED)))["access-control-allow-headers"]!;
    expect([...sent].filter((name) => !allowed.toLowerCase().split(", ").includes(name))).toEqual([]);
    expect(sent.size).toBe(4);
  });
});

describe("a page of another origin", () => {
  test.each(FOREIGN)("the origin %j gets the preflight's answer of a service without the setting", async (origin) => {
    for (const url of [service.url, usual.url]) {
      const reply = await send(url, preflight("/api/tests", origin));
      expectRefusal(reply, "method_not_allowed");
      expect(corsOf(reply)).toEqual({});
    }
  });

  test.each(requests)("%s has no header of CORS", async (_, ask, status) => {
    for (const origin of FOREIGN) {
      const reply = await send(service.url, { ...ask, key: person.key, headers: { origin } });
      expect([origin, reply.status, corsOf(reply)]).toEqual([origin, status, {}]);
    }
  });

  test("without the setting, no origin is allowed", async () => {
    const ask = { method: "GET", path: "/api/tests", key: usual.projectKey, headers: { origin: ALLOWED } };
    const reply = await send(usual.url, ask);
    expect([reply.status, corsOf(reply)]).toEqual([200, {}]);
    expectRefusal(await send(usual.url, preflight("/api/tests", ALLOWED)), "method_not_allowed");
  });

  test("a session's change is refused, and the service's own origin keeps it", async () => {
    const change = (origin: string): Ask => ({
      method: "POST",
      path: "/api/keys",
      json: {},
      headers: { cookie: person.cookie, origin },
    });
    for (const origin of FOREIGN) expectRefusal(await send(service.url, change(origin)), "not_permitted");
    const reply = await send(service.url, change(service.url));
    expect([reply.status, corsOf(reply), typeof jsonOf<{ secret: string }>(reply).secret]).toEqual([201, {}, "string"]);
  });

  test("the pages and the reference have no header of CORS, even for an allowed origin", async () => {
    const reply = await send(service.url, { method: "GET", path: "/docs/reference", headers: { origin: ALLOWED } });
    expect([reply.status, reply.headers.get("access-control-allow-origin")]).toEqual([200, null]);
  });
});
