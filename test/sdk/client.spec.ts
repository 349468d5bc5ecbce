import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { allOperations } from "@svc/contract";
import { type ClientOptions, createClient, pages, SvcError } from "@svc/sdk";
import { afterEach, describe, expect, test } from "vitest";
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
    const unset = { apiKey: undefined, cookie: undefined, timeoutMs: undefined, retries: undefined, fetch: undefined };
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

  test("a call fails as unreachable when nothing listens, and its error never contains the API key", async () => {
    const gone = await openFakeService(() => undefined);
    await gone.close();
    const failure = await failureOf(createClient({ baseUrl: gone.url, apiKey: KEY, retries: 0 }).keys.list());
    expect(failure).toMatchObject({ code: "unreachable", status: 0 });
    expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain(KEY);
  });

  test("a call fails as unreachable when the answer takes longer than timeoutMs", async () => {
    const { client } = await fake(() => undefined, { timeoutMs: 100 });
    expect(await failureOf(client.keys.list())).toMatchObject({ code: "unreachable", status: 0 });
  });

  test("a call fails as unreachable when its answer begins and does not end within its timeoutMs", async () => {
    const { client } = await fake((_, response) => void response.writeHead(200).write('{"keys":'));
    expect(await failureOf(client.keys.list({}, { timeoutMs: 100 }))).toMatchObject({ code: "unreachable", status: 0 });
  });

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
    const { client } = await fake(slow, { retries: 50, timeoutMs: 400 });
    const startedAt = performance.now();
    await failureOf(client.keys.list());
    expect(performance.now() - startedAt).toBeLessThan(5_000);
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
