import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { PAGE_PATHS } from "@svc/contract/constants";
import { webFolder } from "@svc/web";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listen } from "../../packages/server/src/main/listen.ts";
import { openBareService } from "../support/bare-service.ts";
import { fileOf } from "../support/code/programs.ts";
import { type Ask, send } from "../support/request.ts";
import { startServer, type TestServer } from "../support/server.ts";

const HTML = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

let withPages: TestServer;
let withoutPages: Awaited<ReturnType<typeof openBareService>>;
beforeAll(async () => {
  withPages = await startServer({ webFolder: await webFolder() });
  withoutPages = await openBareService();
});
afterAll(() => Promise.all([withPages.stop(), withoutPages.stop()]));

const page = (path: string, ask: Partial<Ask> = {}) =>
  send(withPages.url, { method: "GET", path, headers: { accept: HTML }, ...ask });

/** One address of each page, with an unknown id in every variable part. */
const addresses = PAGE_PATHS.map((path) => path.replaceAll(/\{\w+\}/g, "x"));

describe("pages", () => {
  test.each(addresses)("%s answers HTML to a browser, with a strict Content-Security-Policy", async (path) => {
    const answer = await page(path);
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/^<!doctype html>/);
    expect(answer.text).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=/);
    expect(answer.headers.get("content-security-policy")).toMatch(
      /default-src 'none'; script-src 'self'; style-src 'self'/,
    );
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
    });
  });

  test.each(["/o/x/p/y/nonsense", "/o/x/settings/none", "/o/x/p/y/tests/a/b"])(
    "%s, which is no page, is one that says so to a browser, with status 404",
    async (path) => {
      const answer = await page(path);
      expect(answer.status).toBe(404);
      expect(answer.text).toMatch(/^<!doctype html>/);
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
      const program = await page(path, { headers: { accept: "*/*" } });
      expect(program).toMatchObject({ status: 404, text: expect.stringContaining("not_found") });
    },
  );

  const api: Ask[] = [
    ...addresses.map((path) => ({ method: "GET", path, headers: { accept: "*/*" } })),
    ...addresses.map((path) => ({ method: "GET", path, headers: { accept: "application/json" } })),
    ...addresses.map((path) => ({ method: "POST", path, headers: { accept: HTML } })),
    ...["/v1/tests", "/api/tests", "/api/keys", "/openapi.json?x=1", "/index.html", "/.sources", "/assets", "/assets/"]
      .concat(
        "/assets/../package.json",
        "/assets/%2e%2e/.sources",
        "/assets/none.js",
        "/claim/",
        "//claim",
        "/claim/more",
      )
      .map((path) => ({ method: "GET", path, headers: { accept: HTML } })),
  ];

  test.each(api)("$method $path with $headers.accept answers as without pages", async (ask) => {
    const [here, there] = await Promise.all([send(withPages.url, ask), send(withoutPages.url, ask)]);
    expect({ status: here.status, text: here.text, type: here.headers.get("content-type") }).toEqual({
      status: there.status,
      text: there.text,
      type: there.headers.get("content-type"),
    });
    expect(here.headers.get("content-security-policy")).toBeNull();
  });

  test("the address of the service tells a program where the pages and the API are", async () => {
    const { status, text } = await page("/", { headers: { accept: "*/*" } });
    expect([status, text]).toEqual([404, expect.stringContaining("not_found")]);
    expect(text).toContain("Open this address in a browser");
    expect(text).toContain("`GET /openapi.json`");
    expect((await page("/none", { headers: { accept: "*/*" } })).text).not.toContain("browser");
  });

  test("the files of the pages are compressed and never change under one name", async () => {
    const script = /src="(\/assets\/[^"]+\.js)"/.exec((await page("/claim")).text)![1]!;
    const plain = await page(script, { headers: { "accept-encoding": "identity" } });
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(plain.headers.get("content-type")).toMatch(/javascript/);
    expect(plain.headers.get("content-encoding")).toBeNull();
    // A development build is three times as large and contains paths of the machine.
    expect(plain.text.includes("jsxDEV")).toBe(false);
    for (const [encoding, decode] of [
      ["br", brotliDecompressSync],
      ["gzip", gunzipSync],
    ] as const) {
      const raw = await rawBody(`${withPages.url}${script}`, { "accept-encoding": encoding });
      expect(raw.encoding).toBe(encoding);
      expect(raw.body.byteLength).toBeLessThan(plain.bytes.byteLength / 2);
      expect(decode(raw.body).equals(plain.bytes)).toBe(true);
    }
    const again = await rawBody(`${withPages.url}${script}`, { "if-none-match": plain.headers.get("etag")! });
    expect({ status: again.status, length: again.body.length }).toEqual({ status: 304, length: 0 });
    expect(await page(script, { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
  });

  test("a page names no other host", async () => {
    const { text: html } = await page("/claim");
    expect(html.match(/https?:\/\/[^"'\s<]+/g)).toBeNull();
  });
});

describe("the two ports", () => {
  test("the port of the API and the port of the pages both serve the pages and the API", async () => {
    const started = await startProcess({ PORT: "0" });
    for (const url of started.urls) {
      expect((await send(url, { method: "GET", path: "/claim", headers: { accept: HTML } })).text).toMatch(
        /^<!doctype html>/,
      );
      expect((await send(url, { method: "GET", path: "/health" })).status).toBe(200);
    }
    expect(new Set(started.urls).size).toBe(2);
    expect(started.printed()).toContain("/claim");
    await started.stop();
  });

  test("a taken port of the pages stops the start and says what to do", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const refused = await startProcess({ PORT: "0", SVC_WEB_PORT: String(port) }).catch(
      (error: Error) => error.message,
    );
    expect(refused).toContain(
      `Port ${port} is in use. Set SVC_WEB_PORT to a free port, or stop the program that uses it.`,
    );
    other.close();
  });
});

test.each([
  ["192.0.2.1", "SVC_HOST is 192.0.2.1, which is no address of this machine. Set SVC_HOST to 127.0.0.1"],
  ["svc.invalid", "SVC_HOST is svc.invalid, a name without an address. Set SVC_HOST to 127.0.0.1"],
])("an address on which this machine cannot listen, %s, is named with its setting", async (host, words) => {
  await expect(listen(() => {}, 0, host)).rejects.toThrow(words);
});

/** Starts the service as a person does. Rejects with its standard error when it exits before it is ready. */
async function startProcess(settings: Record<string, string>) {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-spec-"));
  const child = spawn(process.execPath, [fileOf("svc"), "serve"], {
    env: { ...process.env, SVC_DATA_DIR: dataDir, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => void child.once("exit", () => resolve()));
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const [line] = await Promise.race([
    once(child.stdout),
    ended.then(() => {
      rmSync(dataDir, { recursive: true, force: true });
      throw new Error(errors);
    }),
  ]);
  void text(child.stdout);
  const { address, pages } = JSON.parse(line) as { address: string; pages: string };
  return {
    urls: [address, pages],
    printed: () => errors,
    async stop(): Promise<void> {
      child.kill();
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const once = (stream: NodeJS.ReadableStream): Promise<[string]> =>
  new Promise((resolve) => void stream.once("data", (chunk: Buffer) => resolve([chunk.toString().split("\n")[0]!])));

type RawReply = { status: number | undefined; encoding: string | undefined; body: Buffer };

/** Returns the bytes of an answer as they were sent; `fetch` would decompress them and add headers. */
async function rawBody(url: string, headers: Record<string, string>): Promise<RawReply> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers }, resolve).on("error", reject);
  });
  const { statusCode: status, headers: received } = response;
  return { status, encoding: received["content-encoding"], body: Buffer.concat(await response.toArray()) };
}
