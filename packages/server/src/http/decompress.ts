import * as zlib from "node:zlib";
import { AppError } from "../base/errors.ts";
import { createInflater } from "./inflate.ts";

export type ContentEncoding = "identity" | "gzip" | "deflate" | "zstd";

/** Undefined in Node before version 22.15, which cannot read zstd. */
const zstdDecompress = zlib.zstdDecompressSync as typeof zlib.zstdDecompressSync | undefined;

export const CONTENT_ENCODINGS: readonly ContentEncoding[] =
  zstdDecompress === undefined ? ["identity", "gzip", "deflate"] : ["identity", "gzip", "deflate", "zstd"];

const ALIASES: Record<string, string> = { "x-gzip": "gzip" };

export function contentEncodingOf(header: string | undefined): ContentEncoding | undefined {
  const name = header?.trim().toLowerCase() ?? "identity";
  return CONTENT_ENCODINGS.find((encoding) => encoding === (ALIASES[name] ?? name));
}

const CHUNK_BYTES = 256 * 1024;
/**
 * Largest window of a zstd frame, as a power of 2. The sender chooses the window, and the service needs memory for it. 2^25 bytes (32 MiB)
 * is more than a body may have.
 */
const WINDOW_LOG_MAX = 25;
/** Largest number of frames in a body. Senders usually write one frame, and millions of tiny frames would cost much time. */
const FRAMES_MAX = 16;

/**
 * Decompresses a body. Throws when the body is corrupt or its content exceeds the limit. The next call may overwrite the returned bytes.
 */
type Decompress = (body: Buffer, encoding: ContentEncoding, limitBytes: number) => Buffer;

export function createDecompress(): Decompress {
  const inflateGzip = createInflater();
  return (body, encoding, limitBytes) => {
    if (encoding === "identity") return body;
    if (encoding === "gzip") return inflateGzip(body, limitBytes);
    return encoding === "deflate" ? inflateDeflate(body, limitBytes) : inflateZstd(body, limitBytes);
  };
}

function inflateDeflate(body: Buffer, limitBytes: number): Buffer {
  const { content, readBytes } = part("deflate (zlib format)", limitBytes, limitBytes, (options) =>
    zlib.inflateSync(body, options),
  );
  if (readBytes !== body.length) throw broken("deflate (zlib format)", "data follows its end");
  return content;
}

function inflateZstd(body: Buffer, limitBytes: number): Buffer {
  if (zstdDecompress === undefined)
    throw new Error(`Node ${process.version} does not read zstd; use Node 22.15 or newer.`);
  const frames: Buffer[] = [];
  let position = 0;
  let bytes = 0;
  while (position < body.length || frames.length === 0) {
    if (frames.length === FRAMES_MAX) throw broken("zstd", `it has more than ${FRAMES_MAX} frames`);
    const rest = body.subarray(position);
    const { content, readBytes } = part("zstd", limitBytes, limitBytes - bytes, (options) =>
      zstdDecompress(rest, { ...options, params: { [zlib.constants.ZSTD_d_windowLogMax]: WINDOW_LOG_MAX } }),
    );
    frames.push(content);
    bytes += content.length;
    position += readBytes;
  }
  return frames.length === 1 ? frames[0]! : Buffer.concat(frames);
}

type Options = { chunkSize: number; maxOutputLength: number; info: true };

/** Returns the content and the number of bytes that the call read. */
function part(name: string, limitBytes: number, roomBytes: number, run: (options: Options) => unknown) {
  try {
    // Node rejects a limit of 0, but a frame without content is valid.
    const options: Options = { chunkSize: CHUNK_BYTES, maxOutputLength: Math.max(1, roomBytes), info: true };
    const { buffer, engine } = run(options) as { buffer: Buffer; engine: { bytesWritten: number } };
    if (buffer.length > roomBytes) throw tooLarge(limitBytes);
    return { content: buffer, readBytes: engine.bytesWritten };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(limitBytes);
    if (code?.startsWith("Z") && !OUT_OF_MEMORY.has(code)) throw broken(name, message);
    throw error;
  }
}

const OUT_OF_MEMORY = new Set(["Z_MEM_ERROR", "ZSTD_error_memory_allocation"]);

const broken = (name: string, reason: string) =>
  new AppError(
    "invalid_request",
    `The body is not valid ${name} (${reason}). Send it again, or send it without Content-Encoding.`,
  );

const tooLarge = (limitBytes: number) =>
  new AppError(
    "payload_too_large",
    `The body is larger than ${limitBytes / 1024 ** 2} MiB when inflated. Send it in smaller parts.`,
  );
