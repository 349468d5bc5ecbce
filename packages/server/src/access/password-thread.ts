import { scryptSync } from "node:crypto";
import { serveCalls } from "../base/threads/serve-calls.ts";
import type { PasswordFace } from "./password-threads.ts";

// This thread hashes passwords at a low priority. In Node's own thread pool, hashes would have the same priority as the threads that answer
// requests and write received spans to disk.

const NICENESS = 10;

/**
 * The scrypt parameters of the sign-in library. Earlier versions of the service stored passwords with these parameters, so they must not
 * change.
 */
const [COST, BLOCK_SIZE, KEY_BYTES] = [16_384, 16, 64];
const PARAMETERS = { N: COST, r: BLOCK_SIZE, p: 1, maxmem: 2 * 128 * COST * BLOCK_SIZE };

serveCalls<PasswordFace>(
  () => ({ calls: { keyOf: (password, salt) => scryptSync(password, salt, KEY_BYTES, PARAMETERS) } }),
  NICENESS,
);
