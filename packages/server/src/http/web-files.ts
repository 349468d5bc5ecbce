import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { isPagePath } from "@svc/contract/constants";
import type { Context, Middleware } from "koa";

/** Content security policy: pages load nothing from another host, run no inline script, and cannot appear in a frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "media-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const PAGE = "/index.html";
const PAGE_CACHE = "no-cache";
/** Files whose names contain a digest of their content. */
const DIGESTED = /\/assets\//;
const FILE_CACHE = "public, max-age=31536000, immutable";
const COMPRESSED = new Set([".html", ".js", ".css", ".svg", ".json", ".map", ".md", ".txt"]);
const DOCUMENTS = "/docs";

type WebFile = { type: string; content: Buffer; etag: string; cache: string; encoded: Map<string, Promise<Buffer>> };

const ENCODERS = {
  br: (content: Buffer) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (content: Buffer) => promisify(gzip)(content, { level: 9 }),
};
type Encoding = keyof typeof ENCODERS;

/**
 * Serves a page only when the request accepts HTML. An address below `/o/` that is no page gets the same HTML with
 * status 404; the page then shows that the address does not exist. All other requests continue to the API.
 */
export function createWebFiles(folder: string): Middleware {
  const files = readFiles(folder);
  return async (ctx, next) => {
    const isRead = ctx.method === "GET" || ctx.method === "HEAD";
    const file = isRead ? fileOf(ctx) : undefined;
    // The links of the first guide page are relative to its folder, so its address needs the trailing slash.
    if (isRead && ctx.path === DOCUMENTS && files.has(`${DOCUMENTS}${PAGE}`)) ctx.redirect(`${DOCUMENTS}/`);
    else if (file !== undefined) await answer(ctx, file);
    else if (isRead && isNoPage(ctx)) await answer(ctx, files.get(PAGE)!, 404);
    else await next();
  };

  function fileOf(ctx: Context): WebFile | undefined {
    if (ctx.path === PAGE) return undefined;
    const asset = files.get(ctx.path) ?? documentOf(ctx.path);
    if (asset !== undefined) return asset;
    return acceptsHtml(ctx) && isPagePath(ctx.path) ? files.get(PAGE) : undefined;
  }

  /** Returns the file of a guide page. The address of a guide page has no file extension. */
  function documentOf(path: string): WebFile | undefined {
    if (!path.startsWith(`${DOCUMENTS}/`)) return undefined;
    return files.get(path.endsWith("/") ? `${path.slice(0, -1)}${PAGE}` : `${path}.html`);
  }
}

/** Prefix of the addresses of pages. No operation has a path with this prefix. */
const ORGANIZATIONS = "/o/";

/** Returns whether a request for a page gets the status 404. Call it only when no page has the address. */
const isNoPage = (ctx: Context): boolean => ctx.path.startsWith(ORGANIZATIONS) && acceptsHtml(ctx);

/** Returns whether the `Accept` header names HTML explicitly. Programs accept anything, and get the answer of the API. */
const acceptsHtml = (ctx: Context): boolean => /\btext\/html\b/i.test(ctx.get("accept"));

function readFiles(folder: string): Map<string, WebFile> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith("."),
  );
  return new Map(
    names.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const address = path.slice(folder.length).replaceAll(sep, "/");
      const content = readFileSync(path);
      const digest = createHash("sha256").update(content).digest("base64url");
      const cache = DIGESTED.test(address) ? FILE_CACHE : PAGE_CACHE;
      return [address, { type: extname(entry.name), content, etag: `"${digest}"`, cache, encoded: new Map() }];
    }),
  );
}

async function answer(ctx: Context, file: WebFile, status = 200): Promise<void> {
  if (file.type === ".html") ctx.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
  ctx.set("Cache-Control", file.cache);
  ctx.vary("Accept, Accept-Encoding");
  ctx.type = file.type;
  ctx.status = status;
  ctx.etag = file.etag;
  if (status === 200 && ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const encoding = COMPRESSED.has(file.type) ? ctx.acceptsEncodings("br", "gzip", "identity") : "identity";
  if (encoding !== "br" && encoding !== "gzip") {
    ctx.body = file.content;
    return;
  }
  ctx.set("Content-Encoding", encoding);
  ctx.body = await encodedOf(file, encoding);
}

/** Compresses the file at the first request with this encoding and caches the result. */
function encodedOf(file: WebFile, encoding: Encoding): Promise<Buffer> {
  const known = file.encoded.get(encoding);
  if (known !== undefined) return known;
  const encoded = ENCODERS[encoding](file.content);
  file.encoded.set(encoding, encoded);
  return encoded;
}
