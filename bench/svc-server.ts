// The service, started by bench/ingest.ts, which asks it for its CPU time.
import { startServer } from "../test/support/server.ts";
import { answerCpuQuestions } from "./server-under-test.ts";

const { url, projectKey: key, spansLoaded: settle, stop: close } = await startServer({ checkAnswers: false });
answerCpuQuestions({ url, key, settle, close });
