import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunReport } from "../../packages/cli/src/runs/report.ts";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { openHome } from "../support/cli.ts";
import { answers, type Asked, type Behavior, fakeEndpoint } from "../support/language-model/fake-endpoint.ts";
import { judgement, passesWithProof } from "../support/language-model/judge-replies.ts";
import { chatConnection, played, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";

let endpoint: Awaited<ReturnType<typeof fakeEndpoint>>;
let server: TestServer;
let agent: ChatAgent;
let home: ReturnType<typeof openHome>;
let judge: Behavior = answers(passesWithProof);

beforeAll(async () => {
  const isCallers = ({ body }: Asked) => body.tools !== undefined;
  endpoint = await fakeEndpoint((asked, ...rest) => (isCallers(asked) ? answers("Hello.") : judge)(asked, ...rest));
  const { baseUrl, apiKey, model } = endpoint.settings;
  server = await startServer({
    settings: { SVC_LLM_BASE_URL: baseUrl, SVC_LLM_API_KEY: apiKey, SVC_LLM_MODEL: model },
  });
  agent = await startChatAgent(({ event }) =>
    event === "start" ? {} : { message: "You are most welcome.", ended: true },
  );
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
});
afterAll(async () => {
  home.remove();
  agent.stop();
  await server.stop();
  endpoint.stop();
});

/** Answers late, as a language model does. */
const late =
  (answer: Behavior): Behavior =>
  async (...asked) => {
    await delay(700);
    answer(...asked);
  };

test("`simulations regrade` and `runs regrade` wait for the new verdict, although the earlier one is there meanwhile", async () => {
  const target = await chatConnection(server.client, agent.url);
  const testVersions = await versionsOf(server.client, [
    { scenario: "Caller says:\n- Hello.", behaviors: ["Is polite."] },
  ]);
  const { id: runId } = await startRun(server.client, { ...target, testVersions });
  const { simulations } = await played(server, runId);
  expect(simulations.map(({ verdict }) => verdict)).toEqual(["passed"]);
  const { id } = simulations[0]!;

  judge = late(answers(judgement("fail")));
  expect((await home.svc(["simulations", "regrade", id])).stdout).toContain(`${id}: failed (before: passed)`);
  judge = late(answers(passesWithProof));
  const { stdout } = await home.svc(["runs", "regrade", runId, "--yes", "--json"]);
  expect((JSON.parse(stdout) as RunReport).run).toMatchObject({ passedVerdicts: 1, failedVerdicts: 0 });

  judge = late(answers(judgement("fail")));
  const { stdout: unwaited } = await home.svc(["simulations", "regrade", id, "--no-wait"]);
  expect(unwaited).toContain(`The service grades ${id} again.`);
});
