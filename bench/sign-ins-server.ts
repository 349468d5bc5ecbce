// The service for bench/sign-ins.ts. With BENCH_NO_HASHES, a sign-in waits as long as hashing a password takes, but uses no
// processor time.
import { setTimeout as delay } from "node:timers/promises";
import { openPasswordThreads } from "../packages/server/src/access/password-threads.ts";
import { FAST_PASSWORDS } from "../test/support/fast-passwords.ts";
import { startServer } from "../test/support/server.ts";
import { answerQuestions } from "./server-under-test.ts";

const HASH_MS = 60;
const waiting: typeof FAST_PASSWORDS = {
  hash: (password) => delay(HASH_MS).then(() => FAST_PASSWORDS.hash(password)),
  verify: (stored) => delay(HASH_MS).then(() => FAST_PASSWORDS.verify(stored)),
};

const server = await startServer({
  checkAnswers: false,
  settings: { SVC_OPEN_SIGNUP: "true", SVC_TRUST_PROXY: "true" },
  passwordHash: process.env.BENCH_NO_HASHES === undefined ? openPasswordThreads() : waiting,
});
answerQuestions({ url: server.url, key: server.projectKey, drain: server.spansLoaded, close: server.stop });
