import { constants, createGunzip, gunzipSync } from "node:zlib";
import { AppError } from "../base/errors.ts";

const LEAST_CHUNK_BYTES = 1 << 10;
const SCRATCH_BYTES = 2 << 20;
// Largest possible compression ratio of deflate.
const MOST_RATIO = 1032;

/**
 * Decompresses a gzip body. Throws when the body is corrupt or its content exceeds the limit. The next call may overwrite the returned
 * bytes.
 */
type Inflate = (body: Buffer, limitBytes: number) => Buffer;

export const createInflater = (): Inflate => createReusingInflater() ?? inflateAnew;

/** Inflates with Node's documented function, which allocates a new buffer for each call. */
export const inflateAnew: Inflate = (body, limitBytes) => {
  try {
    const { buffer, engine } = gunzipSync(body, {
      chunkSize: chunkBytes(body, limitBytes),
      maxOutputLength: limitBytes,
      info: true,
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    if (engine.bytesWritten !== body.length) throw broken("data follows its end");
    return buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(limitBytes);
    if (code?.startsWith("Z_") && code !== "Z_MEM_ERROR") throw broken(message);
    throw error;
  }
};

/** Internal handle of Node's zlib streams since version 8. It is undocumented, so `inflateAnew` is the fallback. */
type Handle = {
  writeSync(flush: number, from: Buffer, at: number, bytes: number, to: Buffer, toAt: number, toBytes: number): void;
  reset(): void;
  onerror: (message: string) => void;
};

/**
 * Returns a function that inflates every body into the same buffer, because collecting a megabyte of garbage for each body would cost more
 * than inflating it. Returns undefined when this version of Node has no such handle.
 */
export function createReusingInflater(): Inflate | undefined {
  const gunzip = createGunzip() as unknown as { _handle?: Handle; _writeState?: Uint32Array };
  const { _handle: handle, _writeState: left } = gunzip;
  if (typeof handle?.writeSync !== "function" || typeof handle.reset !== "function" || left?.length !== 2) {
    return undefined;
  }
  let fault: string | undefined;
  handle.onerror = (message) => {
    fault = message;
  };
  let scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  return (body, limitBytes) => {
    const wanted = chunkBytes(body, limitBytes);
    if (scratch.length < wanted) scratch = Buffer.allocUnsafeSlow(wanted);
    for (;;) {
      const room = Math.min(scratch.length, limitBytes + 1);
      fault = undefined;
      handle.reset();
      handle.writeSync(constants.Z_FINISH, body, 0, body.length, scratch, 0, room);
      if (fault !== undefined) throw broken(fault); // after a fault, `left` still has the counts of the previous call
      const [outLeft, inLeft] = left as unknown as [number, number];
      const bytes = room - outLeft;
      if (outLeft === 0 && bytes > limitBytes) throw tooLarge(limitBytes);
      if (outLeft === 0) scratch = Buffer.allocUnsafeSlow(Math.min(scratch.length * 4, limitBytes + 1));
      else if (inLeft > 0) throw broken("data follows its end");
      else return scratch.subarray(0, bytes);
    }
  };
}

/**
 * Returns the content length from the gzip trailer, but at most the length to which a body of this size can inflate. With a buffer
 * of the right length, one zlib call is enough.
 */
function chunkBytes(body: Buffer, limitBytes: number): number {
  const stated = body.length < 18 ? 0 : body.readUInt32LE(body.length - 4);
  const most = Math.min(limitBytes, body.length * MOST_RATIO);
  return Math.max(LEAST_CHUNK_BYTES, Math.min(stated, most) + 16);
}

const broken = (what: string) =>
  new AppError(
    "invalid_request",
    `The body is not valid gzip (${what}). Send it again, or send it without Content-Encoding.`,
  );

const tooLarge = (limitBytes: number) =>
  new AppError(
    "payload_too_large",
    `The body is larger than ${limitBytes / 1024 ** 2} MiB when inflated. Send it in smaller parts.`,
  );
