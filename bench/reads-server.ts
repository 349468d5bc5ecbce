// The service, started by bench/reads.ts; it settles once every conversation is read.
import { startServer } from "../test/support/server.ts";
import { answerCpuQuestions } from "./server-under-test.ts";

const { url, projectKey: key, conversationsRead: settle, stop: close } = await startServer({ checkAnswers: false });
answerCpuQuestions({ url, key, settle, close });
