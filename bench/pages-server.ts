// The service with its pages for bench/web.ts; `drain` waits until every conversation is derived.
import { webFolder } from "@svc/web";
import { startServer } from "../test/support/server.ts";
import { answerQuestions } from "./server-under-test.ts";

const server = await startServer({ checkAnswers: false, webFolder: await webFolder() });
answerQuestions({ url: server.url, key: server.projectKey, drain: server.conversationsRead, close: server.stop });
