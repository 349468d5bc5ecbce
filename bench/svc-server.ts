// The service for bench/ingest.ts; `drain` waits until every span is loaded, `read` until every conversation is read.
import { startServer } from "../test/support/server.ts";
import { answerQuestions } from "./server-under-test.ts";

const {
  url,
  projectKey: key,
  spansLoaded: drain,
  conversationsRead: read,
  stop,
} = await startServer({ checkAnswers: false });
answerQuestions({ url, key, drain, read, close: stop });
