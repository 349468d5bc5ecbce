import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { once } from "node:events";
import { listen } from "@svc/server";
import { expect, test } from "vitest";
import type { AppError } from "../../packages/server/src/errors.ts";
import { createLargeAnswers } from "../../packages/server/src/http/large-answers.ts";
import { until } from "../support/until.ts";

const LARGE = Buffer.alloc(40 * 1024 * 1024);
const SMALL = Buffer.from("small");

test("large answers to stalled readers are bounded: the next one is refused until a reader finishes or disconnects", async () => {
  const answers = createLargeAnswers(2 * LARGE.length);
  const server = createServer(({ url }, response) => {
    const body = url === "/small" ? SMALL : LARGE;
    try {
      answers.hold(body.length, response);
      response.end(body);
    } catch (error) {
      response.statusCode = (error as AppError).status;
      response.end();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const statusOf = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    await answer.arrayBuffer();
    return answer.status;
  };
  /** Reads the beginning of an answer and then stops reading. */
  const stall = async (): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: stalled\r\n\r\n");
    await once(socket, "readable");
    return socket;
  };

  const [first, second] = [await stall(), await stall()];
  expect([await statusOf("/"), await statusOf("/small")]).toEqual([503, 200]);
  first.destroy();
  await until("there is room again", async () => (await statusOf("/")) === 200);
  second.destroy();
  server.closeAllConnections();
  server.close();
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
    200,
  );
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: stalled\r\n\r\n");
  await once(socket, "readable");
  expect(await ended.promise).toBe(false);
  socket.destroy();
  await stop();
});
