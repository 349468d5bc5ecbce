import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { get, createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noAnswerText } from "../../packages/cli/src/session/no-answer.ts";
import { openHome } from "../support/cli.ts";
import { openFakeService } from "../support/fake-service.ts";

/** Each certificate is self-signed. The first two are for 127.0.0.1. */
const CERTIFICATES = ["trusted-by-nobody", "expired", "other-name"] as const;
const fileOf = (name: string) => readFileSync(join(import.meta.dirname, "../fixtures/tls", name), "utf8");

const servers: Server[] = [];
const ports: Record<string, number> = {};
let home: ReturnType<typeof openHome>;

beforeAll(async () => {
  home = openHome({ SVC_API_KEY: "" });
  const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
  const speaking: [string, Server][] = [
    ...CERTIFICATES.map((name): [string, Server] => [
      name,
      createTlsServer({ cert: fileOf(`${name}.crt`), key: fileOf(`${name}.key`) }, (_, response) => response.end("{}")),
    ]),
    [
      "plain",
      createServer((socket) => void socket.on("error", () => undefined).once("data", () => socket.end(answer))),
    ],
    [
      "resets",
      createServer((socket) => void socket.on("error", () => undefined).once("data", () => socket.resetAndDestroy())),
    ],
    [
      "no HTTP",
      createServer((socket) => void socket.on("error", () => undefined).end("220 mail.example.com ESMTP\r\n")),
    ],
  ];
  for (const [name, server] of speaking) {
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    servers.push(server);
    ports[name] = (server.address() as AddressInfo).port;
  }
});
afterAll(() => {
  // Clients keep their connections open, so the spec does not wait until the servers are closed.
  for (const server of servers) server.close().unref();
  home.remove();
});

describe("a service that gives no answer", () => {
  test.each([
    ["https", "trusted-by-nobody", /^The certificate of (\S+) is not trusted \([A-Z_]+\)\. Set NODE_EXTRA_CA_CERTS to/],
    ["https", "plain", /^(\S+) does not speak TLS\. Use http:\/\//],
    ["http", "resets", /^(\S+) closed the connection without an answer\. Check that/],
    ["http", "trusted-by-nobody", /^(\S+) closed the connection without an answer\. Check that .* right scheme/],
    ["http", "no HTTP", /^(\S+) does not speak HTTP\. Check the spelling/],
  ])(
    "a service that gives no answer over %s, when it is %s, is explained by every command and by doctor",
    async (scheme, name, text) => {
      const url = `${scheme}://127.0.0.1:${ports[name]}`;
      const shown = `${url} (--url)`;
      for (const command of [["health"], ["keys", "list"]]) {
        const { exitCode, stderr } = await home.svc([...command, "--url", url]);
        expect([exitCode, stderr.replace(shown, "X")]).toEqual([3, expect.stringMatching(text)]);
        expect(stderr).toContain(shown);
      }
      const { checks } = await home.json<{ checks: { name: string; finding: string; remedy?: string }[] }>([
        "doctor",
        "--url",
        url,
      ]);
      const { finding, remedy } = checks.find((check) => check.name === "service")!;
      expect(`${finding.replace(/^[tn]/, (letter) => letter.toUpperCase())}. ${remedy}`.replace(url, "X")).toMatch(
        text,
      );
    },
  );

  test.each([
    ["expired", /^The certificate of X has expired\. Renew it/],
    ["other-name", /^The certificate of X is for another host name\. Use the name/],
  ])("a service that gives no answer with the certificate %s of a known authority is explained", async (name, text) => {
    const options = { ca: fileOf(`${name}.crt`), host: "127.0.0.1", port: ports[name] };
    const error = await new Promise((resolve) => get(options, () => resolve(undefined)).once("error", resolve));
    expect(noAnswerText("X", new TypeError("fetch failed", { cause: error }))).toMatch(text);
  });

  test.each([
    ["an empty 503", (response: ServerResponse) => response.writeHead(503).end(), "HTTP 503 without a body"],
    [
      "a web page with 502",
      (response: ServerResponse) =>
        response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>"),
      "HTTP 502 with a web page",
    ],
  ])(
    "a service that gives no answer behind a proxy that answers with %s is told apart from another server",
    async (_, answer, text) => {
      const proxy = await openFakeService((__, response) => answer(response));
      const { exitCode, stderr } = await home.svc(["health", "--url", proxy.url]);
      await proxy.close();
      expect([exitCode, stderr]).toEqual([
        3,
        expect.stringContaining(`A proxy at ${proxy.url} answers for the service`),
      ]);
      expect(stderr).toContain(text);
    },
  );

  test("a service that gives no answer under a name that does not exist is explained", async () => {
    const { exitCode, stderr } = await home.svc(["health", "--url", "http://svc.invalid"]);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/no machine has the name in|could not be looked up/i);
  });
});
