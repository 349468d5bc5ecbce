// The service for bench/reads.ts and bench/runs.ts; `drain` waits until every conversation is derived.
import { startServer } from "../test/support/server.ts";
import { answerQuestions } from "./server-under-test.ts";

const { url, projectKey: key, conversationsRead: drain, stop: close } = await startServer({ checkAnswers: false });
answerQuestions({ url, key, drain, close });
