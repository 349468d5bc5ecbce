import { allOperations } from "@svc/contract";
import { type ClientOptions, createClient, pages } from "@svc/sdk";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { answerJson } from "../support/fake-service.ts";
import { KEY, openFakeClient } from "../support/sdk-client.ts";

/** If two operations do the same, the client has only one of them. */
const OFFERED = allOperations.filter(({ operation: { twinOf } }) => twinOf === undefined);

describe("the client", () => {
  test("the client has a method for every operation of the contract without an equal one, and sends no request before a call", async () => {
    const { client, received } = await openFakeClient((_, response) => answerJson(response, 200, {}));
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
      const { client, received } = await openFakeClient((_, response) => response.writeHead(204).end());
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
    const { client, received } = await openFakeClient((_, response) => answerJson(response, 200, {}), unset);
    await client.health.get({}, { signal: undefined });
    expect(received.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test("the client omits undefined members and sends null, false and 0", async () => {
    const { client, received } = await openFakeClient((_, response) => answerJson(response, 201, {}));
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
    const { url, received } = await openFakeClient((_, response) =>
      answerJson(response, 200, { items: [], next_cursor: null }),
    );
    await createClient({ baseUrl: `${url}/voice//`, apiKey: KEY }).tests.list({ limit: 5 });
    expect(received[0]!.url).toBe("/voice/api/tests?limit=5");
  });

  test("the client sends a session cookie with the service's own origin, like a page of the service", async () => {
    const { client, received, url } = await openFakeClient((_, response) => answerJson(response, 201, {}), {
      cookie: "svc.session_token=x",
    });
    await client.projects.create({ name: "n" });
    expect(received[0]!.headers).toMatchObject({ cookie: "svc.session_token=x", origin: url });
  });

  test("the client sends an OTLP body unchanged, with its content type and encoding", async () => {
    const { client, received } = await openFakeClient((_, response) =>
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
    const { client } = await openFakeClient(({ url }, response) =>
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
    const { url, received } = await openFakeClient((_, response) => answerJson(response, 200, { keys: [] }));
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
    const { url, received } = await openFakeClient((_, response) => answerJson(response, 200, { keys: [] }));
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

describe("paging", () => {
  test("paging continues until the cursor is null, even after an empty page", async () => {
    const answers: Record<string, object> = {
      "": { items: [1, 2], next_cursor: "a" },
      a: { items: [], next_cursor: "b" },
      b: { items: [3], next_cursor: null },
    };
    const { client, received } = await openFakeClient(({ url }, response) =>
      answerJson(response, 200, answers[new URL(url, "http://x").searchParams.get("cursor") ?? ""]),
    );
    const seen: unknown[] = [];
    for await (const item of pages(client.tests.list)) seen.push(item);
    expect(seen).toEqual([1, 2, 3]);
    expect(received.map(({ url }) => url)).toEqual(["/api/tests", "/api/tests?cursor=a", "/api/tests?cursor=b"]);
  });

  test("paging finds the array of a /v1 list under any name, and passes filters and the signal on", async () => {
    const { client, received } = await openFakeClient(({ url }, response) =>
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
