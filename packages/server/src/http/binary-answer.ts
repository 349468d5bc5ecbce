import type { Readable } from "node:stream";
import type { Context } from "koa";
import { AppError } from "../base/errors.ts";
import type { ByteRange } from "../stores/blobs/blobs.ts";

export type BinaryAnswer = {
  contentType: string;
  fileName: string;
  bytes: number;
  /** Entity tag (ETag). Different bytes have different tags. */
  tag: string;
  open: (range?: ByteRange) => Promise<Readable | Buffer>;
};

/** Writes no bytes for HEAD, or when the client's copy is current. */
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
  // Sets the type again, in case Koa derived another one from the body.
  ctx.type = contentType;
  ctx.length = range === undefined ? bytes : range.end - range.start + 1;
}

/** Returns undefined, which means all bytes, for a missing or malformed header and for several ranges. */
function rangeOf(header: string, bytes: number): ByteRange | "behind the end" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header.trim()) ?? [];
  if (first === "" && last === "") return undefined;
  const suffix = first === "" ? Number(last) : 0;
  const start = first === "" ? Math.max(0, bytes - suffix) : Number(first);
  const end = first === "" || last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (start >= bytes || (first === "" && suffix === 0)) return "behind the end";
  return first !== "" && last !== "" && Number(last) < start ? undefined : { start, end };
}
