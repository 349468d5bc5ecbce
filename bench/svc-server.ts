// The service for bench/ingest.ts; `drain` waits until every span is loaded.
import { startServer } from "../test/support/server.ts";
import { answerQuestions } from "./server-under-test.ts";

const { url, projectKey: key, spansLoaded: drain, stop: close } = await startServer({ checkAnswers: false });
answerQuestions({ url, key, drain, close });
