// The service for bench/ingest.ts and bench/rebuild.ts, which pass the data folder. `drain` waits until every span is loaded, and
// `read` until every conversation is derived.
import { startServer } from "../test/support/server.ts";
import { answerQuestions } from "./server-under-test.ts";

const {
  url,
  projectKey: key,
  spansLoaded: drain,
  conversationsRead: read,
  stop,
} = await startServer({
  checkAnswers: false,
  ...(process.env.BENCH_DATA_DIR !== undefined && { dataDir: process.env.BENCH_DATA_DIR }),
});
answerQuestions({ url, key, drain, read, close: stop });
