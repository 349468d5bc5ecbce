import { Client } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { answerMcp } from "../../packages/cli/src/mcp/http.ts";
import { type Assistant, overHttp, startAssistant } from "../support/assistant.ts";
import { type ChatAgent, startChatAgent, useTool } from "../support/chat-agent.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { freshName } from "../support/world.ts";

const ORIGIN = "https://pages.example.com";

let server: TestServer;
const open: Pick<Client, "close">[] = [];
beforeAll(async () => {
  server = await startServer({
    settings: { SVC_OUTBOUND_PRIVATE: "true", SVC_CORS_ORIGINS: ORIGIN },
    answerMcp,
  });
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});
afterAll(() => server.stop());

async function assistant(options: Parameters<typeof startAssistant>[1] = {}): Promise<Assistant> {
  const started = await startAssistant(server, options);
  open.push(started.client);
  return started;
}

const TEST_FILE = (nights: number) => `---
name: Books a room
suite: Booking
mock_tools:
  - tool: book_room
    answer: { code: GH-1 }
---

## Scenario

Says: Please book a room for ${nights} nights.

## Expected behaviors

- calls book_room with nights=${nights}
- says "booked"
`;

type Ran = { runId: string };

describe.each(["2025-11-25", "auto"] as const)("an assistant that speaks the protocol %s", (version) => {
  const protocol = version === "auto" ? { protocol: version } : {};
  let agent: ChatAgent;
  /** The number of nights that the agent books. Its defect is that it confirms a booking without making one. */
  let nights = 0;
  beforeAll(async () => {
    agent = await startChatAgent(async (spoken) => {
      if (spoken.event === "start") return { message: "Hello, front desk." };
      if (nights > 0) await useTool(spoken, "book_room", { nights });
      return { message: "You are booked, thank you for calling.", ended: true };
    });
  });
  afterAll(() => agent.stop());

  test("connects an agent, sends test files, is told why one fails, edits it, and shows that the change holds", async () => {
    const { call, client } = await assistant(protocol);
    expect(client.getNegotiatedProtocolVersion()).toBe(version === "auto" ? "2026-07-28" : version);
    await call("connect_agent", {
      agent: "Front desk",
      connectionType: "http_chat",
      config: { url: agent.url, format: "svc" },
    });
    const files = [{ path: "books.md", text: TEST_FILE(2) }];
    expect(await call("validate_tests", { files })).toMatchObject({ tests: 1, problems: [], notChecked: null });
    const pushed = await call<{ tests: { id: string; versionId: string }[] }>("push_tests", { files });
    expect(pushed).toMatchObject({ created: 1, tests: [{ name: "Books a room" }] });

    nights = 0;
    const broken = await call<Ran>("run_tests", { suite: "Booking" });
    expect(broken).toMatchObject({ isDone: true, outcome: "failed" });
    const why = await call<{ failures: { behaviors: { behavior: string }[] }[]; page: string }>("why_failed", {
      runId: broken.runId,
    });
    expect(why.failures[0]!.behaviors.map(({ behavior }) => behavior)).toEqual(["calls book_room with nights=2"]);
    expect(why.page).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/o\//);

    const edited = [{ path: "books.md", text: TEST_FILE(3) }];
    await expect(call("push_tests", { files: edited })).rejects.toThrow(/already has a test/);
    const { id, versionId } = pushed.tests[0]!;
    expect(await call("push_tests", { files: [{ ...edited[0], id, versionId }] })).toMatchObject({ edited: 1 });
    await expect(call("push_tests", { files: [{ ...files[0], id, versionId }] })).rejects.toThrow(/meanwhile/);

    nights = 3;
    const seen: number[] = [];
    const ran = await client.callTool(
      { name: "run_tests", arguments: { suite: "Booking", iterations: 2 } },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    expect(ran.structuredContent).toMatchObject({ isDone: true, outcome: "passed", passed: 2 });
    expect(seen).toEqual([1, 2]);
  });

  test("a file of the service's machine is never read: the tools take the texts of files", async () => {
    const { call, client } = await assistant(protocol);
    for (const name of ["validate_tests", "push_tests"])
      await expect(call(name, { path: "/etc" })).rejects.toThrow(/path|files/);
    const { tools } = await client.listTools();
    const inputs = tools.map(({ inputSchema }) => Object.keys(inputSchema.properties ?? {})).flat();
    expect(inputs).not.toContain("path");
  });
});

describe("a key", () => {
  test.each<["read" | "test" | "write", string[]]>([
    ["read", ["run_tests", "say", "connect_agent", "push_tests"]],
    ["test", ["connect_agent", "push_tests"]],
    ["write", []],
  ])("that may only %s is offered the other tools, and calls of these are refused", async (permission, without) => {
    const { client, call } = await assistant({ permissions: [permission] });
    const all = (await (await assistant()).client.listTools()).tools.map(({ name }) => name);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(all.filter((name) => !without.includes(name)));
    for (const name of without) await expect(call(name, {})).rejects.toThrow(/not found/i);
  });

  test("a key of the organization names its project in the address", async () => {
    const { project } = await server.admin.projects.create({ name: freshName("project") });
    await server.admin.projects.create({ name: freshName("project") });
    const { secret } = await server.admin.keys.create({ permissions: ["read"] });
    const inProject = async (query: string) => {
      const client = new Client({ name: "spec", version: "0" });
      open.push(client);
      await client.connect(overHttp(server.url, secret, query));
      return client.callTool({ name: "groups", arguments: {} });
    };
    expect(await inProject("")).toMatchObject({ isError: true });
    expect(await inProject(`?project=${project.id}`)).toMatchObject({ structuredContent: { groups: [] } });
    expect((await post({ secret, query: "?project=a&project=b" })).status).toBe(400);
    expect((await post({ secret, query: "?other=1" })).status).toBe(400);
  });
});

type Post = {
  secret?: string | undefined;
  headers?: Record<string, string>;
  body?: string;
  query?: string;
  method?: string;
};
const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

const post = ({ secret, headers = {}, body = PING, query = "", method = "POST" }: Post) =>
  fetch(`${server.url}/mcp${query}`, {
    method,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
      ...headers,
    },
    ...(method === "POST" && { body }),
  });

describe("a request", () => {
  let secret: string;
  beforeAll(async () => void ({ secret } = await server.admin.keys.create({ permissions: ["read"] })));

  test.each([
    ["no key", undefined],
    ["a key that nobody has", `svc_sk_${"A".repeat(43)}`],
    ["no key of ours", "other"],
  ])("with %s is refused with a challenge", async (_, wrong) => {
    const answer = await post({ secret: wrong });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(await answer.json()).toMatchObject({
      error: "not_authenticated",
      message: expect.stringContaining("svc keys create"),
    });
  });

  test("with a key that was revoked is refused", async () => {
    const { id, secret: revoked } = await server.admin.keys.create({ permissions: ["read"] });
    expect((await post({ secret: revoked })).status).toBe(200);
    await server.admin.keys.revoke({ apiKeyId: id });
    expect((await post({ secret: revoked })).status).toBe(401);
  });

  test("with the cookie of a session and no key is refused", async () => {
    expect((await post({ headers: { cookie: "svc.session_token=anything" } })).status).toBe(401);
  });

  test.each([
    [undefined, 200],
    [ORIGIN, 200],
    ["http://localhost:6274", 200],
    ["http://127.0.0.1:1", 200],
    ["https://evil.example.com", 403],
    ["http://localhost.evil.example.com", 403],
    ["null", 403],
  ])("a request of the origin %s is answered with %i", async (origin, status) => {
    expect((await post({ secret, headers: origin === undefined ? {} : { origin } })).status).toBe(status);
  });

  test("a request of a page of an allowed origin may have every header that a client of the protocol sends", async () => {
    const asked = "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name";
    const answer = await fetch(`${server.url}/mcp`, {
      method: "OPTIONS",
      headers: { origin: ORIGIN, "access-control-request-method": "POST", "access-control-request-headers": asked },
    });
    const allowed = answer.headers.get("access-control-allow-headers")!.toLowerCase().split(", ");
    expect(asked.split(", ").filter((name) => !allowed.includes(name))).toEqual([]);
  });

  test.each([
    ["that is a GET", { method: "GET" }, 405],
    ["that is a DELETE", { method: "DELETE" }, 405],
    ["without a body", { body: "" }, 400],
    ["with half of an object", { body: "{" }, 400],
    ["with a number", { body: "5" }, 400],
    ["with an empty list", { body: "[]" }, 400],
    ["with too many levels", { body: `${"[".repeat(200)}${"]".repeat(200)}` }, 422],
    ["with too many bytes", { body: `"${"a".repeat(1024 * 1024)}"` }, 413],
    ["with plain text", { headers: { "content-type": "text/plain" } }, 415],
  ])("%s is refused with a reason", async (_, wrong: Omit<Post, "secret">, status) => {
    const answer = await post({ secret, ...wrong });
    expect(answer.status).toBe(status);
    expect((await answer.text()).length).toBeGreaterThan(20);
  });

  test("with a key is answered to a program, and leaves no cookie and no session", async () => {
    const answer = await post({ secret });
    expect(answer.headers.get("mcp-session-id")).toBeNull();
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect(answer.headers.get("cache-control")).toBe("no-store, no-transform");
  });
});

test("each call counts in the limit of the organization, and over it a call is refused with the time to wait", async () => {
  const limited = await startServer({ settings: { SVC_RATE_LIMIT_PER_MINUTE: "6" }, answerMcp });
  const answers: Response[] = [];
  for (let n = 0; n < 8; n++)
    answers.push(
      await fetch(`${limited.url}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${limited.projectKey}`,
        },
        body: PING,
      }),
    );
  const last = answers.at(-1)!;
  expect(last.status).toBe(429);
  expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await last.json()).toMatchObject({ error: "too_many_requests" });
  await limited.stop();
});

test("what a tool does is in the audit, with the key and the address of the assistant", async () => {
  const { call } = await assistant();
  const agent = await startChatAgent(() => ({ message: "Hello.", ended: true }));
  const { agentId } = await call<{ agentId: string }>("connect_agent", {
    agent: "Audited",
    connectionType: "http_chat",
    config: { url: agent.url, format: "svc" },
  });
  agent.stop();
  const { lines } = await server.admin.audit.list({ operation: "agents.register", pageSize: 5 });
  expect(lines.find(({ resource }) => resource?.id === agentId)).toMatchObject({
    address: "127.0.0.1",
    actor: { via: "key" },
    outcome: "done",
    requestId: expect.any(String),
  });
});
