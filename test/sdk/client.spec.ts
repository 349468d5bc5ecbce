import type { ServerResponse } from "node:http";
import { readFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";
import { allOperations } from "@svc/contract";
import { type ClientOptions, createClient, pages, SvcError } from "@svc/sdk";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { answerJson, openFakeService, type Received } from "../support/fake-service.ts";

/** Of two operations that do the same, the client has one. */
const OFFERED = allOperations.filter(({ operation: { twinOf } }) => twinOf === undefined);
const KEY = `svc_sk_${"k".repeat(43)}`;

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

async function fake(answer: (asked: Received, response: ServerResponse) => void, options: Partial<ClientOptions> = {}) {
  const service = await openFakeService(answer);
  close = service.close;
  return { ...service, client: createClient({ baseUrl: service.url, apiKey: KEY, retries: 0, ...options }) };
}

const failureOf = async (call: Promise<unknown>): Promise<SvcError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SvcError);
  return error as SvcError;
};

describe("the client", () => {
  test("the client has a method for every operation of the contract without an equal one, and sends no request before a call", async () => {
    const { client, received } = await fake((_, response) => answerJson(response, 200, {}));
    const names = Object.entries(client).flatMap(([family, methods]) =>
      Object.keys(methods).map((name) => `${family}.${name}`),
    );
    expect(names.sort()).toEqual(OFFERED.map(({ name }) => name).sort());
    const equals = allOperations.flatMap(({ operation: { twinOf } }) => twinOf ?? []);
    expect(equals).toEqual(["runs.create"]);
    expect(names).toEqual(expect.arrayContaining(equals));
    expect(received).toEqual([]);
  });

  test.each(OFFERED)(
    "the client sends $name with its method and path, and each input member in its place",
    async ({ name, operation: op }) => {
      const { client, received } = await fake((_, response) => response.writeHead(204).end());
      const [family, method] = name.split(".") as [string, string];
      const members = (schema: { shape: object } | undefined) => Object.keys(schema?.shape ?? {});
      const body = op.body === "otlp" ? undefined : op.body;
      const input = Object.fromEntries(
        [...members(op.params), ...members(op.query), ...members(body)].map((member) => [member, `<${member}> /?&=é`]),
      );
      const families = client as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>;
      const sent = op.body === "otlp" ? { body: "{}", contentType: "application/json" } : { ...input, unknown: 1 };
      await families[family]![method]!(sent);
      const [asked] = received;
      expect(received).toHaveLength(1);
      const url = new URL(asked!.url, "http://svc.test");
      expect(asked!.method).toBe(op.method);
      expect(url.pathname.split("/").map(decodeURIComponent)).toEqual(
        op.path.split("/").map((part) => part.replace(/^\{(\w+)\}$/, (_, member: string) => input[member]!)),
      );
      expect(Object.fromEntries(url.searchParams)).toEqual(
        Object.fromEntries(members(op.query).map((member) => [member, input[member]])),
      );
      if (body)
        expect(JSON.parse(asked!.body.toString())).toEqual(
          Object.fromEntries(members(body).map((member) => [member, input[member]])),
        );
      else if (op.body === undefined) expect(asked!.body).toHaveLength(0);
      expect(asked!.headers.authorization).toBe(`Bearer ${KEY}`);
    },
  );

  test("the client accepts undefined options", async () => {
    const unset = { apiKey: null, cookie: undefined, timeoutMs: undefined, retries: undefined, fetch: undefined };
    const { client, received } = await fake((_, response) => answerJson(response, 200, {}), unset);
    await client.health.get({}, { signal: undefined });
    expect(received.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test("the client omits undefined members and sends null, false and 0", async () => {
    const { client, received } = await fake((_, response) => answerJson(response, 201, {}));
    const mock_tools = [
      { tool: "t", answer: null },
      { tool: "u", answer: false, delay_ms: 0 },
    ];
    await client.tests.create({
      name: "n",
      scenario: "s",
      expected_behaviors: ["b"],
      mock_tools,
      project: undefined,
    });
    expect(JSON.parse(received[0]!.body.toString())).toEqual({
      name: "n",
      scenario: "s",
      expected_behaviors: ["b"],
      mock_tools,
    });
  });

  test("the client accepts a base URL with a path and a trailing slash", async () => {
    const { url, received } = await fake((_, response) => answerJson(response, 200, { items: [], next_cursor: null }));
    await createClient({ baseUrl: `${url}/voice//`, apiKey: KEY }).tests.list({ limit: 5 });
    expect(received[0]!.url).toBe("/voice/api/tests?limit=5");
  });

  test("the client sends a session cookie with the service's own origin, like a page of the service", async () => {
    const { client, received, url } = await fake((_, response) => answerJson(response, 201, {}), {
      cookie: "svc.session_token=x",
    });
    await client.projects.create({ name: "n" });
    expect(received[0]!.headers).toMatchObject({ cookie: "svc.session_token=x", origin: url });
  });

  test("the client sends an OTLP body unchanged, with its content type and encoding", async () => {
    const { client, received } = await fake((_, response) =>
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end(),
    );
    const body = Uint8Array.from([0, 255, 10, 13]);
    expect(await client.traces.ingest({ body, contentType: "application/x-protobuf", gzip: true })).toEqual({});
    expect(received[0]!.headers).toMatchObject({
      "content-type": "application/x-protobuf",
      "content-encoding": "gzip",
    });
    expect([...received[0]!.body]).toEqual([...body]);
  });

  test("the client returns an answer with another declared status, and undefined for 204", async () => {
    const health = {
      status: "unavailable",
      degraded: false,
      relational_store: "reachable",
      analytics_store: "unreachable",
    };
    const { client } = await fake(({ url }, response) =>
      url === "/health" ? answerJson(response, 503, health) : response.writeHead(204).end(),
    );
    expect(await client.health.get()).toEqual(health);
    expect(await client.tests.delete({ testId: "tst_x" })).toBeUndefined();
  });
});

describe("the settings of a client", () => {
  beforeEach(() => {
    for (const name of ["SVC_URL", "SVC_API_KEY"]) vi.stubEnv(name, undefined);
    return () => vi.unstubAllEnvs();
  });

  test("a client without options reads SVC_URL and SVC_API_KEY, and an option takes precedence", async () => {
    const { url, received } = await fake((_, response) => answerJson(response, 200, { keys: [] }));
    vi.stubEnv("SVC_URL", `${url}/`);
    vi.stubEnv("SVC_API_KEY", KEY);
    await createClient().keys.list();
    vi.stubEnv("SVC_URL", "http://127.0.0.1:9");
    await createClient({ baseUrl: url, apiKey: KEY.replace("kkk", "xyz") }).keys.list();
    expect(received.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${KEY}`,
      `Bearer ${KEY.replace("kkk", "xyz")}`,
    ]);
  });

  test("a client with a cookie or with null as its key sends no key of the environment", async () => {
    const { url, received } = await fake((_, response) => answerJson(response, 200, { keys: [] }));
    vi.stubEnv("SVC_API_KEY", KEY);
    await createClient({ baseUrl: url, cookie: "svc.session_token=x" }).keys.list();
    await createClient({ baseUrl: url, apiKey: null }).keys.list();
    expect(received.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  const baseUrl = "http://127.0.0.1:3100";
  const wrong: [string, ClientOptions, Record<string, string>, RegExp][] = [
    ["no address", { apiKey: KEY }, {}, /no address .*set SVC_URL, or pass `baseUrl`/],
    ["an empty SVC_URL", { apiKey: KEY }, { SVC_URL: " " }, /no address/],
    ["an address without a scheme", { baseUrl: "localhost:3100", apiKey: KEY }, {}, /`baseUrl` is not an http address/],
    ["SVC_URL without a scheme", { apiKey: KEY }, { SVC_URL: "127.0.0.1:3100" }, /SVC_URL is not an http address/],
    [
      "an address with a password",
      { baseUrl: "http://a:secret@svc.test", apiKey: KEY },
      {},
      /remove the user, password/,
    ],
    ["an address with a query", { baseUrl: `${baseUrl}?key=secret`, apiKey: KEY }, {}, /query/],
    ["no key", { baseUrl }, {}, /no API key: set SVC_API_KEY, or pass `apiKey`.*`apiKey: null`/],
    ["an empty key", { baseUrl, apiKey: "" }, { SVC_API_KEY: KEY }, /`apiKey` is empty/],
    ["an incomplete key", { baseUrl, apiKey: "svc_sk_secret" }, {}, /`apiKey` is not a complete key/],
    ["an incomplete SVC_API_KEY", { baseUrl }, { SVC_API_KEY: "secret" }, /SVC_API_KEY is not a complete key/],
  ];
  test.each(wrong)(
    "a client with %s is refused at once, and the message says what to set",
    (_, options, env, message) => {
      for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
      const create = () => createClient(options);
      expect(create).toThrow(TypeError);
      expect(create).toThrow(message);
      expect(create).not.toThrow(/secret/);
    },
  );
});

describe("a call that fails", () => {
  test("a call that fails rejects with the service's code, status, message and details", async () => {
    const details = { expected_version_id: "tstv_a", current_version_id: "tstv_b" };
    const { client } = await fake((_, response) =>
      answerJson(response, 409, { error: "version_conflict", message: "Read it.", details }),
    );
    const failure = await failureOf(client.tests.edit({ testId: "tst_x", expected_version_id: "tstv_a" }));
    expect(failure).toMatchObject({
      name: "SvcError",
      code: "version_conflict",
      status: 409,
      message: "Read it.",
      details,
    });
    expect(failure.retryAfterSeconds).toBeUndefined();
  });

  test("a protobuf export that fails rejects with the error code of its HTTP status and the message of the google.rpc.Status", async () => {
    const rpcStatus = Buffer.from([8, 14, 18, 5, ...Buffer.from("Later")]);
    const { client } = await fake((_, response) =>
      response.writeHead(503, { "content-type": "application/x-protobuf" }).end(rpcStatus),
    );
    const sent = client.traces.ingest({ body: Uint8Array.from([10, 0]), contentType: "application/x-protobuf" });
    expect(await failureOf(sent)).toMatchObject({ code: "unavailable", status: 503, message: "Later" });
  });

  test("the error of a call has the seconds of Retry-After", async () => {
    const body = { error: "too_many_requests", message: "Wait." };
    const { client } = await fake((_, response) => answerJson(response, 429, body, { "retry-after": "17" }));
    expect(await failureOf(client.keys.list())).toMatchObject({
      code: "too_many_requests",
      retryAfterSeconds: 17,
      details: {},
    });
  });

  test("a call fails as unreachable when nothing listens, and its error names the address and never contains the API key", async () => {
    const gone = await openFakeService(() => undefined);
    await gone.close();
    const failure = await failureOf(createClient({ baseUrl: gone.url, apiKey: KEY, retries: 0 }).keys.list());
    expect(failure).toMatchObject({
      code: "unreachable",
      status: 0,
      address: `${gone.url}/api/keys`,
      reason: "ECONNREFUSED",
      cause: { code: "ECONNREFUSED" },
      message: `${gone.url} refuses the connection (ECONNREFUSED). Start the service, or correct the address and its port.`,
    });
    expect(failure.timeoutMs).toBeUndefined();
    expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain(KEY);
  });

  test("a call fails as unreachable when the service's certificate is not trusted, and the message says how to trust it", async () => {
    const of = (file: string) => readFileSync(join(import.meta.dirname, "../fixtures/tls", file));
    const server = createTlsServer({ key: of("trusted-by-nobody.key"), cert: of("trusted-by-nobody.crt") });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    close = () => new Promise((resolve) => server.close(() => resolve()));
    const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const failure = await failureOf(createClient({ baseUrl, apiKey: KEY, retries: 0 }).keys.list());
    expect(failure).toMatchObject({ code: "unreachable", reason: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect(failure.message).toMatch(
      /^https:.* has a certificate that this process does not trust .*NODE_EXTRA_CA_CERTS/,
    );
  });

  test("a call to a port that no fetch connects to says so", async () => {
    const client = createClient({ baseUrl: "http://127.0.0.1:6000", apiKey: KEY, retries: 0 });
    expect((await failureOf(client.keys.list())).message).toMatch(/has a port that no `fetch` connects to/);
  });

  test("a call to a name with several addresses has the reason too", async () => {
    const gone = await openFakeService(() => undefined);
    await gone.close();
    const baseUrl = gone.url.replace("127.0.0.1", "localhost");
    const failure = await failureOf(createClient({ baseUrl, apiKey: KEY, retries: 0 }).keys.list());
    expect(failure.reason).toBe("ECONNREFUSED");
  });

  test("a call over TLS to a service without TLS says so", async () => {
    const { url } = await fake((_, response) => answerJson(response, 200, {}));
    const baseUrl = url.replace("http:", "https:");
    const failure = await failureOf(createClient({ baseUrl, apiKey: KEY, retries: 0 }).keys.list());
    expect(failure.message).toMatch(/does not speak TLS .*Use http:\/\//);
  });

  test("a call fails as unreachable when the connection ends without an answer", async () => {
    const server = createTcpServer((socket) => void socket.on("data", () => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    close = () => new Promise((resolve) => server.close(() => resolve()));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const failure = await failureOf(createClient({ baseUrl, apiKey: KEY, retries: 0 }).keys.list());
    expect(failure).toMatchObject({ code: "unreachable", reason: "UND_ERR_SOCKET" });
    expect(failure.message).toContain("svc doctor");
  });

  test("a call fails as unreachable when the answer takes longer than timeoutMs", async () => {
    const { client, url } = await fake(() => undefined, { timeoutMs: 100 });
    expect(await failureOf(client.keys.list())).toMatchObject({
      code: "unreachable",
      status: 0,
      address: `${url}/api/keys`,
      reason: "timeout",
      timeoutMs: 100,
      cause: { name: "TimeoutError" },
      message: expect.stringContaining(`${url} did not answer within 100 ms.`),
    });
  });

  test("a call fails as unreachable when its answer begins and does not end within its timeoutMs", async () => {
    const { client } = await fake((_, response) => void response.writeHead(200).write('{"keys":'));
    expect(await failureOf(client.keys.list({}, { timeoutMs: 100 }))).toMatchObject({
      code: "unreachable",
      status: 0,
      timeoutMs: 100,
    });
  });

  test("the error of an answer has its request id and the address without the query", async () => {
    const body = { error: "not_found", message: "No." };
    const { client, url } = await fake((_, response) => answerJson(response, 404, body, { "x-request-id": "req_7" }));
    expect(await failureOf(client.tests.list({ limit: 5 }))).toMatchObject({
      code: "not_found",
      requestId: "req_7",
      address: `${url}/api/tests`,
    });
  });

  const ofProxies: [string, number, (response: ServerResponse) => void, RegExp][] = [
    ["an empty 503", 503, (response) => response.writeHead(503).end(), /A proxy .*HTTP 503 without a body/],
    [
      "a web page with 502",
      502,
      (response) => response.writeHead(502, { "content-type": "text/html; charset=utf-8" }).end("<h1>Bad Gateway</h1>"),
      /A proxy .*HTTP 502 with a web page/,
    ],
    [
      "a text with 504",
      504,
      (response) => response.writeHead(504, { "content-type": "text/plain" }).end("upstream timed out"),
      /A proxy .*HTTP 504 with text\/plain/,
    ],
    [
      "a web page with 200",
      200,
      (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>Hi</p>"),
      /does not come from the service \(HTTP 200 with a web page/,
    ],
  ];
  test.each(ofProxies)(
    "a call tells %s of a proxy apart from the service's own answer",
    async (_, status, answer, text) => {
      const { client } = await fake((_, response) => answer(response));
      const failure = await failureOf(client.keys.list());
      expect(failure).toMatchObject({ code: "unexpected_answer", status, message: expect.stringMatching(text) });
      expect(failure.cause).toBeUndefined();
    },
  );

  const strange: [string, (response: ServerResponse) => void][] = [
    ["a web page", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>Welcome</html>")],
    [
      "an error page",
      (response) => response.writeHead(404, { "content-type": "text/html" }).end("<html>Nothing</html>"),
    ],
    ["another service's error", (response) => answerJson(response, 400, { detail: "no" })],
    [
      "an error of a code that the interface does not have",
      (response) => answerJson(response, 400, { error: "other", message: "no" }),
    ],
    ["no body", (response) => response.writeHead(200).end()],
    ["broken JSON", (response) => response.writeHead(200, { "content-type": "application/json" }).end('{"items":')],
  ];
  test.each(strange)(
    "a call fails with an unexpected answer and its status when the service answers with %s",
    async (_, answer) => {
      let status = 0;
      const { client } = await fake((_, response) => {
        answer(response);
        status = response.statusCode;
      });
      expect(await failureOf(client.tests.list())).toMatchObject({ code: "unexpected_answer", status });
    },
  );

  test("a call does not follow a redirect, so that no other host receives the API key", async () => {
    const other = await openFakeService((_, response) => answerJson(response, 200, {}));
    const { client } = await fake((_, response) =>
      response.writeHead(307, { location: `${other.url}/api/keys` }).end(),
    );
    const failure = await failureOf(client.keys.list());
    expect(["unreachable", "unexpected_answer"]).toContain(failure.code);
    expect(other.received).toEqual([]);
    await other.close();
  });

  test("a call rejects with the signal's reason when the caller aborts it", async () => {
    const abort = new AbortController();
    const { client } = await fake(() => abort.abort());
    await expect(client.keys.list({}, { signal: abort.signal })).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("retries", () => {
  const busyOnce = () => {
    let asked = 0;
    return (_: Received, response: ServerResponse) =>
      ++asked === 1
        ? answerJson(response, 503, { error: "unavailable", message: "Later." }, { "retry-after": "0" })
        : answerJson(response, 200, { keys: [] });
  };

  test("retries repeat reads", async () => {
    const { client, received } = await fake(busyOnce(), { retries: 2 });
    expect(await client.keys.list()).toEqual({ keys: [] });
    expect(received).toHaveLength(2);
  });

  test("retries never repeat writes, which could take effect twice", async () => {
    const { client, received } = await fake(busyOnce(), { retries: 2 });
    expect(await failureOf(client.keys.create({ name: "n" }))).toMatchObject({ code: "unavailable" });
    expect(received).toHaveLength(1);
  });

  test("retries repeat a write that carries an idempotency key, because the service runs it once", async () => {
    const run = { testVersions: ["tstv_x"], agentId: "agt_x", connectionId: "con_x", idempotencyKey: "nightly-7" };
    const { client, received } = await fake(busyOnce(), { retries: 2 });
    expect(await client.runs.create(run)).toEqual({ keys: [] });
    expect(received.map(({ headers }) => headers["idempotency-key"])).toEqual(["nightly-7", "nightly-7"]);
  });

  test("retries repeat a read whose answer breaks off", async () => {
    let asked = 0;
    const { client, received } = await fake(
      (_, response) => {
        if (++asked > 1) return answerJson(response, 200, { keys: [] });
        response.writeHead(200, { "content-length": "100" });
        response.write('{"keys":', () => response.socket!.destroy());
      },
      { retries: 1 },
    );
    expect(await client.keys.list()).toEqual({ keys: [] });
    expect(received).toHaveLength(2);
  });

  test("retries wait longer each time, with jitter, so that clients do not return together", async () => {
    const times: number[] = [];
    const { client } = await fake(
      (_, response) => {
        times.push(performance.now());
        answerJson(response, 503, { error: "unavailable", message: "Later." });
      },
      { retries: 3 },
    );
    await failureOf(client.keys.list());
    const pauses = times.slice(1).map((at, index) => at - times[index]!);
    expect(pauses).toHaveLength(3);
    // Each pause is 0.5 to 1.5 times 300, 600 and 1,200 ms; the machine can only add to it.
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(150 * 2 ** index - 2);
    expect(new Set(pauses.map((pause, index) => Math.round(pause / 2 ** index))).size).toBeGreaterThan(1);
  });

  test("retries of one call can be switched off", async () => {
    const { client, received } = await fake(busyOnce(), { retries: 2 });
    expect(await failureOf(client.keys.list({}, { retries: 0 }))).toMatchObject({ code: "unavailable" });
    expect(received).toHaveLength(1);
  });

  test("retries do not happen when Retry-After is longer than ten seconds", async () => {
    const body = { error: "too_many_requests", message: "Wait." };
    const { client, received } = await fake((_, response) => answerJson(response, 429, body, { "retry-after": "60" }), {
      retries: 2,
    });
    expect(await failureOf(client.keys.list())).toMatchObject({ code: "too_many_requests", retryAfterSeconds: 60 });
    expect(received).toHaveLength(1);
  });

  test("retries wait until the date of a Retry-After, and do not happen when it is far away", async () => {
    const body = { error: "unavailable", message: "Later." };
    const at = (ms: number) => new Date(Date.now() + ms).toUTCString();
    let asked = 0;
    const { client, received } = await fake(
      (_, response) =>
        ++asked === 1
          ? answerJson(response, 503, body, { "retry-after": at(-1_000) })
          : answerJson(response, 503, body, { "retry-after": at(60_000) }),
      { retries: 5 },
    );
    const { retryAfterSeconds } = await failureOf(client.keys.list());
    expect(retryAfterSeconds).toBeGreaterThan(50);
    expect(received).toHaveLength(2);
  });

  test("retries do not begin a wait that would end after timeoutMs: the error of the answer arrives at once", async () => {
    const body = { error: "unavailable", message: "Later." };
    const { client, received } = await fake((_, response) => answerJson(response, 503, body, { "retry-after": "9" }), {
      retries: 2,
      timeoutMs: 5_000,
    });
    expect(await failureOf(client.keys.list())).toMatchObject({ code: "unavailable", retryAfterSeconds: 9 });
    expect(received).toHaveLength(1);
  });

  test("retries repeat a read after a lost connection, also with a fetch whose errors no other runtime has", async () => {
    let asked = 0;
    const { client } = await fake((_, response) => answerJson(response, 200, { keys: [] }), {
      retries: 1,
      fetch: (input, init) => (++asked === 1 ? Promise.reject(new Error("socket hang up")) : fetch(input, init)),
    });
    expect(await client.keys.list()).toEqual({ keys: [] });
    expect(asked).toBe(2);
  });

  test("an abort ends the wait before a retry at once", async () => {
    const abort = new AbortController();
    const body = { error: "unavailable", message: "Later." };
    const { client, received } = await fake(
      (_, response) => {
        response.on("close", () => setTimeout(() => abort.abort(new Error("enough")), 50));
        answerJson(response, 503, body, { "retry-after": "9" });
      },
      { retries: 2 },
    );
    await expect(client.keys.list({}, { signal: abort.signal })).rejects.toThrow("enough");
    expect(received).toHaveLength(1);
  });

  test("retries do not delay a declared answer: the 503 of an unhealthy service arrives at once", async () => {
    const health = {
      status: "unavailable",
      degraded: false,
      relational_store: "unreachable",
      analytics_store: "reachable",
    };
    const { client, received } = await fake((_, response) => answerJson(response, 503, health), { retries: 2 });
    expect(await client.health.get()).toEqual(health);
    expect(received).toHaveLength(1);
  });

  test("retries end within timeoutMs", async () => {
    const body = { error: "unavailable", message: "Later." };
    const slow = (_: Received, response: ServerResponse) =>
      void setTimeout(() => answerJson(response, 503, body, { "retry-after": "0" }), 150);
    const { client, received } = await fake(slow, { retries: 50, timeoutMs: 400 });
    await failureOf(client.keys.list());
    expect(received.length).toBeLessThan(10);
  });

  test("retries do not happen after a refusal", async () => {
    const { client, received } = await fake(
      (_, response) => answerJson(response, 404, { error: "not_found", message: "No." }),
      { retries: 2 },
    );
    await failureOf(client.tests.get({ testId: "tst_x" }));
    expect(received).toHaveLength(1);
  });

  test("retries end with the error of the last answer", async () => {
    const body = { error: "unavailable", message: "Later." };
    const { client, received } = await fake((_, response) => answerJson(response, 503, body, { "retry-after": "0" }), {
      retries: 2,
    });
    expect(await failureOf(client.keys.list())).toMatchObject({ code: "unavailable", status: 503 });
    expect(received).toHaveLength(3);
  });
});

describe("paging", () => {
  test("paging continues until the cursor is null, even after an empty page", async () => {
    const answers: Record<string, object> = {
      "": { items: [1, 2], next_cursor: "a" },
      a: { items: [], next_cursor: "b" },
      b: { items: [3], next_cursor: null },
    };
    const { client, received } = await fake(({ url }, response) =>
      answerJson(response, 200, answers[new URL(url, "http://x").searchParams.get("cursor") ?? ""]),
    );
    const seen: unknown[] = [];
    for await (const item of pages(client.tests.list)) seen.push(item);
    expect(seen).toEqual([1, 2, 3]);
    expect(received.map(({ url }) => url)).toEqual(["/api/tests", "/api/tests?cursor=a", "/api/tests?cursor=b"]);
  });

  test("paging finds the array of a /v1 list under any name, and passes filters and the signal on", async () => {
    const { client, received } = await fake(({ url }, response) =>
      url.includes("pageToken")
        ? answerJson(response, 200, { projects: [3], mayManageProjects: true, nextPageToken: null })
        : answerJson(response, 200, { projects: [1, 2], mayManageProjects: true, nextPageToken: "t" }),
    );
    const seen: unknown[] = [];
    for await (const project of pages(client.projects.list, { pageSize: 2 })) seen.push(project);
    expect(seen).toEqual([1, 2, 3]);
    expect(received.map(({ url }) => url)).toEqual(["/v1/projects?pageSize=2", "/v1/projects?pageSize=2&pageToken=t"]);
    const stopped = pages(client.projects.list, {}, { signal: AbortSignal.abort(new Error("enough")) });
    await expect(stopped.next()).rejects.toThrow("enough");
  });

  test("paging requests the next page only when the loop reaches it", async () => {
    let asked = 0;
    const endless = pages(async ({ pageToken }: { pageToken?: string }) => ({
      things: [++asked, pageToken],
      nextPageToken: `${asked}`,
    }));
    const seen: unknown[] = [];
    for await (const thing of endless) if (seen.push(thing) === 3) break;
    expect(seen).toEqual([1, undefined, 2]);
    expect(asked).toBe(2);
  });
});
