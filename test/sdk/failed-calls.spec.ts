import type { ServerResponse } from "node:http";
import { readFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";
import { createClient } from "@svc/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { answerJson, openFakeService } from "../support/fake-service.ts";
import { KEY, openFakeClient, failureOf } from "../support/sdk-client.ts";

describe("a call that fails", () => {
  test("a call that fails rejects with the service's code, status, message and details", async () => {
    const details = { expected_version_id: "tstv_a", current_version_id: "tstv_b" };
    const { client } = await openFakeClient((_, response) =>
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
    const { client } = await openFakeClient((_, response) =>
      response.writeHead(503, { "content-type": "application/x-protobuf" }).end(rpcStatus),
    );
    const sent = client.traces.ingest({ body: Uint8Array.from([10, 0]), contentType: "application/x-protobuf" });
    expect(await failureOf(sent)).toMatchObject({ code: "unavailable", status: 503, message: "Later" });
  });

  test("the error of a call has the seconds of Retry-After", async () => {
    const body = { error: "too_many_requests", message: "Wait." };
    const { client } = await openFakeClient((_, response) => answerJson(response, 429, body, { "retry-after": "17" }));
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
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
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
    const { url } = await openFakeClient((_, response) => answerJson(response, 200, {}));
    const baseUrl = url.replace("http:", "https:");
    const failure = await failureOf(createClient({ baseUrl, apiKey: KEY, retries: 0 }).keys.list());
    expect(failure.message).toMatch(/does not speak TLS .*Use http:\/\//);
  });

  test("a call fails as unreachable when the connection ends without an answer", async () => {
    const server = createTcpServer((socket) => void socket.on("data", () => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const failure = await failureOf(createClient({ baseUrl, apiKey: KEY, retries: 0 }).keys.list());
    expect(failure).toMatchObject({ code: "unreachable", reason: "UND_ERR_SOCKET" });
    expect(failure.message).toContain("svc doctor");
  });

  test("a call fails as unreachable when the answer takes longer than timeoutMs", async () => {
    const { client, url } = await openFakeClient(() => undefined, { timeoutMs: 100 });
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
    const { client } = await openFakeClient((_, response) => void response.writeHead(200).write('{"keys":'));
    expect(await failureOf(client.keys.list({}, { timeoutMs: 100 }))).toMatchObject({
      code: "unreachable",
      status: 0,
      timeoutMs: 100,
    });
  });

  test("the error of an answer has its request id and the address without the query", async () => {
    const body = { error: "not_found", message: "No." };
    const { client, url } = await openFakeClient((_, response) =>
      answerJson(response, 404, body, { "x-request-id": "req_7" }),
    );
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
      const { client } = await openFakeClient((_, response) => answer(response));
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
      const { client } = await openFakeClient((_, response) => {
        answer(response);
        status = response.statusCode;
      });
      expect(await failureOf(client.tests.list())).toMatchObject({ code: "unexpected_answer", status });
    },
  );

  test("a call does not follow a redirect, so that no other host receives the API key", async () => {
    const other = await openFakeService((_, response) => answerJson(response, 200, {}));
    const { client } = await openFakeClient((_, response) =>
      response.writeHead(307, { location: `${other.url}/api/keys` }).end(),
    );
    const failure = await failureOf(client.keys.list());
    expect(["unreachable", "unexpected_answer"]).toContain(failure.code);
    expect(other.received).toEqual([]);
    await other.close();
  });

  test("a call rejects with the signal's reason when the caller aborts it", async () => {
    const abort = new AbortController();
    const { client } = await openFakeClient(() => abort.abort());
    await expect(client.keys.list({}, { signal: abort.signal })).rejects.toMatchObject({ name: "AbortError" });
  });
});
