import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeEndpoint, refuses } from "../support/language-model/fake-endpoint.ts";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { chatConnection, played, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const started: TestServer[] = [];
let agent: ChatAgent;
beforeAll(async () => {
  agent = await startChatAgent(() => ({ message: "Hello." }));
});
afterAll(async () => {
  agent.stop();
  await Promise.all(started.map((server) => server.stop()));
});

async function simulationOn(settings: Record<string, string>, url: string) {
  const server = await startServer({ settings });
  started.push(server);
  const testVersions = await versionsOf(server.client, [
    { scenario: "Caller says:\n- Hello.", behaviors: ['never says "secret"'] },
  ]);
  const { id } = await startRun(server.client, { ...(await chatConnection(server.client, url)), testVersions });
  return (await played(server, id)).simulations[0]!;
}

describe("an agent at a private address", () => {
  test.each([
    ["without open sign-up", {}],
    ["without open sign-up on every interface", { SVC_HOST: "0.0.0.0" }],
    ["with open sign-up and SVC_OUTBOUND_PRIVATE=true", { SVC_OPEN_SIGNUP: "true", SVC_OUTBOUND_PRIVATE: "true" }],
  ])("an agent at a private address is called %s", async (_, settings) => {
    expect(await simulationOn(settings, agent.url)).toMatchObject({ verdict: "passed" });
  });

  test.each([
    ["with open sign-up", { SVC_OPEN_SIGNUP: "true" }],
    ["with SVC_OUTBOUND_PRIVATE=false", { SVC_OUTBOUND_PRIVATE: "false" }],
  ])(
    "an agent at a private address is refused %s, with what to do next and the same words for open and closed ports",
    async (_, settings) => {
      const heardBefore = agent.heard.length;
      const open = await simulationOn(settings, agent.url);
      expect(open).toMatchObject({
        endingReason: "connection_refused",
        verdict: "errored",
        message:
          "127.0.0.1 has a private address, which this service does not call: give the connection a public address, or set SVC_OUTBOUND_PRIVATE=true at the service.",
      });
      const closed = await simulationOn(settings, "http://127.0.0.1:9/chat");
      expect(closed.message).toBe(open.message);
      expect(agent.heard).toHaveLength(heardBefore);
    },
  );

  test("the operator's own addresses are called although private addresses are refused", async () => {
    const endpoint = await fakeEndpoint(refuses(500));
    const { baseUrl, apiKey, model } = endpoint.settings;
    const server = await startServer({
      settings: {
        SVC_OUTBOUND_PRIVATE: "false",
        SVC_LLM_BASE_URL: baseUrl,
        SVC_LLM_API_KEY: apiKey,
        SVC_LLM_MODEL: model,
      },
    });
    started.push(server);
    await server.client.judge.calibrate();
    await until("the model is asked", () => endpoint.asked.length > 0);
    endpoint.stop();
  });
});
