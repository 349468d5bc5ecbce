// The service for bench/sign-ins.ts, with the slow hash of passwords that people get; `drain` waits until every span is loaded.
import { hashPassword, verifyPassword } from "better-auth/crypto";
import { startServer } from "../test/support/server.ts";
import { answerQuestions } from "./server-under-test.ts";

const {
  url,
  projectKey: key,
  spansLoaded: drain,
  stop: close,
} = await startServer({
  checkAnswers: false,
  settings: { SVC_OPEN_SIGNUP: "true", SVC_TRUST_PROXY: "true" },
  passwordHash: { hash: hashPassword, verify: verifyPassword },
});
answerQuestions({ url, key, drain, close });
