import { once } from "node:events";
import { Agent, get, type IncomingMessage, type RequestListener } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { LIMITS } from "@svc/contract";
import { listen } from "@svc/server";
import { ANSWER_MS } from "../packages/server/src/main/listen.ts";
import { until } from "./support/until.ts";

test("a stop closes connections that never sent a request at once", async () => {
  const drainMs = 600_000;
  const { url, stop } = await listen((_, response) => void response.end(), 0, "127.0.0.1", { drainMs });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  const closed = once(socket, "close");
  socket.resume();
  await stop();
  expect(await closed).toEqual([false]);
});

test("a stop waits for a request that is whole, and not for one of which nothing more arrives", async () => {
  let answer: (() => void) | undefined;
  const { url, stop } = await listen(
    (request, response) => {
      if (request.url === "/whole") answer = () => response.end("answered");
    },
    0,
    "127.0.0.1",
  );
  const port = Number(new URL(url).port);
  const halves = ["POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc", "POST /head HTTP/1.1\r\nHo"];
  const closed = halves.map(async (text) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined).resume();
    socket.write(text);
    await once(socket, "close");
  });
  const whole = fetch(`${url}/whole`).then((response) => response.text());
  await until("the whole request arrived", () => answer !== undefined);
  const stopped = stop();
  await Promise.all(closed);
  answer!();
  expect(await whole).toBe("answered");
  await stopped;
});

test("of a network's connections without a byte, all but some are closed soon, and those that speak are answered", async () => {
  const { url, stop } = await listen((_, response) => void response.end("here"), 0, "127.0.0.1", { silentMs: 3_000 });
  const port = Number(new URL(url).port);
  let open = 0;
  let answered = 0;
  const sockets = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined).once("data", () => answered++);
      await once(socket, "connect");
      open++;
      socket.once("close", () => open--);
      return socket;
    }),
  );
  // The newest 100 connections send their requests last, as clients do that open many connections at once.
  for (const socket of sockets.slice(100)) socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await until("all that speak are answered", () => answered === 100);
  await until("most of the silent ones are closed", () => open <= 100 + 64);
  expect(await (await fetch(url)).text()).toBe("here");
  expect(open).toBeGreaterThan(100);
  for (const socket of sockets) socket.destroy();
  await stop();
});

describe("a connection without traffic", () => {
  const closes = async (url: string, sent: string) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    let received = "";
    socket.on("data", (bytes) => (received += bytes.toString()));
    socket.write(sent);
    await once(socket, "close");
    return received;
  };

  test("in the middle of a request body, it is closed", async () => {
    const limits = { stalledMs: 200, answerMs: 600_000 };
    const { url, stop } = await listen((request) => void request.resume(), 0, "127.0.0.1", limits);
    expect(await closes(url, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")).toBe("");
    await stop();
  });

  test("that waits for drafts of a slow language model, it is open when the refusal comes", () => {
    expect(ANSWER_MS).toBeGreaterThanOrEqual(LIMITS.promptDraftSeconds * 1_000 + 10_000);
  });

  test("that waits for the answer to a whole request, it stays open for longer, and is closed in the end", async () => {
    const handle: RequestListener = (request, response) => {
      request.resume();
      if (request.url === "/late") setTimeout(() => response.end("late"), 1_000);
    };
    const { url, stop } = await listen(handle, 0, "127.0.0.1", { stalledMs: 200, answerMs: 3_000 });
    expect(await (await fetch(`${url}/late`, { method: "POST", body: "whole" })).text()).toBe("late");
    const fromMs = performance.now();
    expect(await closes(url, "GET /never HTTP/1.1\r\nHost: x\r\n\r\n")).toBe("");
    expect(performance.now() - fromMs).toBeGreaterThan(2_900);
    await stop();
  });

  test("between two requests, it stays open longer than the 60 s for which proxies reuse connections", async () => {
    const { url, stop } = await listen((_, response) => void response.end("here"), 0, "127.0.0.1", { stalledMs: 200 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async () => {
      const asked = get(url, { agent });
      const [answer] = (await once(asked, "response")) as [IncomingMessage];
      await text(answer);
      return { reused: asked.reusedSocket, keeps: answer.headers["keep-alive"] };
    };
    expect(await ask()).toEqual({ reused: false, keeps: "timeout=65" });
    await delay(1_000);
    expect(await ask()).toMatchObject({ reused: true });
    agent.destroy();
    await stop();
  });
});
