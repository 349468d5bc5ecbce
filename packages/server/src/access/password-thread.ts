import { scrypt } from "@noble/hashes/scrypt.js";
import { serveCalls } from "../base/threads/serve-calls.ts";
import type { PasswordFace } from "./password-threads.ts";

// This thread hashes passwords at a low priority. In Node's own thread pool, hashes would have the same priority as the threads that answer
// requests and write received spans to disk.

const NICENESS = 10;

/**
 * The scrypt parameters of the sign-in library. Earlier versions of the service stored passwords with these parameters, so they must not
 * change.
 */
const PARAMETERS = { N: 16_384, r: 16, p: 1, dkLen: 64 };

/**
 * The thread rests after each slice of a hash. Without rests, the scheduler leaves it its core for 4 to 8 ms at any priority, while threads
 * that answer requests wait for a core.
 */
const SLICE_MS = 1;
const REST_MS = 1;

const never = new Int32Array(new SharedArrayBuffer(4));

function hashInSlices(password: string, salt: string): Uint8Array {
  let sliceFromMs = performance.now();
  const onProgress = () => {
    if (performance.now() - sliceFromMs < SLICE_MS) return;
    Atomics.wait(never, 0, 0, REST_MS);
    sliceFromMs = performance.now();
  };
  return scrypt(password, salt, { ...PARAMETERS, onProgress });
}

serveCalls<PasswordFace>(() => ({ calls: { keyOf: hashInSlices } }), NICENESS);
