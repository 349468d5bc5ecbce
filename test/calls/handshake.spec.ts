import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { failureToConnect } from "../../packages/server/src/voice/calls/lines/socket-failures.ts";
import { openSocket } from "../../packages/server/src/base/net/outbound-socket.ts";

test("a handshake ends in its time, even when the endpoint never stops sending headers", async () => {
  const endpoint = createServer((socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\n");
    const drip = setInterval(() => socket.write("x-more: headers\r\n"), 20);
    socket.on("error", () => {}).once("close", () => clearInterval(drip));
  }).listen(0, "127.0.0.1");
  await once(endpoint, "listening");
  const url = new URL(`ws://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`);
  const socket = openSocket(url, {
    headers: {},
    privateAddresses: "allow",
    handshakeTimeoutMs: 200,
    messageBytesMax: 1_000,
  });
  const [error] = (await once(socket, "error")) as [Error];
  expect(failureToConnect(error)).toMatchObject({
    reason: "agent_never_joined",
    message: "The agent's endpoint did not open the WebSocket in time.",
  });
  endpoint.close();
});
