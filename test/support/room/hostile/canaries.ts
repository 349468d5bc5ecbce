import { createSocket } from "node:dgram";
import { connect, createServer } from "node:net";

/** Message to the canaries: open these ports, or plant a fault by a packet to an address that the service must never reach. */
export type ToCanaries =
  | { open: number[]; word: string }
  | { plant: { protocol: "tcp" | "udp"; to: string; port: number } };

// Canaries are servers that no request of the service may reach. They run at the loopback addresses and at the service's own
// address. Their answers contain the word that the service must not show.
process.on("message", async (message: ToCanaries) => {
  if ("plant" in message) {
    await plant(message.plant);
    process.send!("planted");
    return;
  }
  const { open, word } = message;
  await Promise.all(
    open.map(
      (port) =>
        new Promise<void>((listening) => {
          const server = createServer((socket) => {
            socket.on("error", () => {});
            const body = `${word} of the loopback`;
            socket.once("data", () =>
              socket.end(
                `HTTP/1.1 401 Unauthorized\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
              ),
            );
          });
          server.listen(port, "::", listening);
        }),
    ),
  );
  process.send!("open");
});
process.on("disconnect", () => process.exit(0));

async function plant({ protocol, to, port }: { protocol: "tcp" | "udp"; to: string; port: number }): Promise<void> {
  if (protocol === "udp") {
    const socket = createSocket(to.includes(":") ? "udp6" : "udp4");
    await new Promise((sent) => socket.send("a planted datagram", port, to, sent));
    socket.close();
    return;
  }
  const socket = connect(port, to);
  await new Promise((ended) => socket.once("connect", ended).once("error", ended));
  socket.destroy();
}
