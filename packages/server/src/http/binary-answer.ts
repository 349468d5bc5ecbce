import type { Readable } from "node:stream";
import type { Context } from "koa";
import { AppError } from "../base/errors.ts";
import type { ByteRange } from "../stores/blobs/blobs.ts";

/** An answer of bytes. */
export type BinaryAnswer = {
  contentType: string;
  /** The name under which a browser saves it. */
  fileName: string;
  bytes: number;
  /** Changes with the bytes. */
  tag: string;
  /** Opens the bytes, or a range of them. */
  open: (range?: ByteRange) => Promise<Readable | Buffer>;
};

/** Writes the bytes, or the range that the request selects. HEAD and a fresh copy at the client get no bytes. */
export async function writeBinary(ctx: Context, { contentType, fileName, bytes, tag, open }: BinaryAnswer) {
  ctx.type = contentType;
  ctx.set("Accept-Ranges", "bytes");
  ctx.set("Content-Disposition", `inline; filename="${fileName}"`);
  ctx.etag = tag;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (ctx.method === "HEAD") {
    ctx.length = bytes;
    return;
  }
  const isSameFile = ctx.get("If-Range") === "" || ctx.get("If-Range") === ctx.response.get("ETag");
  const range = isSameFile ? rangeOf(ctx.get("Range"), bytes) : undefined;
  if (range === "behind the end") {
    throw new AppError("range_not_satisfiable", `Ask for bytes before ${bytes}, the size.`, undefined, {
      headers: { "Content-Range": `bytes */${bytes}` },
    });
  }
  const body = await open(range);
  if (range !== undefined) {
    ctx.status = 206;
    ctx.set("Content-Range", `bytes ${range.start}-${range.end}/${bytes}`);
  }
  ctx.body = body;
  // Koa replaces the type of a body when it is set.
  ctx.type = contentType;
  ctx.length = range === undefined ? bytes : range.end - range.start + 1;
}

/**
 * Returns the bytes that a `Range` header selects. Without the header, with several ranges or with a malformed one it is
 * undefined, and the answer has all bytes.
 */
function rangeOf(header: string, bytes: number): ByteRange | "behind the end" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header.trim()) ?? [];
  if (first === "" && last === "") return undefined;
  const suffix = first === "" ? Number(last) : 0;
  const start = first === "" ? Math.max(0, bytes - suffix) : Number(first);
  const end = first === "" || last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (start >= bytes || (first === "" && suffix === 0)) return "behind the end";
  return first !== "" && last !== "" && Number(last) < start ? undefined : { start, end };
}
