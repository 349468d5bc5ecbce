import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { listen } from "@svc/server";

test("a stop closes connections that never sent a request at once", async () => {
  const { url, stop } = await listen((_, response) => void response.end(), 0, "127.0.0.1");
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  const closed = once(socket, "close");
  socket.resume();
  const startedMs = Date.now();
  await stop();
  await closed;
  expect(Date.now() - startedMs).toBeLessThan(5_000);
});
