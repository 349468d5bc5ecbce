import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startChatAgent } from "../../support/chat-agent.ts";
import { type FakeVoiceAgent, startFakeVoiceAgent } from "../../support/calls/fake-voice-agent.ts";
import { chatConnection, voiceConnection } from "../../support/runs.ts";
import { startServer, type TestServer } from "../../support/server.ts";

let server: TestServer;
let agent: FakeVoiceAgent;
beforeAll(async () => {
  server = await startServer();
  agent = await startFakeVoiceAgent({ silent: () => {}, speaks: (call) => call.say(40) });
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

const call = async (behavior: string) =>
  server.client.connections.try(await voiceConnection(server.client, agent.urlOf(behavior)), { timeoutMs: 60_000 });

describe("a try that reaches its limits", () => {
  test("a try that reaches its limits fails with an agent that accepts the call and stays silent", async () => {
    const tried = await call("silent");
    expect(tried.result).toBe("fails");
    // On a busy machine, the time limit of the try ends it first.
    expect(["agent_never_joined", "time_limit"]).toContain(tried.endingReason);
    expect(tried.steps.find(({ step }) => step === "connect")).toMatchObject({ result: "done" });
  });

  test("a try of a connection works within its limits when the agent's greeting does not end in time", async () => {
    const tried = await call("speaks");
    expect(tried).toMatchObject({ result: "works", endingReason: null });
    expect(tried.message).toBe("The connection works. The try ended after 20 s, before the agent had finished.");
    expect(tried.durationMs).toBeLessThan(40_000);
  });

  test("a try that reaches its limits fails with an agent that takes the message and never answers", async () => {
    const hanging = await startChatAgent(() => new Promise<never>(() => {}));
    const ids = await chatConnection(server.client, hanging.url);
    const tried = await server.client.connections.try(ids, { timeoutMs: 60_000 });
    expect(tried).toMatchObject({ result: "fails", endingReason: "time_limit" });
    expect(tried.message).toMatch(/^The agent did not answer within 20 s\./);
    hanging.stop();
  });
});
