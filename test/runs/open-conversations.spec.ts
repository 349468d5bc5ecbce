import { type ConnectionTry, LIMITS } from "@svc/contract";
import { afterAll, describe, expect, test } from "vitest";
import { startFakeVoiceAgent } from "../support/calls/fake-voice-agent.ts";
import { type Answer, type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { send } from "../support/request.ts";
import { chatConnection, voiceConnection } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { freshName } from "../support/world.ts";
import { until } from "../support/until.ts";

const started: { stop: () => unknown }[] = [];
afterAll(async () => {
  for (const one of started) await one.stop();
});

const open = async (overrides: Parameters<typeof startServer>[0] = {}): Promise<TestServer> => {
  const server = await startServer(overrides);
  started.push(server);
  return server;
};

const talkative: Answer = ({ event, message }) =>
  event === "start"
    ? {}
    : message === "Goodbye."
      ? { message: "Bye.", ended: true }
      : { message: `You said: ${message}` };

async function agentOf(server: TestServer, answer = talkative) {
  const agent = await startChatAgent(answer);
  started.push(agent);
  const ids = await chatConnection(server.client, agent.url);
  const say = (message: string, conversationId?: string, staysOpen = true) =>
    server.client.connections.try({ ...ids, message, staysOpen, ...(conversationId && { conversationId }) });
  return { agent, ids, say, url: `/v1/agents/${ids.agentId}/connections/${ids.connectionId}/try` };
}

const idOf = ({ openConversation }: ConnectionTry): string => openConversation!.id;
const wordsOf = ({ turns }: ConnectionTry) => turns.map(({ role, text }) => `${role}: ${text}`);
const eventsOf = ({ heard }: ChatAgent, id?: string) =>
  heard.filter(({ simulationId }) => id === undefined || simulationId === id).map(({ event }) => event);
const ended = (agent: ChatAgent, id: string) => until(`the end of ${id}`, () => eventsOf(agent, id).includes("end"));

describe("an open conversation", () => {
  test("an open conversation goes on with the next message, in the same session of the agent, until the caller ends it", async () => {
    const { agent, say } = await agentOf(await open());
    const first = await say("Two nights.");
    const left = Date.parse(first.openConversation!.openUntil) - Date.now();
    expect(left).toBeGreaterThan(LIMITS.openConversationSeconds * 1_000 - 60_000);
    expect(left).toBeLessThanOrEqual(LIMITS.openConversationSeconds * 1_000);
    expect(first.steps.at(-1)).toMatchObject({
      step: "hang_up",
      result: "skipped",
      message: expect.stringContaining("stays open"),
    });
    const second = await say("From Friday.", idOf(first));
    expect(idOf(second)).toBe(idOf(first));
    expect(wordsOf(second)).toEqual(["caller: From Friday.", "agent: You said: From Friday."]);
    expect(second.steps.map(({ step, result }) => `${step} ${result}`)).toEqual([
      "prepare skipped",
      "connect skipped",
      "greeting skipped",
      "answer done",
      "hang_up skipped",
    ]);
    const last = await say("For two.", idOf(first), false);
    expect(last).toMatchObject({ result: "works", openConversation: null });
    expect(new Set(agent.heard.map(({ simulationId }) => simulationId))).toEqual(new Set([idOf(first)]));
    expect(agent.heard.map(({ event, turn }) => [event, turn])).toEqual([
      ["start", 0],
      ["message", 1],
      ["message", 2],
      ["message", 3],
      ["end", 4],
    ]);
  });

  test("an open conversation ends with its hundredth message", async () => {
    const server = await open();
    const { agent, ids, say } = await agentOf(server);
    const conversationId = idOf(await say("1"));
    const furtherMessages = Array.from({ length: LIMITS.connectionTryFurtherMessages }, () => "More.");
    const more = { ...ids, message: "More.", furtherMessages, conversationId, staysOpen: true };
    let last: ConnectionTry | undefined;
    const atOnce = furtherMessages.length + 1;
    for (let said = 1; said < LIMITS.openConversationMessages; said += atOnce) {
      if (last !== undefined) expect(idOf(last)).toBe(conversationId);
      last = await server.client.connections.try(more);
    }
    expect(last).toMatchObject({ result: "works", openConversation: null });
    await ended(agent, conversationId);
  });

  test("an open conversation is over when the agent ends it or fails, and says so", async () => {
    const server = await open();
    const { say } = await agentOf(server, (spoken, response) => {
      if (spoken.message !== "Break.") return talkative(spoken, response);
      response.writeHead(500).end();
      return null;
    });
    const ending = await say("Goodbye.", idOf(await say("Hello.")));
    expect(ending).toMatchObject({ result: "works", openConversation: null });
    const opened = await say("Hello.");
    const broken = await say("Break.", idOf(opened));
    expect(broken).toMatchObject({
      result: "fails",
      endingReason: "agent_error",
      endedBy: "agent",
      openConversation: null,
    });
    await expect(say("Hello?", idOf(opened))).rejects.toMatchObject({ code: "not_found" });
  });

  test("an open conversation of another connection or project is refused byte for byte like one that never was", async () => {
    const server = await open();
    const { agent, say, url } = await agentOf(server);
    const id = idOf(await say("Hello."));
    const other = await agentOf(server);
    const { project } = await server.admin.projects.create({ name: freshName("project") });
    const strangers = await server.admin.keys.create({ project_id: project.id });
    const ask = (path: string, key: string, conversationId: string) =>
      send(server.url, { method: "POST", path, key, json: { message: "Hello?", conversationId } });
    const never = await ask(url, server.projectKey, `${id.slice(0, -4)}zzzz`);
    const otherConnection = await ask(other.url, server.projectKey, id);
    expect(never.status).toBe(404);
    expect(otherConnection).toMatchObject({ status: 404, text: never.text });
    const foreign = await ask(url, strangers.secret, id);
    expect(foreign.status).toBe(404);
    expect(eventsOf(agent)).toEqual(["start", "message"]);
    expect(wordsOf(await say("Still there?", id))).toHaveLength(2);
  });

  test("a message during the answer to an earlier one is refused, and the earlier one gets its answer", async () => {
    const server = await open();
    let answerNow = () => {};
    const isAsked = Promise.withResolvers<void>();
    const { say } = await agentOf(server, async (spoken, response) => {
      if (spoken.message === "Wait.") {
        isAsked.resolve();
        await new Promise<void>((resolve) => (answerNow = resolve));
      }
      return talkative(spoken, response);
    });
    const id = idOf(await say("Hello."));
    const waiting = say("Wait.", id);
    await isAsked.promise;
    await expect(say("Well?", id)).rejects.toMatchObject({ code: "conflict" });
    answerNow();
    expect(wordsOf(await waiting)).toEqual(["caller: Wait.", "agent: You said: Wait."]);
    expect(wordsOf(await say("And now?", id))).toHaveLength(2);
  });

  test("the conversation that has waited longest ends when an organization opens more than its limit", async () => {
    const server = await open();
    const { agent, say } = await agentOf(server);
    const ids: string[] = [];
    for (let n = 0; n < LIMITS.openConversations; n++) ids.push(idOf(await say(`Hello ${n}.`)));
    await say("Not idle.", ids[0]);
    ids.push(idOf(await say("One too many.")));
    await ended(agent, ids[1]!);
    await expect(say("Hello?", ids[1])).rejects.toMatchObject({ code: "not_found" });
    for (const id of [ids[0]!, ids.at(-1)!]) expect(eventsOf(agent, id)).not.toContain("end");
  });

  test("an open conversation ends when no message comes, when its client disconnects, and when the service stops", async () => {
    const short = await open({ runs: { openConversationMs: 50 } });
    const idle = await agentOf(short);
    const idleId = idOf(await idle.say("Hello."));
    await ended(idle.agent, idleId);
    await expect(idle.say("Hello?", idleId)).rejects.toMatchObject({ code: "not_found" });

    const server = await open();
    const isAsked = Promise.withResolvers<void>();
    const slow = await agentOf(server, (spoken, response) => {
      if (spoken.message !== "Wait.") return talkative(spoken, response);
      isAsked.resolve();
      return new Promise(() => {});
    });
    const goneId = idOf(await slow.say("Hello."));
    const gone = new AbortController();
    const request = fetch(server.url + slow.url, {
      method: "POST",
      headers: { authorization: `Bearer ${server.projectKey}`, "content-type": "application/json" },
      body: JSON.stringify({ message: "Wait.", conversationId: goneId, staysOpen: true }),
      signal: gone.signal,
    });
    await isAsked.promise;
    gone.abort();
    await expect(request).rejects.toMatchObject({ name: "AbortError" });
    await ended(slow.agent, goneId);

    const keptId = idOf(await slow.say("Hello again."));
    await server.stop();
    await ended(slow.agent, keptId);
  });

  test("a request without a message ends an open conversation; a call never stays open", async () => {
    const server = await open();
    const voice = await startFakeVoiceAgent({ greets: (call) => call.say(0.5) });
    started.push(voice);
    const spoken = await voiceConnection(server.client, voice.urlOf("greets"));
    await expect(server.client.connections.try({ ...spoken, staysOpen: true })).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringContaining("staysOpen"),
    });
    const { agent, ids, say } = await agentOf(server);
    const conversationId = idOf(await say("Hello."));
    const of = { ...ids, conversationId };
    await expect(server.client.connections.try({ ...of, staysOpen: true })).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringContaining("Give a message"),
    });
    const over = await server.client.connections.try(of);
    expect(over).toMatchObject({ result: "works", turns: [], openConversation: null });
    expect(over.message).toBe("The connection works. The caller ended the conversation.");
    expect(eventsOf(agent, conversationId)).toEqual(["start", "message", "end"]);
  });
});
