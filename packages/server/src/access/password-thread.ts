import { scryptSync } from "node:crypto";
import { serveCalls } from "../base/threads/serve-calls.ts";
import type { PasswordFace } from "./password-threads.ts";

// A thread that hashes passwords. In Node's own pool, a hash would have the priority of the threads that answer requests and write the
// journal.

const NICENESS = 10;

/** Parameters of the sign-in library, with which the passwords of earlier versions are stored. */
const [COST, BLOCK_SIZE, KEY_BYTES] = [16_384, 16, 64];
const PARAMETERS = { N: COST, r: BLOCK_SIZE, p: 1, maxmem: 2 * 128 * COST * BLOCK_SIZE };

serveCalls<PasswordFace>(
  () => ({ calls: { keyOf: (password, salt) => scryptSync(password, salt, KEY_BYTES, PARAMETERS) } }),
  NICENESS,
);
