import { createHash } from "node:crypto";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { allOperations } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

let server: SharedServer;
let page: Response;
let html: string;
beforeAll(async () => {
  server = await shareServer();
  page = await fetch(`${server.url}/docs/reference`);
  html = await page.text();
});
afterAll(() => server.stop());

/** Requests the page without `fetch`, which would handle the caching headers itself. */
const ask = (headers: Record<string, string>) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(`${server.url}/docs/reference`, { headers }, resolve).on("error", reject);
  });

describe("the reference of the interface at /docs/reference", () => {
  test("the page shows every operation with its method and path", () => {
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    for (const { name, operation } of allOperations) {
      expect(html).toContain(`<h3 id="${name}">`);
      expect(html).toContain(`<code>${operation.method} ${operation.path}</code>`);
    }
  });

  test("the page needs no script and no other file, and its policy allows its one style alone", () => {
    expect(html).not.toMatch(/<script|<link|<img|\bsrc=|\bstyle=|\bon\w+=|@import|url\(/i);
    const [, style, ...others] = html.split(/<\/?style>/);
    expect(others).toHaveLength(1);
    const digest = createHash("sha256").update(style!).digest("base64");
    const policy = page.headers.get("content-security-policy");
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });

  test("each link leads to a place of the page or to the OpenAPI document", () => {
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const targets = new Set([...html.matchAll(/ href="([^"]+)"/g)].map(([, target]) => target!));
    expect(targets.size).toBeGreaterThan(200);
    expect([...targets].filter((target) => !ids.has(target.slice(1)))).toEqual(["/openapi.json"]);
    expect(html.match(/ id="[^"]+"/g)).toHaveLength(ids.size);
  });

  test("an unchanged page is not sent again, and a client without gzip gets the plain page", async () => {
    expect((await ask({ "if-none-match": page.headers.get("etag")! })).statusCode).toBe(304);
    const plain = await ask({});
    expect([plain.headers["content-encoding"], await text(plain)]).toEqual([undefined, html]);
  });
});
