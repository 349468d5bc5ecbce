import { gunzipSync } from "node:zlib";
import { AppError } from "../errors.ts";

const LEAST_CHUNK_BYTES = 1 << 10;
// Deflate makes at most 1032 bytes of one.
const MOST_RATIO = 1032;

/** The content of a gzip body, of one or more members; refuses one that is broken or inflates past the limit. */
export function inflateGzip(chunks: Buffer[], limitBytes: number): Buffer {
  const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  try {
    const { buffer, engine } = gunzipSync(body, {
      chunkSize: chunkBytes(body, limitBytes),
      maxOutputLength: limitBytes,
      info: true,
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    if (engine.bytesWritten !== body.length) throw broken("there is something after its end");
    return buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") {
      throw new AppError(
        "payload_too_large",
        `The body is larger than ${limitBytes / 1024 ** 2} MiB once inflated; send it in smaller parts.`,
      );
    }
    if (code?.startsWith("Z_") && code !== "Z_MEM_ERROR") throw broken(message);
    throw error;
  }
}

/** The trailer's own word on the length, as far as it can be true: zlib is then called once and nothing is joined. */
function chunkBytes(body: Buffer, limitBytes: number): number {
  const stated = body.length < 18 ? 0 : body.readUInt32LE(body.length - 4);
  const most = Math.min(limitBytes, body.length * MOST_RATIO);
  return Math.max(LEAST_CHUNK_BYTES, Math.min(stated, most) + 16);
}

const broken = (what: string) =>
  new AppError("invalid_request", `The body is not valid gzip (${what}); send it again, or without Content-Encoding.`);
