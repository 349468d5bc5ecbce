import { readdirSync } from "node:fs";
import { CONNECTION_OPTIONS, type ConnectionTry, LIMITS } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lineTypeOf } from "../../packages/server/src/runs/lines/connection-types.ts";
import { type FakeVoiceAgent, startFakeVoiceAgent } from "../support/calls/fake-voice-agent.ts";
import { type Answer, startChatAgent, useTool } from "../support/chat-agent.ts";
import { openStoreOf, recordingsFolderOf } from "../support/engine.ts";
import { chatConnection, consoleConnection, voiceConnection } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { freshName } from "../support/world.ts";

type Ids = { agentId: string; connectionId: string };

const servers: TestServer[] = [];
const open = async (settings: Record<string, string> = {}) => {
  const server = await startServer({ settings });
  servers.push(server);
  return server;
};
let server: TestServer;
let voice: FakeVoiceAgent;

beforeAll(async () => {
  server = await open();
  voice = await startFakeVoiceAgent({
    greets(call) {
      call.say(0.7);
      call.onCallersTurn(() => call.say(0.5));
    },
    deaf: (call) => call.say(0.7),
    waits: (call) => call.onCallersTurn(() => call.say(0.5)),
    garbage: ({ socket }) => socket.send("hello"),
  });
});
afterAll(async () => {
  voice.stop();
  await Promise.all(servers.map((one) => one.stop()));
});

const stepsOf = ({ steps }: ConnectionTry) => steps.map(({ step, result }) => `${step} ${result}`);
const tryOf = (client: Client, ids: Ids, message?: string) => client.connections.try({ ...ids, message });

async function chatTry(answer: Answer, message?: string): Promise<ConnectionTry> {
  const agent = await startChatAgent(answer);
  try {
    return await tryOf(server.client, await chatConnection(server.client, agent.url), message);
  } finally {
    agent.stop();
  }
}

describe("a try in writing", () => {
  test("a try in writing has the greeting, the caller's message, the answer and the tool calls, with times", async () => {
    await server.client.mockTools.create({ tool: "look_up", answer: { free: true } });
    const tried = await chatTry(async (spoken) => {
      if (spoken.event === "start") return { message: "Front desk." };
      await useTool(spoken, "look_up");
      return { message: `You said: ${spoken.message}` };
    }, "Is a room free?");
    expect(stepsOf(tried)).toEqual(["prepare done", "connect done", "greeting done", "answer done", "hang_up done"]);
    expect(tried).toMatchObject({ result: "works", endingReason: null, endedBy: null, sound: null });
    expect(tried.message).toMatch(/^The agent answered after \d+ ms\.$/);
    expect(tried.turns.map(({ role, text }) => [role, text])).toEqual([
      ["agent", "Front desk."],
      ["caller", "Is a room free?"],
      ["agent", "You said: Is a room free?"],
    ]);
    const times = tried.turns.flatMap(({ startMs, endMs }) => [startMs, endMs]);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times.at(-1)!).toBeLessThanOrEqual(tried.durationMs);
    const called = { name: "look_up", arguments: expect.stringMatching(/^\{/), mocked: true, error: null };
    expect(tried.toolCalls).toEqual([{ ...called, durationMs: expect.any(Number) }]);
  });

  test("a try in writing says further messages in the same conversation, each after the answer to the one before", async () => {
    const agent = await startChatAgent(async (spoken) => {
      if (spoken.event === "start") return {};
      if (spoken.message === "Yes.") return { message: "Booked.", ended: true };
      return { message: `${spoken.message} Is that right?` };
    });
    const ids = await chatConnection(server.client, agent.url);
    const say = (...furtherMessages: string[]) =>
      server.client.connections.try({ ...ids, message: "Two nights.", furtherMessages });
    const wordsOf = ({ turns }: ConnectionTry) => turns.map(({ role, text }) => `${role}: ${text}`);

    const whole = await say("From Friday.", "Yes.");
    expect(wordsOf(whole)).toEqual([
      "caller: Two nights.",
      "agent: Two nights. Is that right?",
      "caller: From Friday.",
      "agent: From Friday. Is that right?",
      "caller: Yes.",
      "agent: Booked.",
    ]);
    expect(whole).toMatchObject({
      result: "works",
      message: expect.stringMatching(/^The agent answered after \d+ ms\.$/),
    });

    const cut = await say("Yes.", "Hello?");
    expect(wordsOf(cut)).toHaveLength(4);
    expect(cut).toMatchObject({ result: "works", message: "The agent ended the conversation after message 2 of 3." });
    agent.stop();
  });

  test("a try in writing fails when a further message gets no words, and keeps what was said before", async () => {
    const agent = await startChatAgent(({ event, message }) =>
      event === "start" || message === "And?" ? {} : { message: "Fine." },
    );
    const ids = await chatConnection(server.client, agent.url);
    const tried = await server.client.connections.try({ ...ids, message: "How are you?", furtherMessages: ["And?"] });
    expect(tried).toMatchObject({ result: "fails", endingReason: "agent_error", endedBy: "agent" });
    expect(stepsOf(tried)).toContain("answer failed");
    expect(tried.turns.map(({ text }) => text)).toEqual(["How are you?", "Fine.", "And?"]);
    agent.stop();
  });

  test("a try of a call refuses further messages", async () => {
    const ids = await voiceConnection(server.client, voice.urlOf("greets"));
    await expect(server.client.connections.try({ ...ids, furtherMessages: ["And?"] })).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringContaining("Leave out furtherMessages"),
    });
  });

  test("a try in writing works with the sample agent, and leaves the connection as it is", async () => {
    const { agent } = await server.client.agents.register({ name: freshName("agent") });
    const wanted = { agentId: agent.id, connectionType: "sample_agent", config: {} } as const;
    const { connection } = await server.client.connections.create(wanted);
    const ids = { agentId: agent.id, connectionId: connection.id };
    expect(await tryOf(server.client, ids)).toMatchObject({ result: "works" });
    expect((await server.client.connections.get(ids)).connection).toEqual(connection);
    const { runs } = await server.client.runs.list({});
    expect(runs).toEqual([]);
  });

  test("a try in writing says which step failed and who is the cause", async () => {
    const nothing = await tryOf(server.client, await chatConnection(server.client, "http://127.0.0.1:9/"));
    expect(nothing).toMatchObject({ result: "fails", endingReason: "connection_refused", endedBy: "outside" });
    expect(stepsOf(nothing)).toEqual([
      "prepare done",
      "connect failed",
      "greeting skipped",
      "answer skipped",
      "hang_up done",
    ]);
    expect(nothing.message).toContain("check the connection's address");

    const asked = await tryOf(server.client, await chatConnection(server.client, "http://127.0.0.1:9/", "openai"));
    expect(stepsOf(asked).slice(1, 4)).toEqual(["connect failed", "greeting skipped", "answer skipped"]);

    const broken = await chatTry(({ event }, response) => {
      if (event === "start") return {};
      response.writeHead(500).end();
      return null;
    });
    expect(broken).toMatchObject({ result: "fails", endingReason: "agent_error", endedBy: "agent" });
    expect(stepsOf(broken).slice(1, 4)).toEqual(["connect done", "greeting skipped", "answer failed"]);

    const refused = await chatTry((_, response) => {
      response.writeHead(401).end();
      return null;
    });
    expect(refused).toMatchObject({ result: "fails", endingReason: "credential_rejected", endedBy: "outside" });
    expect(refused.message).toContain("asks for a credential (401), and the connection has none: add a connection of");
    expect(stepsOf(refused).slice(0, 3)).toEqual(["prepare done", "connect failed", "greeting skipped"]);

    const empty = await chatTry(() => ({}));
    expect(empty).toMatchObject({
      result: "fails",
      message: expect.stringMatching(/^The agent answered without a word\. Let it put its text where/),
    });
  });

  test("a try in writing calls no private address where strangers may sign up", async () => {
    const strict = await open({ SVC_OUTBOUND_PRIVATE: "false" });
    const ids = await chatConnection(strict.client, "http://127.0.0.1:9/");
    const tried = await tryOf(strict.client, ids);
    expect(tried).toMatchObject({
      endingReason: "connection_refused",
      message: /private address/.exec(tried.message)?.input,
    });
    expect(tried.message).toContain("has a private address");
  });
});

describe("a try with sound", () => {
  const call = async (behavior: string, message?: string) =>
    tryOf(server.client, await voiceConnection(server.client, voice.urlOf(behavior)), message);

  test("a try with sound over a bad line works, and has no signalling but what the line lost", async () => {
    const ids = await voiceConnection(server.client, voice.urlOf("greets"), "mulaw_8k", "bad-wifi");
    const { result, line } = await tryOf(server.client, ids);
    expect([result, line!.steps, line!.codec]).toEqual(["works", [], null]);
    expect(line!.condition!.name).toBe("bad-wifi");
    expect(line!.condition!.toAgent.packets).toBeGreaterThan(50);
  });

  test("a try with sound has the times and the speech of an agent that greets and answers, and keeps no recording", async () => {
    const tried = await call("greets");
    expect(tried).toMatchObject({ result: "works", endingReason: null });
    expect(stepsOf(tried)).toEqual(["prepare done", "connect done", "greeting done", "answer done", "hang_up done"]);
    expect(tried.turns.map(({ role, text }) => [role, text])).toEqual([
      ["agent", null],
      ["caller", "Hello. Can you hear me?"],
      ["agent", null],
    ]);
    expect(tried.sound!.agentSpeechMs).toBeGreaterThan(900);
    expect(tried.sound!.firstSoundMs).toBeLessThan(2_000);
    expect(
      readdirSync(recordingsFolderOf(server.dataDir), { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      ),
    ).toEqual([]);
    const { db, close } = await openStoreOf(server.dataDir);
    expect(await db.selectFrom("recordings").select("blob").execute()).toEqual([]);
    await close();
  });

  test("a try with sound waits for the greeting of an agent, then speaks first", async () => {
    const tried = await call("waits", "I need a room.");
    expect(tried).toMatchObject({ result: "works" });
    expect(stepsOf(tried).slice(1, 4)).toEqual(["connect done", "greeting skipped", "answer done"]);
  });

  test("a try with sound fails at the connection or at the greeting when the endpoint breaks the protocol", async () => {
    const unknown = await call("unknown");
    expect(unknown).toMatchObject({ result: "fails", endingReason: "agent_error" });
    expect(stepsOf(unknown).slice(1, 3)).toEqual(["connect failed", "greeting skipped"]);
    const garbage = await call("garbage");
    expect(garbage).toMatchObject({ result: "fails", endingReason: "agent_error" });
    expect(stepsOf(garbage).slice(1, 3)).toEqual(["connect done", "greeting failed"]);
  });

  test("hints at a wrong codec when an agent greets and answers nothing", async () => {
    const tried = await call("deaf");
    expect(tried).toMatchObject({ result: "fails", endingReason: "agent_silent" });
    expect(tried.message).toMatch(/^The agent said nothing more.* another codec or sample rate than the connection's /);
  });

  test("a try with sound refuses a message that the caller's voice cannot speak", async () => {
    await expect(call("greets", "你好")).rejects.toMatchObject({ code: "unprocessable" });
    await expect(call("greets", "…")).rejects.toMatchObject({ code: "unprocessable" });
  });
});

describe("a connection that the service cannot try", () => {
  test("a connection that the service cannot try is an answer that says what to do", async () => {
    const console = await tryOf(server.client, await consoleConnection(server.client));
    expect(console).toMatchObject({ result: "not_tried", steps: [] });
    expect(console.message).toContain("svc runs start --agent-command");
  });

  test("a connection that the service cannot try is refused when it or its agent is archived", async () => {
    const ids = await chatConnection(server.client, "http://127.0.0.1:9/");
    await server.client.connections.archive(ids);
    await expect(tryOf(server.client, ids)).rejects.toMatchObject({ code: "conflict" });
    await server.client.agents.archive({ agentId: ids.agentId });
    await expect(tryOf(server.client, ids)).rejects.toMatchObject({ code: "parent_agent_archived" });
  });
});

describe("the limits of tries", () => {
  test("an organization has few tries at the same time", async () => {
    const held = Promise.withResolvers<object>();
    const agent = await startChatAgent(async () => held.promise);
    // The other specs of this file use up the tries of a minute.
    const { client } = await open();
    const ids = await chatConnection(client, agent.url);
    const tries = Array.from({ length: LIMITS.connectionTriesAtOnce + 1 }, () => tryOf(client, ids));
    const refused = await Promise.any(
      tries.map((one) =>
        one.then(
          () => Promise.reject(new Error()),
          (error: unknown) => error,
        ),
      ),
    );
    expect(refused).toMatchObject({ code: "too_many_requests", retryAfterSeconds: 5 });
    held.resolve({ message: "Yes." });
    const results = await Promise.allSettled(tries);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(LIMITS.connectionTriesAtOnce);
    agent.stop();
  });

  test("an organization has few tries in a minute", async () => {
    const other = await open();
    const ids = await chatConnection(other.client, "http://127.0.0.1:9/");
    for (let tried = 0; tried < LIMITS.connectionTriesPerMinute; tried++) await tryOf(other.client, ids);
    await expect(tryOf(other.client, ids)).rejects.toMatchObject({ code: "too_many_requests" });
  });
});

test("the options say of each type what simulations play", () => {
  for (const { connectionType, plays } of CONNECTION_OPTIONS) {
    const line = lineTypeOf(connectionType);
    expect([connectionType, plays.text || plays.speech]).toEqual([connectionType, line !== null]);
    if (line) expect([connectionType, plays.speech]).toEqual([connectionType, line.carriesSound]);
    expect(plays.summary).toMatch(line ? /^Simulations play (?:text|speech)/ : /^Simulations do not support/);
    expect([connectionType, plays.heardTimes, plays.interruptions]).toEqual([
      connectionType,
      plays.speech,
      plays.speech,
    ]);
  }
});
