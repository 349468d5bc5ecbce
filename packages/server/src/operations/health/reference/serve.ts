import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Middleware } from "koa";
import { outlineOf } from "./outline.ts";
import { referencePage, STYLE } from "./page.ts";

const PATH = "/docs/reference";
/** Path that redirects to the API reference when the service has no web pages, and therefore no other documents. */
const DOCUMENTS = "/docs";
const sha256 = (text: string | Buffer) => createHash("sha256").update(text);

/** Content security policy: the page runs no script, loads nothing, and has one style sheet. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${sha256(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

type Page = { plain: Buffer; compressed: Buffer; etag: string };

/** Serves the API reference. The first request builds its page. */
export function createReferencePage(document: () => object): Middleware {
  let page: Promise<Page> | undefined;
  return async (ctx, next) => {
    if (ctx.method !== "GET" && ctx.method !== "HEAD") return next();
    if (ctx.path === DOCUMENTS) return ctx.redirect(PATH);
    if (ctx.path !== PATH) return next();
    const { plain, compressed, etag } = await (page ??= build(document()));
    ctx.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    ctx.set("Cache-Control", "no-cache");
    ctx.vary("Accept-Encoding");
    ctx.type = ".html";
    ctx.status = 200;
    ctx.etag = etag;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    const isCompressed = ctx.acceptsEncodings("gzip", "identity") === "gzip";
    if (isCompressed) ctx.set("Content-Encoding", "gzip");
    ctx.body = isCompressed ? compressed : plain;
  };
}

async function build(document: object): Promise<Page> {
  const plain = Buffer.from(referencePage(outlineOf(document)));
  return { plain, compressed: await promisify(gzip)(plain), etag: `"${sha256(plain).digest("base64url")}"` };
}
