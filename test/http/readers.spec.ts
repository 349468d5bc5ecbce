import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { listen } from "@svc/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute, encodeProtobuf } from "../support/otlp.ts";
import { signUp } from "../support/people.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

/** An answer with this many spans must wait for its turn in the service's queue of answers. */
const SPANS = 450;
const TRACE_ID = traceIdOf(1);
const LARGE = Buffer.alloc(40 * 1024 * 1024);

/** Sends one conversation so large that the answer about it does not fit into the buffers of a socket. */
async function sendConversation(server: TestServer, key: string): Promise<void> {
  const text = "words ".repeat(1_000);
  for (let first = 0; first < SPANS; first += 150) {
    const spans = Array.from({ length: 150 }, (_, at) =>
      spanOf(1, first + at, { attributes: [attribute("note", text)] }),
    );
    const body = encodeProtobuf(requestOf(spans));
    await server.clientOf(key).traces.ingest({ body, contentType: "application/x-protobuf" });
  }
  await server.spansLoaded();
}

/** Requests the conversation on a connection that never reads the answer. */
async function stall(server: TestServer, key: string): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.pause();
  socket.write(`GET /v1/traces/${TRACE_ID} HTTP/1.1\r\nHost: stalled\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}

const IDLE = { bytes: 0, waiting: 0 };

describe("readers of a large conversation", () => {
  let server: TestServer;
  let stranger: string;

  beforeAll(async () => {
    server = await startServer({
      settings: { SVC_OPEN_SIGNUP: "true" },
      checkAnswers: false,
      answerLimits: { atOnce: { list: 8, conversation: 1 }, waitMs: 300_000 },
    });
    const person = await signUp(server.url, "other@elsewhere.test");
    const { projects } = await person.client.projects.list();
    stranger = (await person.client.keys.create({ name: "sends", project_id: projects[0]!.id })).secret;
    await sendConversation(server, server.projectKey);
    await sendConversation(server, stranger);
  });
  afterAll(() => server.stop());

  const read = (key: string, signal?: AbortSignal) =>
    fetch(`${server.url}/v1/traces/${TRACE_ID}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: signal ?? null,
    });

  test("an answer in pieces has a length and the bytes of the whole JSON", async () => {
    const answer = await read(server.projectKey);
    const text = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(Number(answer.headers.get("content-length"))).toBe(Buffer.byteLength(text));
    const trace = JSON.parse(text) as { spans: unknown[] };
    expect(trace.spans).toHaveLength(SPANS);
    expect(text).toBe(JSON.stringify(trace));
  });

  test("two organizations are answered in turns, however many readers one of them has", async () => {
    const ended: string[] = [];
    const readAs = async (name: string, key: string) => {
      const answer = await read(key);
      const text = await answer.text();
      expect([answer.status, text.slice(0, 300)]).toEqual([200, expect.any(String)]);
      ended.push(name);
    };
    const many = Array.from({ length: 14 }, () => readAs("many", server.projectKey));
    await until("the readers of one organization wait", () => server.answersInTheMaking().waiting >= 5);
    const before = ended.length;
    const few = Array.from({ length: 3 }, () => readAs("few", stranger));
    await Promise.all(few);
    expect(ended.filter((name) => name === "many").length - before).toBeLessThan(9);
    await Promise.all(many);
    await until("nothing is in the making", () => expect(server.answersInTheMaking()).toEqual(IDLE) ?? true);
  });

  test("a reader that disconnects while it waits is never answered, and gives its place back", async () => {
    const leave = new AbortController();
    const blocked = await stall(server, server.projectKey);
    const leaving = Array.from({ length: 20 }, () =>
      read(server.projectKey, leave.signal).then((answer) => answer.arrayBuffer()),
    );
    await until("readers wait", () => server.answersInTheMaking().waiting >= 5);
    leave.abort();
    for (const reader of leaving) await expect(reader).rejects.toThrow("aborted");
    await until("no reader waits", () => server.answersInTheMaking().waiting === 0);
    blocked.destroy();
    await until("nothing is in the making", () => expect(server.answersInTheMaking()).toEqual(IDLE) ?? true);
    expect((await read(server.projectKey)).status).toBe(200);
  });

  test("the budget is whole again after answers, errors, readers that leave in the middle, and stalled readers", async () => {
    const stalled = [await stall(server, server.projectKey), await stall(server, stranger)];
    await until("answers wait for their readers", () => server.answersInTheMaking().bytes > 2 * 1024 * 1024);
    const cut = Array.from(
      { length: 4 },
      () =>
        new Promise<void>((resolve) => {
          const headers = { authorization: `Bearer ${server.projectKey}` };
          const sent = get(`${server.url}/v1/traces/${TRACE_ID}`, { headers }, (response: IncomingMessage) => {
            response.once("data", () => sent.destroy());
            response.once("close", resolve);
            response.once("error", () => resolve());
          });
          sent.once("error", () => resolve());
        }),
    );
    const missing = await fetch(`${server.url}/v1/traces/${traceIdOf(404)}`, {
      headers: { authorization: `Bearer ${server.projectKey}` },
    });
    expect(missing.status).toBe(404);
    expect((await server.client.traces.get({ traceId: TRACE_ID })).spanCount).toBe(SPANS);
    await Promise.all(cut);
    for (const socket of stalled) socket.destroy();
    await until("nothing is in the making", () => expect(server.answersInTheMaking()).toEqual(IDLE) ?? true);
  });
});

test("a reader whose turn does not come in time is refused before any work, and lists are still answered", async () => {
  const server = await startServer({
    checkAnswers: false,
    answerLimits: { atOnce: { list: 8, conversation: 0 }, waitMs: 50 },
  });
  await sendConversation(server, server.projectKey);
  const answer = await fetch(`${server.url}/v1/traces/${TRACE_ID}`, {
    headers: { authorization: `Bearer ${server.projectKey}` },
  });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(((await answer.json()) as { error: string }).error).toBe("unavailable");
  expect((await server.client.traces.list()).traces).toHaveLength(1);
  expect(server.answersInTheMaking()).toEqual(IDLE);
  await server.stop();
});

test("two conversations in bodies larger than the cache of bodies are read beside each other", async () => {
  const server = await startServer({ checkAnswers: false });
  const note = [attribute("note", "words ".repeat(1_500))];
  for (const trace of [1, 2]) {
    const body = encodeProtobuf(
      requestOf(Array.from({ length: 2_000 }, (_, at) => spanOf(trace, at, { attributes: note }))),
    );
    await server.client.traces.ingest({ body, contentType: "application/x-protobuf" });
  }
  await server.spansLoaded();
  const read = [1, 2].map((trace) => server.client.traces.get({ traceId: traceIdOf(trace) }));
  expect((await Promise.all(read)).map(({ spanCount }) => spanCount)).toEqual([2_000, 2_000]);
  await server.stop();
});

test("the number of clients that stop reading an answer is limited: the next one is refused until one of them disconnects", async () => {
  const server = await startServer({
    checkAnswers: false,
    answerLimits: { budgetBytes: 12 * 1024 * 1024, waitMs: 50 },
  });
  await sendConversation(server, server.projectKey);
  const statusOf = async () => {
    const answer = await fetch(`${server.url}/v1/traces/${TRACE_ID}`, {
      headers: { authorization: `Bearer ${server.projectKey}` },
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  const stalled: Socket[] = [];
  await until("the budget is used up", async () => {
    const { bytes } = server.answersInTheMaking();
    const socket = await stall(server, server.projectKey);
    stalled.push(socket);
    let isAnswered = false;
    socket.once("readable", () => (isAnswered = true));
    // The next reader must come second, because in a race the service could refuse the stalled reader. On a busy machine this can
    // still happen; then another reader follows.
    await until("it has its answer", () => isAnswered || server.answersInTheMaking().bytes > bytes);
    return (await statusOf()) === 503;
  });
  for (const socket of stalled) socket.destroy();
  await until("there is room again", async () => (await statusOf()) === 200);
  await server.stop();
});

test("a reader that stalls for too long loses the connection", async () => {
  const ended = Promise.withResolvers<boolean>();
  const { url, stop } = await listen(
    (_, response) => {
      response.once("close", () => ended.resolve(response.writableFinished));
      response.end(LARGE);
    },
    0,
    "127.0.0.1",
    { stalledMs: 200 },
  );
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: stalled\r\n\r\n");
  await once(socket, "readable");
  expect(await ended.promise).toBe(false);
  socket.destroy();
  await stop();
});
